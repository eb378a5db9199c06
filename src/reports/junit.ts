import { type Diagnostic, problemRecord } from '../base/diagnostic.ts'
import { display, markup } from '../base/display.ts'
import { isFlawed, type JobReport } from '../wording/report.ts'
import { isDelivered } from './endings.ts'
import { lookLines, lookNamesIn } from './looks.ts'
import type { EndVerdict, RunEnd } from './run-end.ts'

/**
 * A run as JUnit XML, which every CI system shows: one suite, one test case a job, and one for each problem that kept
 * the run from beginning. A job that failed or is in doubt is a failure, one that was not carried out is skipped, and what
 * is wrong with the text or the machine is an error.
 */
export function junitXml(end: RunEnd): string {
  const { report, began } = end
  const cases = casesOf(end)
  const count = (kind: Case['kind']) => cases.filter(each => each.kind === kind).length
  const sums = {
    name: report?.name ?? end.manifest,
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
  }
  const time = { time: (report?.seconds ?? 0).toFixed(3) }
  const suite = { ...sums, skipped: count('skipped'), ...time, timestamp: dateText(began) }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ ...sums, ...time })}>`,
    `  <testsuite${attributes(suite)}>`,
    ...cases.map(caseText),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

interface Case {
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped'
  readonly name: string
  readonly classname: string
  readonly seconds?: number | undefined
  readonly type?: string
  readonly message?: string
  readonly detail?: string
  readonly output?: string | undefined
}

function casesOf({ problems, error, report, manifest, verdict }: RunEnd): Case[] {
  const trouble: Case[] = error
    ? [{ kind: 'error', name: error.code, classname: manifest, type: error.code, ...said(error) }]
    : []
  if (verdict) return [...trouble, ...verdict.others.map(driftCase), ...verdict.jobs.map(comparedCase)]
  const wrong = report ? problems.filter(each => each.severity === 'error') : problems
  return [...trouble, ...wrong.map(problemCase), ...(report?.jobs ?? []).map(jobCase)]
}

/** What differs is a finding, and no mistake of the one who looked. */
function driftCase(problem: Diagnostic): Case {
  const found = problemCase(problem)
  return found.kind === 'error' ? { ...found, kind: 'failure' } : found
}

/** Under the name that the job has in the report of a run, so that a dashboard knows it again. */
function comparedCase({ address, model, problems, allowed }: EndVerdict['jobs'][number]): Case {
  const head = { name: address, classname: model, output: allowed && `allowed: ${allowed}` }
  if (problems.length === 0) return { kind: 'passed', ...head }
  const told = problems.map(problem => said({ ...problem, place: lineOf(problem) }))
  return {
    kind: 'failure',
    ...head,
    type: [...new Set(problems.map(({ code }) => code))].join(', '),
    message: told.map(({ message }) => message).join('; '),
    detail: told.map(({ detail }) => detail).join('\n'),
  }
}

function lineOf(problem: Diagnostic): string {
  const { file, line } = problemRecord(problem)
  return `${file}:${line}`
}

function problemCase(problem: Diagnostic): Case {
  const { code, severity, file, line, column } = problemRecord(problem)
  const name = `${file}:${line}:${column} ${code}`
  const told = said(problem)
  if (severity === 'warning') return { kind: 'passed', name, classname: file, output: told.detail }
  return { kind: 'error', name, classname: file, type: code, ...told }
}

function jobCase(job: JobReport): Case {
  const { address, model, file, line, seconds, ending, failure, message = '', hint } = job
  const looks = lookNamesIn(job)
  const files = [...job.files.map(({ path }) => path), ...lookLines(job)].join('\n')
  const head = { name: address, classname: model, seconds, ...(files && { output: files }) }
  const told = (text: string) => said({ message: text, hint, place: `${file}:${line}` })
  // By its looks a dashboard can tell black pictures from silent lines.
  const type = failure?.why === 'unlike-asked' && looks ? `looks: ${looks}` : (failure?.why ?? ending)
  if (isDelivered(job)) {
    if (isFlawed(job)) return { kind: 'failure', ...head, type, ...told(message) }
    const accepted = job.accepted?.map(text => `accepted: ${text}`) ?? []
    const output = [files, message, ...accepted].filter(Boolean).join('\n')
    return { kind: 'passed', ...head, ...(output && { output }) }
  }
  const kind = ending === 'failed' || ending === 'doubt' ? 'failure' : 'skipped'
  return { kind, ...head, type, ...told(message || ending) }
}

interface Told {
  readonly message: string
  readonly hint?: string | undefined
  readonly place?: string
}

// Readers that check the format refuse a case with `file` and `line`: the place stands in the text.
function said({ message, hint, place }: Told): Pick<Case, 'message' | 'detail'> {
  const first = place ? `${place}: ${message}` : message
  return { message, detail: hint ? `${first}\n${hint}` : first }
}

function caseText(of: Case): string {
  const { kind, name, classname, seconds, type, message, detail, output } = of
  const time = (seconds ?? 0).toFixed(3)
  const head = `    <testcase${attributes({ name, classname, time })}`
  const body = [
    ...(kind === 'skipped' ? [`      <skipped${attributes({ message })}/>`] : []),
    ...(kind === 'failure' || kind === 'error'
      ? [`      <${kind}${attributes({ type, message })}>${escaped(detail ?? '')}</${kind}>`]
      : []),
    ...(output ? [`      <system-out>${escaped(output)}</system-out>`] : []),
  ]
  return body.length === 0 ? `${head}/>` : [`${head}>`, ...body, '    </testcase>'].join('\n')
}

function attributes(values: { readonly [name: string]: string | number | undefined }): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(String(value))}"`]))
    .join('')
}

/** Control characters and non-characters have no place in XML 1.0, whatever their escapes: they are shown. */
function escaped(text: string): string {
  const shown = text
    .split('\n')
    .map(line => display(line))
    .join('\n')
  return markup(shown.replaceAll(/[\ufffe\uffff]/g, '\ufffd'))
}

/** To the second and without a zone, as the format's schemas want it; in UTC. */
function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}
