import { relative, resolve } from 'node:path'
import { defined } from '../../base/defined.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { cleaned } from '../../base/redact.ts'
import { resultsText } from '../../page/data/words.ts'
import { chosenOf, type Review, readThrough, reviewOf, shortlistOf } from '../../verbs/review.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { whyNoReport } from '../reports/file.ts'
import { isAnyAsked } from '../reports/open.ts'
import { pagePath, whyNoPage, writePage } from '../reports/page.ts'
import { openReports } from '../reports/reports.ts'
import { sheetTrouble, writeSheets } from '../reports/sheet.ts'
import type { Trouble } from '../service/service.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'

type ReportArgs = ManifestArgs &
  Given<'json' | 'junitFile' | 'sarifFile' | 'summaryFile' | 'sheetFile' | 'singleFile' | 'approved'> & {
    readonly jobs: readonly string[]
  }

/** `genrun report`: the page of results, and the reports of a run for how the jobs stand. Ends well however they stand. */
export async function report(args: ReportArgs, around: Surroundings, out: Out): Promise<number> {
  const { sheetFile, singleFile, jobs: words, approved } = args
  const refused =
    (sheetFile === undefined ? undefined : sheetTrouble(sheetFile, around.cwd)) ??
    (singleFile === undefined ? undefined : singleTrouble(singleFile, around.cwd))
  if (refused) return refuse(refused, exit.refused, args, out)
  // Small pictures of the others stay: what is shown is chosen afterwards.
  const request = aboutMade({ ...args, jobs: [] }, around, out)
  const result = reviewOf(request)
  if (result.got !== 'review') return tellAgainst(result, args, out)
  const stand = cleaned(result, out.redact)
  const only = shortlistOf(stand, { words, isApproved: approved })
  if (only.got === 'refused') return tellAgainst(only, args, out)
  const seen = await readThrough(stand, only.addresses)
  const others = isAnyAsked(args) ? openReports(args, around, out) : undefined
  if (others && 'code' in others) return refuse(others, exit.refused, args, out)
  const page = pagePath(seen)
  const single = singleFile === undefined ? undefined : resolve(around.cwd, singleFile)
  const pages: string[] = []
  for (const path of single === undefined ? [page] : [page, single]) {
    const wish = { path, isSingle: path === single, only: only.addresses }
    const trouble = await writePage(seen, wish, around)
    const message = `${path}: ${trouble}`
    const hint = path === single ? 'name another file with --single-file' : elsewhere
    if (trouble === undefined) pages.push(path)
    // What goes to a place of its own is written from a project that may only be read, too.
    else if (path === page && (single ?? sheetFile) !== undefined)
      out.talk(display(`note: not written beside the results: ${message}`, 500))
    else return refuse({ code: 'unsaved-report', message, hint }, exit.damaged, args, out)
  }
  const chosen = chosenOf(seen, only.addresses)
  const sheets = sheetFile ? await writeSheets(sheetFile, chosen, around) : undefined
  if (sheets && 'code' in sheets) return refuse(sheets, exit.damaged, args, out)
  const code = others?.end({ exit: exit.ok, problems: [], report: chosen.report }) ?? exit.ok
  const { report: stands, exhibits: jobs } = chosen
  if (args.json)
    out.json({
      ok: code === exit.ok,
      ...stands,
      exit: code,
      ...(pages.includes(page) && { page }),
      ...defined({ single, sheets }),
      jobs,
    })
  else
    for (const path of [...pages, ...(sheets ?? [])]) out.result(display(relative(around.cwd, resolve(path))))
  out.talk(countText(jobs, stand, args))
  for (const { unread = [] } of jobs) for (const text of unread) out.talk(display(text, 500))
  return code
}

/** How many results there are, or that none of those that are made is approved. */
function countText(
  shown: Review['exhibits'],
  stand: Review,
  { jobs: words, approved }: Pick<ReportArgs, 'jobs' | 'approved'>,
): string {
  const among = approved && shown.length === 0 && shortlistOf(stand, { words, isApproved: false })
  if (!among || among.got === 'refused') return resultsText(shown)
  const made = chosenOf(stand, among.addresses).exhibits.filter(({ files }) => files.length > 0)
  if (made.length === 0) return resultsText(shown)
  return made.length === 1
    ? 'the one result is not approved'
    : `none of the ${made.length} results is approved`
}

const elsewhere = 'move it away, or name another output folder with --output'

function singleTrouble(path: string, cwd: string): Trouble | undefined {
  const why = /\.html?$/i.test(path)
    ? (whyNoReport(path, cwd) ?? whyNoPage(resolve(cwd, path)))
    : 'a page is .html'
  if (why === undefined) return undefined
  const message = `--single-file ${display(path)} cannot be written: ${why}`
  return { code: 'bad-report-path', message, hint: 'give it another path; nothing was written' }
}
