import type { Diagnostic } from '../base/diagnostic.ts'
import { renderProblem } from '../base/excerpt.ts'
import type { JsonObject } from '../base/names.ts'
import type { ModelSet } from '../catalog/model-set.ts'
import type { OwnGate } from '../looks/own-gate.ts'
import type { Service } from '../workspace/service/service.ts'
import type { SessionBudget } from '../workspace/session-budget.ts'
import type { RunRequest } from '../workspace/workspace.ts'
import type { Listener, Orders } from './orders.ts'
import type { RunsAtWork } from './runs.ts'

/** What a session of the tool server works with. */
export interface Session {
  readonly service: Service
  /** Paths count from here, and no file outside is read. Absolute. */
  readonly cwd: string
  readonly output?: string
  /** Where manifests that name no output folder have theirs, if not beside them. */
  readonly outputs?: string
  readonly profile?: string
  readonly prices?: string
  /** Files that declare models, for manifests; relative to `cwd`. */
  readonly catalog?: readonly string[]
  /** Looks of the person's own, which manifests may name. */
  readonly gates?: readonly OwnGate[]
  /** What the settings around a manifest say of it, sought for each call; what the session has counts where it is absent. */
  readonly heed?: (manifest: string) => Promise<ManifestSettings>
  /** The models there are, those of `catalog` among them; the built-in ones when it is absent. */
  readonly modelSet?: ModelSet
  /** What the session may spend, all calls together. Clients without a session of their own share it. */
  readonly budget: SessionBudget
  /** The budget of one more session; all have `budget` when it is absent. */
  readonly openBudget?: () => SessionBudget
  /** Nothing is made: the tools that cost are not there. */
  readonly readOnly: boolean
}

/** By the settings around a manifest. */
export type ManifestSettings =
  | {
      readonly got: 'settings'
      /** Beside the service of the session. */
      readonly service: Partial<Service>
      readonly options: ManifestOptions
      /** Warnings about the settings. */
      readonly told: string
    }
  | { readonly got: 'refused'; readonly message: string }

type ManifestOptions = Pick<
  RunRequest,
  | 'output'
  | 'outputs'
  | 'profile'
  | 'prices'
  | 'catalog'
  | 'gates'
  | 'caps'
  | 'limits'
  | 'verify'
  | 'gate'
  | 'rebuyGuard'
  | 'strict'
>

/** What one call hears and tells, and the orders and runs of all of them. `stop`: it was given up by its client. */
export interface Call extends Listener {
  /** Aborted as well when the client cannot be told any more. */
  readonly gone: AbortSignal
  readonly orders: Orders
  readonly runs: RunsAtWork<ToolResult>
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string }

export interface ToolResult {
  readonly content: readonly Content[]
  /** The same as data, by the tool's output schema. */
  readonly structured?: JsonObject
  readonly isError?: true
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Of what it comes to as data, unless it is an error. */
  readonly outputSchema: JsonObject
  /** Its arguments are a model's parameters: the verb checks them, all at once, against that model. */
  readonly takesParams?: true
  /** It makes something, and may cost. */
  readonly makes?: true
  readonly carryOut: (args: JsonObject, session: Session, call: Call) => Promise<ToolResult> | ToolResult
}

/** A record, as text and as data. */
export function said(value: unknown): ToolResult {
  const text = JSON.stringify(value, undefined, 2)
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  // What JSON has no word for is left out, as it is of the text.
  return {
    content: [{ type: 'text', text }],
    ...(isRecord && { structured: JSON.parse(text) as JsonObject }),
  }
}

export function wrongCall(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/** Every problem with its place. */
export function refused(problems: readonly Diagnostic[]): ToolResult {
  return wrongCall(problems.map(problem => renderProblem(problem)).join('\n'))
}

/** Several results in one; it is an error where one of them is. */
export function joinResults(results: readonly ToolResult[]): ToolResult {
  const content = results.flatMap(each => each.content)
  const all = results.flatMap(({ structured }) =>
    Array.isArray(structured?.results) ? structured.results : [],
  )
  const merged = { content, structured: { results: all } }
  return results.some(each => each.isError) ? { ...merged, isError: true } : merged
}

export function withText(result: ToolResult, text: string): ToolResult {
  return { ...result, content: [...result.content, { type: 'text', text }] }
}
