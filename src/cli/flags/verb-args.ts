import { type ReportsArgs, reportsArgs } from '../usage/report-args.ts'
import { type SelectionArgs, selectionArgsOf } from './selection-args.ts'
import { type Talk, type TrustArgs, talkOf, text, texts, trustIn, type Values } from './values.ts'

/** What the verbs of the plan are asked for, as written. */
export type VerbArgs =
  | PlanArgs
  | ApplyArgs
  | WhyArgs
  | GraphArgs
  | PricingArgs
  | VerifyArgs
  | AcceptArgs
  | PruneArgs
  | ReportArgs
  | PickArgs
  | LockMergeArgs
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

export interface PlanArgs extends OfManifest {
  readonly do: 'plan'
  readonly failed: boolean
  readonly rebuy: boolean
  readonly talk: Talk
  readonly summary: boolean
  readonly save: string | undefined
}

export interface ApplyArgs extends Plain, TrustArgs {
  readonly do: 'apply'
  readonly reports?: ReportsArgs
  readonly plan: string
  readonly output: string | undefined
  readonly local: boolean
  /** Certificate authorities, as a file. */
  readonly ca?: string | undefined
  readonly json: boolean
  readonly talk: Talk
  readonly selection: SelectionArgs
}

export interface WhyArgs extends OfManifest {
  readonly do: 'why'
  readonly address: string
}

export interface GraphArgs extends OfManifest {
  readonly do: 'graph'
  readonly form: string
}

export interface PricingArgs extends Plain {
  readonly do: 'pricing'
  readonly id: string
  /** The model's flags and their values, as written. */
  readonly flags: readonly string[]
  readonly prices: string | undefined
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly json: boolean
}

export interface VerifyArgs extends OfManifest {
  readonly do: 'verify'
  readonly allow: readonly string[]
}

export interface AcceptArgs extends OfManifest {
  readonly do: 'accept'
}

export interface PruneArgs extends OfManifest {
  readonly do: 'prune'
  readonly yes: boolean
  readonly takes: boolean
  readonly aside: boolean
}

export interface ReportArgs extends OfManifest {
  readonly do: 'report'
  readonly reports?: ReportsArgs
}

export interface PickArgs extends OfManifest {
  readonly do: 'pick'
  readonly address: string
  readonly others: readonly string[]
}

export interface LockMergeArgs extends Plain {
  readonly do: 'lock-merge'
  /** Base, ours and theirs, as git names them. */
  readonly files: readonly string[]
  readonly install: boolean
}

/** Reads a command of this file; undefined for every other name. */
export function verbArgs(name: string, given: readonly unknown[], values: Values): VerbArgs | undefined {
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
      const reports = reportsArgs(values)
      return {
        do: 'apply',
        plan,
        ...rest,
        ca: text(values.ca),
        talk: talkOf(values),
        ...trustIn(values),
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
      const reports = reportsArgs(values)
      return { do: 'report', ...of(), ...(reports && { reports }) }
    }
    case 'pick': {
      // Commander has checked that there is one.
      const [address = '', ...others] = texts(given[1])
      // They are no selection of the plan.
      return { do: 'pick', ...of(), selection: selectionArgsOf([first], values), address, others }
    }
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
