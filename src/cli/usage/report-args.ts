import type { OptionUsage } from './usage-form.ts'

/** Reports of a run for other programs, by the files they go to. */
export interface ReportsArgs {
  /** Or `-`: stdout. */
  readonly events: string | undefined
  readonly junit: string | undefined
  readonly sarif: string | undefined
  readonly summary: string | undefined
}

export const reportOptions: readonly OptionUsage[] = [
  { flags: '--events <file>', says: 'what happens, as JSON lines; `-` is stdout' },
  { flags: '--junit <file>', says: 'a report as JUnit XML' },
  { flags: '--sarif <file>', says: 'a report as SARIF, for code scanners' },
  { flags: '--summary <file>', says: 'a report as Markdown' },
]

/** Undefined when none is asked for. */
export function reportsArgs(values: { readonly [name: string]: unknown }): ReportsArgs | undefined {
  const { events, junit, sarif, summary } = values
  const args = { events: text(events), junit: text(junit), sarif: text(sarif), summary: text(summary) }
  return Object.values(args).some(path => path !== undefined) ? args : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
