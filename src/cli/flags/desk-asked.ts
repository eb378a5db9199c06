import { type ReportsAsked, reportsAsked } from '../usage/reports-asked.ts'
import { type SelectionArgs, selectionArgsOf } from './selection-args.ts'
import { type Talk, talkOf, text, texts, type Values } from './values.ts'

/** What the verbs of the plan are asked for, as written. */
export type DeskAsked =
  | PlanAsked
  | ApplyAsked
  | WhyAsked
  | GraphAsked
  | PricingAsked
  | VerifyAsked
  | AcceptAsked
  | PruneAsked
  | ReportAsked
  | PickAsked
  | LockMergeAsked
  | { readonly do: 'misused'; readonly message: string; readonly hint: string }

interface Plain {
  readonly noColour: boolean
}

interface OfManifest extends Plain {
  readonly manifest: string
  readonly output: string | undefined
  readonly local: boolean
  readonly json: boolean
  readonly selection: SelectionArgs
}

export interface PlanAsked extends OfManifest {
  readonly do: 'plan'
  readonly failed: boolean
  readonly rebuy: boolean
  readonly talk: Talk
  readonly summary: boolean
  readonly save: string | undefined
}

export interface ApplyAsked extends Plain {
  readonly do: 'apply'
  readonly reports?: ReportsAsked
  readonly plan: string
  readonly output: string | undefined
  readonly local: boolean
  /** Certificate authorities, as a file. */
  readonly ca?: string | undefined
  readonly json: boolean
  readonly talk: Talk
  readonly selection: SelectionArgs
}

export interface WhyAsked extends OfManifest {
  readonly do: 'why'
  readonly address: string
}

export interface GraphAsked extends OfManifest {
  readonly do: 'graph'
  readonly form: string
}

export interface PricingAsked extends Plain {
  readonly do: 'pricing'
  readonly id: string
  /** The model's flags and their values, as written. */
  readonly flags: readonly string[]
  readonly prices: string | undefined
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly json: boolean
}

export interface VerifyAsked extends OfManifest {
  readonly do: 'verify'
  readonly allow: readonly string[]
}

export interface AcceptAsked extends OfManifest {
  readonly do: 'accept'
}

export interface PruneAsked extends OfManifest {
  readonly do: 'prune'
  readonly yes: boolean
  readonly takes: boolean
  readonly aside: boolean
}

export interface ReportAsked extends OfManifest {
  readonly do: 'report'
  readonly reports?: ReportsAsked
}

export interface PickAsked extends OfManifest {
  readonly do: 'pick'
  readonly address: string
}

export interface LockMergeAsked extends Plain {
  readonly do: 'lock-merge'
  /** Base, ours and theirs, as git names them. */
  readonly files: readonly string[]
  readonly install: boolean
}

/** Reads a command of this file; undefined for every other name. */
export function deskAsked(name: string, given: readonly unknown[], values: Values): DeskAsked | undefined {
  const plain = { noColour: values.color === false }
  // Commander has checked that the arguments which a command declares are there.
  const [first, second] = given as [string, string]
  const of = () => ({
    manifest: first,
    ...plain,
    output: text(values.output),
    local: values.local === true,
    json: values.json === true,
    selection: selectionArgsOf(given, values),
  })
  switch (name) {
    case 'plan':
      return {
        do: 'plan',
        ...of(),
        output: text(values.outputFolder),
        failed: values.failed === true,
        rebuy: values.rebuy === true,
        talk: talkOf(values),
        summary: values.summary === true,
        save: text(values.output),
      }
    case 'apply': {
      const { manifest: plan, ...rest } = of()
      const reports = reportsAsked(values)
      return {
        do: 'apply',
        plan,
        ...rest,
        ca: text(values.ca),
        talk: talkOf(values),
        ...(reports && { reports }),
      }
    }
    case 'why':
      return { do: 'why', ...of(), address: second }
    case 'graph':
      return { do: 'graph', ...of(), form: text(values.form) ?? 'mermaid' }
    case 'pricing':
      return {
        do: 'pricing',
        ...plain,
        id: first,
        flags: texts(given[1]),
        prices: text(values.prices),
        ...(texts(values.catalog).length > 0 && { catalog: texts(values.catalog) }),
        json: values.json === true,
      }
    case 'verify':
      return { do: 'verify', ...of(), allow: texts(values.allow) }
    case 'accept':
      return { do: 'accept', ...of() }
    case 'prune':
      return {
        do: 'prune',
        ...of(),
        yes: values.yes === true,
        takes: values.takes === true,
        aside: values.aside === true,
      }
    case 'report': {
      const reports = reportsAsked(values)
      return { do: 'report', ...of(), ...(reports && { reports }) }
    }
    case 'pick':
      return { do: 'pick', ...of(), address: second }
    case 'lock':
      return {
        do: 'misused',
        message: 'lock takes a word',
        hint: '`genrun lock merge --install` teaches git to merge locks',
      }
    case 'lock merge':
      return { do: 'lock-merge', ...plain, files: texts(given[0]), install: values.install === true }
    default:
      return undefined
  }
}
