import { resolve } from 'node:path'
import { wallDates } from '../../base/clock.ts'
import { hasErrors } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import { appendText, type LineFile, openLineFile, replaceFile } from '../../disk/write.ts'
import { annotations, jobAnnotations } from '../../reports/annotations.ts'
import { beginRecord, type EventRecord, endRecord, eventRecord } from '../../reports/events.ts'
import { junitXml } from '../../reports/junit.ts'
import { cleanedEnd, type RunEnd } from '../../reports/run-end.ts'
import { sarifLog } from '../../reports/sarif.ts'
import { runSummary } from '../../reports/summary.ts'
import type { RunEvent } from '../../wording/report.ts'
import { unwrittenReason } from '../../workspace/read/guarded.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import { isActions, type Surroundings, variable } from '../io/surroundings.ts'
import { version } from '../io/version.ts'
import type { Trouble } from '../service/service.ts'
import { aboutCode } from '../words/about-code.ts'
import { troubleText } from '../words/problems.ts'
import { whyNoReport, whyTaken } from './file.ts'

/** Everybody who wants to know of a run beside the person who watches it: files, and the CI system. */
export interface Reports {
  /** stdout carries events, and nothing else. */
  readonly ownsStdout: boolean
  record(told: RunEvent): void
  /** Writes every report, whatever the run came to, and returns its code: 7 when a report could not be written. */
  end(end: Pick<RunEnd, 'exit' | 'problems' | 'report' | 'error' | 'verdict'>): number
}

/** What was asked for, by the files that it goes to. */
export interface ReportFiles
  extends Given<'json'>,
    Partial<Given<'events' | 'junitFile' | 'sarifFile' | 'summaryFile'>> {
  readonly manifest: string
}

/** The files by the flags that name them. */
interface Files {
  /** Or `-`: stdout. */
  readonly events: string | undefined
  readonly junit: string | undefined
  readonly sarif: string | undefined
  readonly summary: string | undefined
}

const reportNames = ['events', 'junit', 'sarif', 'summary'] as const

/** Opens what can be opened before anything is bought, or says why a report cannot be written. */
export function openReports(choices: ReportFiles, around: Surroundings, out: Out): Reports | Trouble {
  const dateOf = wallDates(around.clock)
  const began = dateOf(around.clock.now())
  const { junitFile: junit, sarifFile: sarif, summaryFile: summary } = choices
  const reports: Files = { events: choices.events, junit, sarif, summary }
  const trouble = pathTrouble(reports, choices, around.cwd)
  if (trouble) return trouble
  const events = openEvents(reports.events, around, out)
  if ('code' in events) return events
  events.write(beginRecord(began, version(), choices.manifest))
  return {
    ownsStdout: reports.events === '-',
    record: told => events.write(eventRecord(told, dateOf)),
    end(ended) {
      const end = cleanedEnd({ manifest: choices.manifest, version: version(), began, ...ended }, out.redact)
      const areWritten = writeReports(reports, end, around, out)
      if (isActions(around.env)) tellActions(end, around, out)
      const code = areWritten ? ended.exit : exit.damaged
      events.write(endRecord(dateOf(around.clock.now()), code, ended))
      return events.close() ? code : exit.damaged
    },
  }
}

function pathTrouble(reports: Files, { manifest, json }: ReportFiles, cwd: string): Trouble | undefined {
  if (reports.events === '-' && json)
    return {
      code: 'usage',
      message: '--events - and --json both want stdout',
      hint: 'give --events a file; its last line holds the sums',
    }
  const taken = new Map([[resolve(cwd, manifest), 'the manifest']])
  for (const name of reportNames) {
    const path = reports[name]
    if (path === undefined || (name === 'events' && path === '-')) continue
    const full = resolve(cwd, path)
    const other = taken.get(full)
    const why = other ? `${other} is there` : whyNoReport(path, cwd, name)
    if (why)
      return {
        code: 'bad-report-path',
        message: `--${name} ${path} cannot be written: ${why}`,
        hint: elsewhere,
      }
    taken.set(full, `--${name}`)
  }
  return undefined
}

const elsewhere = 'give it another path; nothing was sent'

interface Events {
  write(record: EventRecord): void
  /** Whether everything was written. */
  close(): boolean
}

const silent: Events = { write: () => undefined, close: () => true }

function openEvents(path: string | undefined, { cwd, stdout }: Surroundings, out: Out): Events | Trouble {
  if (path === undefined) return silent
  if (path === '-') return { ...silent, write: record => stdout.write(`${out.line(record)}\n`) }
  let file: LineFile
  try {
    file = openLineFile(resolve(cwd, path))
  } catch (cause) {
    return {
      code: 'bad-report-path',
      message: `--events ${path} cannot be written: ${unwrittenReason(cause)}`,
      hint: elsewhere,
    }
  }
  let isBroken = false
  return {
    // What a run buys matters more than who hears of it: it goes on without its events.
    write(record) {
      if (isBroken) return
      try {
        file.write(out.line(record))
      } catch (cause) {
        isBroken = true
        unwritten('--events', path, cause, out)
      }
    },
    close() {
      file.close()
      return !isBroken
    },
  }
}

function writeReports(reports: Files, end: RunEnd, { cwd }: Surroundings, out: Out): boolean {
  const { junit, sarif, summary } = reports
  const selection: readonly (readonly [Exclude<keyof Files, 'events'>, string | undefined, () => string])[] =
    [
      ['junit', junit, () => junitXml(end)],
      ['sarif', sarif, () => `${out.line(sarifOf(end))}\n`],
      ['summary', summary, () => runSummary(end)],
    ]
  let areWritten = true
  for (const [name, path, text] of selection) {
    if (path === undefined) continue
    const full = resolve(cwd, path)
    try {
      // What the run itself has made there in the meantime was paid for.
      const why = whyTaken(full, cwd, name)
      if (why !== undefined) throw new Error(why)
      replaceFile(full, text())
    } catch (cause) {
      areWritten = false
      unwritten(`--${name}`, path, cause, out)
    }
  }
  return areWritten
}

function sarifOf({ problems, report, version: of }: RunEnd) {
  return sarifLog(problems, of, aboutCode, report?.jobs)
}

function unwritten(name: string, path: string, cause: unknown, out: Out): void {
  const message = `${name} ${path} could not be written: ${unwrittenReason(cause)}`
  const hint = 'what was made stays made: run again, and only the report is written anew'
  out.talk(troubleText({ code: 'unsaved-report', message, hint }, out.paint))
}

/** Marks the lines that are to blame, and fills the step's page. */
function tellActions(end: RunEnd, { env }: Surroundings, out: Out): void {
  const marks = [annotations(end.problems), jobAnnotations(end.report?.jobs ?? [])].filter(Boolean)
  if (marks.length > 0) out.annotate(marks.join('\n'))
  const page = variable(env, 'GITHUB_STEP_SUMMARY')
  if (page === undefined) return
  if (!end.report && !end.error && !end.verdict && !hasErrors(end.problems)) return
  try {
    appendText(page, `${runSummary(end)}\n`)
  } catch (cause) {
    unwritten('GITHUB_STEP_SUMMARY', page, cause, out)
  }
}
