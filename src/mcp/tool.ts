import type { Diagnostic } from '../base/diagnostic.ts'
import { renderProblem } from '../base/excerpt.ts'
import type { JsonObject } from '../base/names.ts'
import type { Shelf } from '../catalog/shelf.ts'
import type { SessionPurse } from '../desk/draw/session-purse.ts'
import type { Service } from '../desk/ground/service.ts'
import type { Told } from '../desk/telling/report.ts'

/** What a session of the tool server works with. */
export interface Session {
  readonly service: Service
  /** Paths count from here, and no file outside is read. Absolute. */
  readonly cwd: string
  readonly output?: string
  readonly profile?: string
  readonly prices?: string
  /** Files that declare models, for manifests; relative to `cwd`. */
  readonly catalog?: readonly string[]
  /** The models there are, those of `catalog` among them; the built-in ones when it is absent. */
  readonly shelf?: Shelf
  /** What the session may spend, all calls together. Clients without a session of their own share it. */
  readonly purse: SessionPurse
  /** The purse of one more session; all have `purse` when it is absent. */
  readonly openPurse?: () => SessionPurse
  /** Nothing is made: the tools that cost are not there. */
  readonly readOnly: boolean
}

/** What one call hears and tells. */
export interface Call {
  readonly stop: AbortSignal
  readonly tell: (told: Told) => void
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string }

export interface ToolResult {
  readonly content: readonly Content[]
  readonly isError?: true
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Its arguments are a model's parameters: the desk checks them, all at once, against that model. */
  readonly takesParams?: true
  /** It makes something, and may cost. */
  readonly makes?: true
  readonly carryOut: (args: JsonObject, session: Session, call: Call) => Promise<ToolResult> | ToolResult
}

export function said(value: unknown): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value, undefined, 2) }] }
}

export function wrong(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/** Every problem with its place. */
export function refused(problems: readonly Diagnostic[]): ToolResult {
  return wrong(problems.map(problem => renderProblem(problem)).join('\n'))
}
