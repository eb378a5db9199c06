import { resolve } from 'node:path'
import { problemRecord } from '../../base/diagnostic.ts'
import { type ExitCode, exit, gravestExit } from '../../base/exit.ts'
import type { RunResult } from '../../verbs/run.ts'
import { commandOn } from '../../wording/command.ts'
import type { Report } from '../../wording/report.ts'
import type { RunAsked } from '../flags/asked.ts'
import type { Out } from '../io/out.ts'
import type { Trouble } from '../service/service.ts'
import { networkErrorText, problemsText } from '../words/problems.ts'
import { closingLines } from './closing.ts'
import { madePaths, madeTable } from './made.ts'
import { troubleLines } from './trouble.ts'

/** What the telling of a result depends on besides the result. */
export interface ReportContext {
  readonly asked: Pick<RunAsked, 'json' | 'talk'> & Partial<Pick<RunAsked, 'output'>>
  readonly cwd: string
  /** stdout is a terminal: a person reads the files, not a script. */
  readonly isScreen: boolean
  /** stdout belongs to somebody else: the events. */
  readonly isTaken?: boolean
  /** The code of the signal that stopped the run. */
  readonly stopped: ExitCode | undefined
}

/** Says what became of a run, and returns the exit code. With `--json` one document goes to stdout, whatever became. */
export function tellResult(result: RunResult, telling: ReportContext, out: Out): ExitCode {
  switch (result.got) {
    case 'refused':
      if (telling.asked.json)
        out.json({ ok: false, exit: exit.refused, problems: result.problems.map(problemRecord) })
      out.talk(problemsText(result.problems, out.paint))
      // Somebody was asked, and stopped instead of answering.
      return telling.stopped ?? exit.refused
    case 'busy':
      return refuse({ code: 'busy', ...result }, exit.claimed, telling.asked, out)
    case 'damaged':
      return refuse({ code: 'damaged', ...result }, exit.damaged, telling.asked, out)
    case 'report':
      return tellReport(result, telling, out)
  }
}

/** Trouble before or instead of a run. */
export function refuse<Code extends ExitCode>(
  { code, message, hint }: Trouble,
  exit: Code,
  { json }: Pick<RunAsked, 'json'>,
  out: Out,
): Code {
  if (json) out.json({ ok: false, exit, error: { code, message, hint } })
  out.talk(networkErrorText({ code, message, hint }, out.paint))
  return exit
}

function tellReport(result: RunResult & { got: 'report' }, telling: ReportContext, out: Out): ExitCode {
  const { report, problems } = result
  const code = finalCode(report, telling.stopped)
  if (telling.asked.json)
    out.json({ ok: code === exit.ok, ...report, exit: code, problems: problems.map(problemRecord) })
  if (problems.length > 0) out.talk(`${problemsText(problems, out.paint)}\n`)
  if (!telling.asked.json && !telling.isTaken) tellFiles(report, telling, out)
  const lines = [
    ...troubleLines(report, out.paint),
    ...(telling.asked.talk === 'quiet' ? [] : closingLines(report, telling.cwd, out.paint)),
  ]
  if (lines.length > 0) out.talk(lines.join('\n'))
  return code
}

function tellFiles(report: Report, { isScreen, cwd, asked }: ReportContext, out: Out): void {
  const isTable = isScreen && asked.talk !== 'quiet'
  const lines = isTable
    ? madeTable(report, { cwd, gallery: galleryCommand(report, cwd, asked.output) }, out.resultPaint)
    : madePaths(report, cwd)
  if (lines.length > 0) out.result(lines.join('\n'))
}

function galleryCommand({ manifest, rehearsal }: Report, cwd: string, output: string | undefined): string {
  const folder = output !== undefined && { output: resolve(cwd, output) }
  return commandOn({ manifest, cwd, rehearsal, ...folder }, 'report')
}

/** A stop that came when everything was done already changes nothing. */
function finalCode(report: Report, stopped: ExitCode | undefined): ExitCode {
  if (stopped === undefined || report.exit === exit.ok) return report.exit
  return gravestExit([report.exit, stopped])
}
