import { join, relative, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { cleaned } from '../../base/redact.ts'
import { readRegular } from '../../disk/open.ts'
import { replaceFile } from '../../disk/write.ts'
import { galleryMark, galleryPage } from '../../reports/gallery.ts'
import { type Gallery, galleryOf } from '../../verbs/gallery.ts'
import type { Given } from '../flags/given.ts'
import { aboutMade } from '../flags/only-rehearsed.ts'
import type { ManifestArgs } from '../flags/plan-options.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { reasonOf, whyUnwritable } from '../reports/file.ts'
import { isAnyAsked } from '../reports/open.ts'
import { openReports } from '../reports/reports.ts'
import { tellAgainst } from '../summary/against.ts'
import { refuse } from '../summary/result.ts'

type ReportArgs = ManifestArgs & Given<'json' | 'junitFile' | 'sarifFile' | 'summaryFile'>

/** `genrun report`: the gallery, and the reports of a run for how the jobs stand. Ends well however they stand. */
export function report(args: ReportArgs, around: Surroundings, out: Out): number {
  const result = galleryOf(aboutMade(args, around, out))
  if (result.got !== 'gallery') return tellAgainst(result, args, out)
  const { got: _, ...seen } = result
  const gallery = cleaned<Gallery>(seen, out.redact)
  const page = join(seen.report.output, 'report.html')
  const others = isAnyAsked(args) ? openReports(args, around, out) : undefined
  if (others && 'code' in others) return refuse(others, exit.refused, args, out)
  const trouble = savePage(page, gallery)
  if (trouble) {
    const hint = 'move it away, or name another output folder with --output'
    return refuse({ code: 'unsaved-report', message: `${page}: ${trouble}`, hint }, exit.damaged, args, out)
  }
  const code = others?.end({ exit: exit.ok, problems: [], report: seen.report }) ?? exit.ok
  const shown = display(relative(around.cwd, resolve(page)))
  if (args.json) out.json({ ok: code === exit.ok, ...seen.report, exit: code, page, jobs: seen.exhibits })
  else out.result(shown)
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
