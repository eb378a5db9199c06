import { join, relative, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { cleaned } from '../../base/redact.ts'
import { readRegular } from '../../disk/open.ts'
import { replaceFile } from '../../disk/write.ts'
import { galleryMark, galleryPage } from '../../reports/gallery.ts'
import { type Gallery, galleryOf } from '../../verbs/gallery.ts'
import { reviewOf } from '../../verbs/review.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { reasonOf, whyUnwritable } from '../reports/file.ts'
import { isAnyAsked } from '../reports/open.ts'
import { openReports } from '../reports/reports.ts'
import { sheetTrouble, writeSheets } from '../reports/sheet.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'

type ReportArgs = ManifestArgs & Given<'json' | 'junitFile' | 'sarifFile' | 'summaryFile' | 'sheetFile'>

/** `genrun report`: the gallery, and the reports of a run for how the jobs stand. Ends well however they stand. */
export async function report(args: ReportArgs, around: Surroundings, out: Out): Promise<number> {
  const { sheetFile } = args
  const refused = sheetFile === undefined ? undefined : sheetTrouble(sheetFile, around.cwd)
  if (refused) return refuse(refused, exit.refused, args, out)
  const request = aboutMade(args, around, out)
  const result = sheetFile === undefined ? galleryOf(request) : reviewOf(request)
  if (result.got !== 'gallery' && result.got !== 'review') return tellAgainst(result, args, out)
  const seen = cleaned(result, out.redact)
  const gallery: Gallery = seen
  const page = join(seen.report.output, 'report.html')
  const others = isAnyAsked(args) ? openReports(args, around, out) : undefined
  if (others && 'code' in others) return refuse(others, exit.refused, args, out)
  const trouble = savePage(page, gallery)
  if (trouble) {
    const hint = 'move it away, or name another output folder with --output'
    return refuse({ code: 'unsaved-report', message: `${page}: ${trouble}`, hint }, exit.damaged, args, out)
  }
  const sheets = seen.got === 'review' && sheetFile ? await writeSheets(sheetFile, seen, around) : undefined
  if (sheets && 'code' in sheets) return refuse(sheets, exit.damaged, args, out)
  const code = others?.end({ exit: exit.ok, problems: [], report: seen.report }) ?? exit.ok
  const { report: stands, exhibits: jobs } = seen
  if (args.json)
    out.json({ ok: code === exit.ok, ...stands, exit: code, page, ...(sheets && { sheets }), jobs })
  else for (const path of [page, ...(sheets ?? [])]) out.result(display(relative(around.cwd, resolve(path))))
  out.talk(madeText(gallery))
  return code
}

function savePage(path: string, gallery: Gallery): string | undefined {
  const why = whyUnwritable(path)
  if (why) return why
  try {
    if (!isOurs(path)) return 'it is there already, and genrun did not write it'
    replaceFile(path, galleryPage(gallery))
    return undefined
  } catch (cause) {
    return reasonOf(cause)
  }
}

/** Nothing is there, or a page of an earlier time. */
function isOurs(path: string): boolean {
  try {
    return Buffer.from(readRegular(path, { mostBytes: longestPage })).includes(galleryMark)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true
    throw cause
  }
}

/** A page of a million files; what is larger is nobody's page. */
const longestPage = 1024 * 1024 * 1024

function madeText({ exhibits }: Gallery): string {
  const files = exhibits.reduce((sum, each) => sum + each.files.length, 0)
  const text = `${counted(exhibits.length, 'job')}, ${counted(files, 'file')}`
  return files > 0 ? text : `${text}: nothing is made yet`
}
