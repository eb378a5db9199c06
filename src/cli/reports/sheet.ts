import { relative, resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { secondsText } from '../../base/measure.ts'
import { readRegular } from '../../disk/open.ts'
import { replaceFile } from '../../disk/write.ts'
import { equipment } from '../../gateway/render/equipment.ts'
import { failsLooks } from '../../page/data/choose.ts'
import type { Shown } from '../../page/data/shown.ts'
import { type VerdictsBy, verdictOn } from '../../page/data/verdicts.ts'
import { resultsText } from '../../page/data/words.ts'
import { shownPage } from '../../page/shown-page.ts'
import { openDecoder } from '../../thumbnails/decoder.ts'
import type { SheetResult } from '../../thumbnails/sheet.ts'
import { hasMark } from '../../thumbnails/sheet-mark.ts'
import { openThumbnails } from '../../thumbnails/thumbnails.ts'
import type { Review } from '../../verbs/review.ts'
import { unwrittenReason } from '../../workspace/read/guarded.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { whyNoReport } from './file.ts'

/** Where a sheet can be put, or why it cannot; nothing is written. */
export function sheetTrouble(path: string, cwd: string): Trouble | undefined {
  const why = formatOf(path)
    ? (whyNoReport(path, cwd) ?? whyKept(resolve(cwd, path)))
    : 'a sheet is .png, .jpg or .jpeg'
  if (why === undefined) return undefined
  const message = `--sheet ${display(path)} cannot be written: ${why}`
  return { code: 'bad-report-path', message, hint: 'give it another path; nothing was drawn' }
}

/** Draws all that is made or went wrong. Gives the pages by their paths: `sheet.png`, `sheet-2.png`, … */
export async function writeSheets(
  path: string,
  review: Review,
  { cwd, env }: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<readonly string[] | Trouble> {
  const { pictures: missing } = await equipment(undefined)
  if (missing !== undefined) return undrawn(path, `pictures cannot be drawn: ${missing}`)
  const { contactSheets } = await import('../../thumbnails/sheet.ts')
  const results = resultsOf(review)
  const keys = new Set(results.flatMap(({ file }) => file?.key ?? []))
  const decoder = openDecoder(variable(env, 'PATH'))
  const sheets = contactSheets(results, {
    title: review.report.name,
    says: saysOf(review),
    format: formatOf(path) ?? 'png',
    thumbnails: openThumbnails(review.paths.thumbnails, key => keys.has(key), decoder),
    decoder,
  })
  const written: string[] = []
  for await (const sheet of sheets) {
    const page = resolve(cwd, pagePath(path, written.length))
    const trouble = savePage(page, sheet)
    if (trouble !== undefined) return undrawn(relative(cwd, page), trouble)
    written.push(page)
  }
  return written
}

function formatOf(path: string): 'png' | 'jpeg' | undefined {
  if (/\.png$/i.test(path)) return 'png'
  return /\.jpe?g$/i.test(path) ? 'jpeg' : undefined
}

function pagePath(path: string, nth: number): string {
  return nth === 0 ? path : path.replace(/\.\w+$/, ending => `-${nth + 1}${ending}`)
}

function undrawn(path: string, why: string): Trouble {
  return {
    code: 'unsaved-report',
    message: `${display(path)}: ${why}`,
    hint: 'name another file with --sheet',
  }
}

function savePage(path: string, sheet: Uint8Array): string | undefined {
  try {
    const why = whyKept(path)
    if (why === undefined) replaceFile(path, sheet)
    return why
  } catch (cause) {
    return unwrittenReason(cause)
  }
}

/** Why what is there keeps its place. */
function whyKept(path: string): string | undefined {
  try {
    return isOurs(path) ? undefined : 'it is there already, and genrun did not draw it'
  } catch (cause) {
    return unwrittenReason(cause)
  }
}

/** Nothing is there, or a sheet of an earlier time. */
function isOurs(path: string): boolean {
  try {
    return hasMark(readRegular(path, { mostBytes: largestSheet }))
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true
    throw cause
  }
}

/** Unpacked, a page takes 11 MB. */
const largestSheet = 64 * 1024 * 1024

function resultsOf(review: Review): SheetResult[] {
  const page = shownPage(review, { can: { judge: false }, who: '' })
  const verdicts = new Map(page.verdicts.map(each => [each.address, each]))
  return page.results.flatMap(result => resultOf(result, review, verdicts))
}

/** A result for each file. What is only not made yet is counted, and not shown. */
function resultOf(result: Shown, { report }: Review, verdicts: VerdictsBy): SheetResult[] {
  const { address, files, standing, altered } = result
  const name = display(address)
  const isWrong = standing === 'failed' || standing === 'doubt' || standing === 'held'
  if (files.length === 0 && altered) return [{ name, note: 'altered on disk', tone: 'bad' }]
  if (files.length === 0) return isWrong ? [{ name, note: wrongWords[standing], tone: 'bad' }] : []
  const verdict = verdictOn(result, verdicts)?.is
  // Whoever approved it has seen that.
  const isFailing = failsLooks(result.looks) && verdict !== 'approved'
  const isBad = verdict === 'rejected' || isWrong || isFailing
  const tone = isBad ? 'bad' : verdict || result.picked ? 'good' : 'plain'
  const failing = isFailing && 'fails its looks'
  const words = [isWrong && wrongWords[standing], failing, verdict, result.picked && 'picked', result.model]
  return files.map((file, nth) => ({
    name: files.length > 1 ? `${name} (${nth + 1})` : name,
    note: [file.seconds !== undefined && secondsText(file.seconds), ...words].filter(Boolean).join(' · '),
    tone,
    file: { output: report.output, path: file.path, type: file.type, key: file.key },
  }))
}

const wrongWords = { failed: 'failed', doubt: 'in doubt', held: 'held' } as const

function saysOf({ report, exhibits }: Review): string {
  const parts = [resultsText(exhibits), report.rehearsal && 'a rehearsal: placeholders, nothing was paid']
  return parts.filter(Boolean).join(' · ')
}
