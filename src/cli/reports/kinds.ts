/** What a person has a file written with, and what takes its place later. */
export type ReportKind = 'junit' | 'sarif' | 'summary' | 'events' | 'plan'

/** Whether a file that begins so is one that genrun wrote; of JUnit XML, one with the root that ours has. */
export function isOfKind(kind: ReportKind, head: string): boolean {
  return heads[kind].test(head.replaceAll('\r\n', '\n'))
}

const heads: { readonly [Kind in ReportKind]: RegExp } = {
  junit:
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]*" tests="\d+" failures="\d+" errors="\d+" time="/,
  sarif: /^\{\s*"\$schema":[^{}]*"runs":\s*\[\s*\{[^{}]*"tool":\s*\{\s*"driver":\s*\{\s*"name":\s*"genrun"/,
  // A heading, and below it a sentence, or problems.
  summary: /^### (?:✅|❌|⚠️) [^\n]*\n(?:$|\n(?:\*\*|\* \*\*))/,
  events: /^\{"at":"[^"]*","event":"begin","format":\d+,"genrun":/,
  plan: /^\{\s*"genrunPlan":\s*\d/,
}

/** Of what is none: `what is there is …`. */
export const kindWords: { readonly [Kind in ReportKind]: string } = {
  junit: 'no JUnit XML of genrun',
  sarif: 'no SARIF log of genrun',
  summary: 'no summary of genrun',
  events: 'no file of events',
  plan: 'no saved plan',
}
