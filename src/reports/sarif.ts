import type { Diagnostic, Note } from '../base/diagnostic.ts'
import type { Json, JsonObject } from '../base/names.ts'
import { positionAt, type Span } from '../base/source.ts'
import type { JobReport } from '../wording/report.ts'
import { isTrouble } from './endings.ts'

/** What a code means, for the rules of the log. */
type AboutCode = (code: string) => string | undefined

/**
 * Problems as a SARIF 2.1.0 log (OASIS Standard, section 3), which code scanners read. Columns count Unicode code points;
 * every code is a rule, described once. Jobs that did not end well point at their line, with the kind of failure as rule.
 */
export function sarifLog(
  problems: readonly Diagnostic[],
  version: string,
  about: AboutCode,
  jobs: readonly JobReport[] = [],
): JsonObject {
  const troubles = jobs.filter(isTrouble)
  const codes = [
    ...new Set([...problems.map(problem => problem.code), ...troubles.map(ruleOfJob)]),
  ].toSorted()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        columnKind: 'unicodeCodePoints',
        tool: { driver: { name: 'genrun', version, rules: codes.map(code => rule(code, about(code))) } },
        results: [
          ...problems.map(problem => result(problem, codes.indexOf(problem.code))),
          ...troubles.map(job => jobResult(job, codes.indexOf(ruleOfJob(job)))),
        ],
      },
    ],
  }
}

function rule(id: string, text: string | undefined): JsonObject {
  return text === undefined ? { id } : { id, shortDescription: { text } }
}

function result(problem: Diagnostic, ruleIndex: number): JsonObject {
  const { code, severity, message, hint, at, notes = [] } = problem
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: hint ? `${message} (${hint})` : message },
    locations: [{ physicalLocation: place(at) }],
    ...(notes.length > 0 && { relatedLocations: notes.map(related) }),
  }
}

function ruleOfJob({ failure, ending }: JobReport): string {
  return failure?.why ?? ending
}

function jobResult(job: JobReport, ruleIndex: number): JsonObject {
  const { address, ending, message = ending, hint, file, line } = job
  const isGrave = ending === 'failed' || ending === 'doubt'
  const text = `${address}: ${message}`
  return {
    ruleId: ruleOfJob(job),
    ruleIndex,
    level: isGrave ? 'error' : 'warning',
    message: { text: hint ? `${text} (${hint})` : text },
    locations: [
      { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } } },
    ],
  }
}

function related({ message, at }: Note): Json {
  return { physicalLocation: place(at), message: { text: message } }
}

function place(at: Span): JsonObject {
  const start = positionAt(at.file, at.start)
  const end = positionAt(at.file, at.end)
  return {
    artifactLocation: { uri: uriOf(at.file.name) },
    region: {
      startLine: start.line,
      startColumn: start.column,
      endLine: end.line,
      endColumn: end.column,
    },
  }
}

/** A relative reference: its segments encoded, forward slashes. */
function uriOf(name: string): string {
  return name.split(/[/\\]/).map(encodeURIComponent).join('/')
}
