import { type Verify, verifies } from '../../workspace/verifies.ts'
import { number, text, texts, type Values } from './values.ts'

/** Which jobs, at what cost, from which cache: the same words for plans and runs. */
export interface SelectionArgs {
  readonly selectors: readonly string[]
  /** As written: `season=winter`. */
  readonly vars: readonly string[]
  readonly tags: readonly string[]
  readonly models: readonly string[]
  readonly changed: boolean
  /** The first so many that would be bought. */
  readonly limit?: number | undefined
  readonly profile: string | undefined
  readonly prices: string | undefined
  readonly maxCost: number | undefined
  readonly maxPaid: number | undefined
  /** When a run buys nothing more; commands that buy nothing have no use for it. */
  readonly maxUseless?: number | undefined
  readonly maxFailures?: number | undefined
  readonly cache: string | undefined
  readonly cacheReadOnly: boolean
  readonly cacheBytes: number | undefined
  /** Of the settings; no flag has it. */
  readonly rebuyGuard?: number
  /** What differs from what was asked is told, fails, or is not looked at. */
  readonly verify?: Verify | undefined
  /** Of the settings: where manifests have their output folders. */
  readonly outputs?: string
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  /** Warnings about the manifest count as errors. */
  readonly strict?: boolean
  /** The lock of a former name, or `none`. */
  readonly continues?: string
}

/** What `run` takes beside that; absent when nothing of all this is given. */
export interface RunSelectionArgs extends SelectionArgs {
  readonly redo: boolean
  readonly yes: boolean
  readonly frozen: boolean
}

/** What `run` and `redo` were given beyond their own flags; undefined when that is nothing. */
export function runSelectionArgs(
  given: readonly unknown[],
  values: Values,
  redo: boolean,
): RunSelectionArgs | undefined {
  const selection = selectionArgsOf(given, values)
  const [yes, frozen] = [values.yes === true, values.frozen === true]
  const isAnything =
    redo ||
    yes ||
    frozen ||
    Object.values(selection).some(value =>
      Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false,
    )
  return isAnything ? { ...selection, redo, yes, frozen } : undefined
}

export function selectionArgsOf(given: readonly unknown[], values: Values): SelectionArgs {
  const maxFailures = values.failFast === true ? 1 : number(values.maxFailures)
  return {
    selectors: texts(given[1]),
    vars: texts(values.var),
    tags: texts(values.tag),
    models: texts(values.model),
    changed: values.changed === true,
    ...(number(values.limit) !== undefined && { limit: number(values.limit) }),
    profile: text(values.profile),
    prices: text(values.prices),
    maxCost: number(values.maxCost),
    maxPaid: number(values.maxPaid),
    ...(number(values.maxUseless) !== undefined && { maxUseless: number(values.maxUseless) }),
    ...(maxFailures !== undefined && { maxFailures }),
    cache: text(values.cache),
    cacheReadOnly: values.cacheReadOnly === true,
    cacheBytes: number(values.cacheSize),
    ...(texts(values.catalog).length > 0 && { catalog: texts(values.catalog) }),
    ...(values.strict === true && { strict: true }),
    ...(text(values.continue) !== undefined && { continues: text(values.continue) as string }), // it is one
    ...(verifies.find(each => each === values.verify) && { verify: values.verify as Verify }), // one of them
  }
}
