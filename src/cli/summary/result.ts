import { resolve } from 'node:path'
import { problemRecord } from '../../base/diagnostic.ts'
import { type ExitCode, exit, gravestExit } from '../../base/exit.ts'
import type { RunResult } from '../../verbs/run.ts'
import { commandOn } from '../../wording/command.ts'
import type { Report } from '../../wording/report.ts'
import type { Given } from '../flags/given.ts'
import { type TalkArgs, talkOf } from '../flags/talk.ts'
import type { Out } from '../io/out.ts'
import type { Trouble } from '../service/service.ts'
import { problemsText, troubleText } from '../words/problems.ts'
import { closingLines } from './closing.ts'
import { madePaths, madeTable } from './made.ts'
import { troubleLines } from './trouble.ts'

/** What the context of a result depends on besides the result. */
export interface ReportContext {
  readonly args: Given<'json'> & TalkArgs & Partial<Given<'output'>>
  readonly cwd: string
  /** stdout is a terminal: a person reads the files, not a script. */
  readonly isScreen: boolean
  /** stdout belongs to somebody else: the events. */
  readonly isTaken?: boolean
  /** The code of the signal that stopped the run. */
  readonly stopped: ExitCode | undefined
}

/** Says what became of a run, and returns the exit code. With `--json` one document goes to stdout, whatever became. */
export function tellResult(result: RunResult, context: ReportContext, out: Out): ExitCode {
  switch (result.got) {
    case 'refused':
      if (context.args.json)
        out.json({ ok: false, exit: exit.refused, problems: result.problems.map(problemRecord) })
      out.talk(problemsText(result.problems, out.paint))
      // Somebody was args, and stopped instead of answering.
      return context.stopped ?? exit.refused
    case 'busy':
      return refuse({ code: 'busy', ...result }, context.stopped ?? exit.claimed, context.args, out)
    case 'damaged':
      return refuse({ code: 'damaged', ...result }, exit.damaged, context.args, out)
    case 'report':
      return tellReport(result, context, out)
  }
}

/** Trouble before or instead of a run. */
export function refuse<Code extends ExitCode>(
  { code, message, hint }: Trouble,
  exit: Code,
  { json }: Given<'json'>,
  out: Out,
): Code {
  if (json) out.json({ ok: false, exit, error: { code, message, hint } })
  out.talk(troubleText({ code, message, hint }, out.paint))
  return exit
}

function tellReport(result: RunResult & { got: 'report' }, context: ReportContext, out: Out): ExitCode {
  const { report, problems } = result
  const code = finalCode(report, context.stopped)
  if (context.args.json)
    out.json({ ok: code === exit.ok, ...report, exit: code, problems: problems.map(problemRecord) })
  if (problems.length > 0) out.talk(`${problemsText(problems, out.paint)}\n`)
  if (!context.args.json && !context.isTaken) tellFiles(report, context, out)
  const lines = [
    ...troubleLines(report, context.cwd, out.paint),
    ...(talkOf(context.args) === 'quiet' ? [] : closingLines(report, context.cwd, out.paint)),
  ]
  if (lines.length > 0) out.talk(lines.join('\n'))
  return code
}

function tellFiles(report: Report, { isScreen, cwd, args }: ReportContext, out: Out): void {
  const isTable = isScreen && talkOf(args) !== 'quiet'
  const lines = isTable
    ? madeTable(report, { cwd, gallery: galleryCommand(report, cwd, args.output) }, out.resultPaint)
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
