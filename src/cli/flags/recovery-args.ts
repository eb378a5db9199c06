import type { Resolution } from '../../verbs/resolve.ts'
import { quoted } from '../../wording/command.ts'
import { type SelectionArgs, selectionArgsOf } from './selection-args.ts'
import { number, text, type Values } from './values.ts'

/** What the verbs around open orders are asked for, as written. */
export type RecoveryArgs =
  | StatusArgs
  | ResolveArgs
  | AdoptArgs
  | RecoverArgs
  | JournalArgs
  | { readonly do: 'misused'; readonly message: string; readonly hint: string }

interface OfManifest {
  readonly noColour: boolean
  readonly manifest: string
  readonly output: string | undefined
  readonly json: boolean
  /** What decides where everything lies and what the jobs are: the same words as for a run. */
  readonly selection: SelectionArgs
}

export interface StatusArgs extends OfManifest {
  readonly do: 'status'
  readonly local: boolean
}

export interface ResolveArgs extends OfManifest {
  readonly do: 'resolve'
  readonly words: readonly string[]
  readonly allDoubts: boolean
  /** In milliseconds since 1970. */
  readonly before: number | undefined
  readonly after: number | undefined
  readonly resolution: Resolution
}

export interface AdoptArgs extends OfManifest {
  readonly do: 'adopt'
  readonly address: string
  readonly run: string
  readonly workflow: string | undefined
}

export interface RecoverArgs extends OfManifest {
  readonly do: 'recover'
  readonly yes: boolean
}

export interface JournalArgs extends Pick<OfManifest, 'noColour' | 'manifest' | 'json'> {
  readonly do: 'journal'
  readonly local: boolean
}

/** Reads a command of this file; undefined for every other name. */
export function recoveryArgs(
  name: string,
  given: readonly unknown[],
  values: Values,
): RecoveryArgs | undefined {
  // Commander has checked that the arguments which a command declares are there.
  const [manifest, second, third] = given as [string, unknown, unknown]
  const of = {
    manifest,
    noColour: values.color === false,
    output: text(values.output),
    json: values.json === true,
    // The jobs that they name are in doubt, or have a run: no selection of the plan.
    selection: selectionArgsOf([manifest], values),
  }
  switch (name) {
    case 'status':
      return { do: 'status', ...of, local: values.local === true }
    case 'journal':
      return { do: 'journal', manifest, noColour: of.noColour, json: of.json, local: values.local === true }
    case 'recover':
      return { do: 'recover', ...of, yes: values.yes === true }
    case 'adopt':
      return {
        do: 'adopt',
        ...of,
        address: String(second),
        run: String(third),
        workflow: text(values.workflow),
      }
    case 'resolve':
      return resolveArgs(of, second as string[], values)
    default:
      return undefined
  }
}

function resolveArgs(of: OfManifest, words: readonly string[], values: Values): RecoveryArgs {
  const id = text(values.adopt)
  const [isResubmit, isAbandon] = [values.resubmit === true, values.abandon === true]
  const [before, after] = [number(values.before), number(values.after)]
  if (Number(id !== undefined) + Number(isResubmit) + Number(isAbandon) !== 1) {
    const message = 'say what became of the orders: one of --adopt ID, --resubmit and --abandon'
    return {
      do: 'misused',
      message,
      hint: `\`genrun status ${quoted(of.manifest)}\` tells what is known of them`,
    }
  }
  const allDoubts = values.allDoubts === true
  if (words.length === 0 && !allDoubts && before === undefined && after === undefined)
    return { do: 'misused', message: 'no job is named', hint: 'name jobs, or give --all-doubts' }
  const workflow = text(values.workflow)
  const resolution: Resolution =
    id !== undefined
      ? { is: 'adopt', id, ...(workflow !== undefined && { workflow }) }
      : { is: isResubmit ? 'resubmit' : 'abandon' }
  return { do: 'resolve', ...of, words, allDoubts, before, after, resolution }
}
