import { join } from 'node:path'
import { readRegular } from '../../disk/open.ts'
import { replaceFile } from '../../disk/write.ts'
import { equipment } from '../../gateway/render/equipment.ts'
import type { Shown, ShownFile, ShownPage } from '../../page/data/shown.ts'
import { pageDocument, pageMark } from '../../page/document.ts'
import { shownPage } from '../../page/shown-page.ts'
import { type Decoder, openDecoder } from '../../thumbnails/decoder.ts'
import type { ServedFile } from '../../thumbnails/served.ts'
import { openThumbnails, type Thumbnails } from '../../thumbnails/thumbnails.ts'
import type { Review } from '../../verbs/review.ts'
import { unwrittenReason } from '../../workspace/read/guarded.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { whyUnwritable } from './file.ts'

/** Where a page goes, and what of the results it shows. */
interface PageWish {
  readonly path: string
  /** Everything is in the one file, as far as it fits; else it shows the files from beside itself. */
  readonly isSingle: boolean
  /** By their addresses; all when absent. */
  readonly only?: ReadonlySet<string> | undefined
}

/** Writes the page of results as it can be sent to others. Gives what keeps it from being written, in words. */
export async function writePage(
  review: Review,
  wish: PageWish,
  { env }: Pick<Surroundings, 'env'>,
): Promise<string | undefined> {
  const { path, only } = wish
  const why = whyUnwritable(path) ?? whyNoPage(path)
  if (why) return why
  try {
    const page = shownPage(review, { can: { judge: true, sends: true, notBuy }, who: '' })
    const results = page.results.filter(({ address }) => only?.has(address) ?? true)
    const means = await openMeans(review, page, variable(env, 'PATH'))
    const { name } = review.report
    const shown = {
      ...page,
      results: await withFiles(results, wish.isSingle ? insideOf(means) : besideOf(means)),
    }
    replaceFile(path, pageDocument(name, shown))
    return undefined
  } catch (cause) {
    return unwrittenReason(cause)
  }
}

const notBuy = 'nothing can be ordered from a report'

/** Why what is there keeps its place. */
export function whyNoPage(path: string): string | undefined {
  try {
    return isOurs(path) ? undefined : 'it is there already, and genrun did not write it'
  } catch (cause) {
    return unwrittenReason(cause)
  }
}

/** Nothing is there, or a page of an earlier time. */
function isOurs(path: string): boolean {
  try {
    return Buffer.from(readRegular(path, { mostBytes: longestPage })).includes(pageMark)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true
    throw cause
  }
}

/** A page of a million files; what is larger is nobody's page. */
const longestPage = 1024 * 1024 * 1024

interface Means {
  /** Absent where this machine draws no pictures. */
  readonly thumbnails: Thumbnails | undefined
  readonly served: (file: ShownFile) => ServedFile
}

async function openMeans(
  { report: { output }, paths }: Review,
  { results }: ShownPage,
  path: string | undefined,
): Promise<Means> {
  const decoder: Decoder = openDecoder(path)
  const { pictures: missing } = await equipment(undefined)
  const keys = new Set(results.flatMap(({ files }) => files.map(({ key }) => key)))
  return {
    thumbnails:
      missing === undefined ? openThumbnails(paths.thumbnails, key => keys.has(key), decoder) : undefined,
    served: file => ({ output, path: file.path, type: file.type }),
  }
}

type Filled = (file: ShownFile, among: number) => Promise<ShownFile>

/** A few at a time: drawing has threads of its own. */
async function withFiles(results: readonly Shown[], filled: Filled): Promise<Shown[]> {
  const done: Shown[] = []
  for (let at = 0; at < results.length; at += 8) {
    const some = results.slice(at, at + 8).map(async result => ({
      ...result,
      files: await Promise.all(result.files.map(file => filled(file, result.files.length))),
    }))
    done.push(...(await Promise.all(some)))
  }
  return done
}

/** So much of small pictures stands in a page; behind that the browser makes them of the files beside it. */
const mostSmall = 12 * 1024 * 1024

function besideOf({ thumbnails, served }: Means): Filled {
  let left = mostSmall
  return async file => {
    const url = `./${file.path.split('/').map(encodeURIComponent).join('/')}`
    const small = left > 0 ? await thumbnails?.of(file.key, served(file)) : undefined
    left -= small?.length ?? 0
    const peaks = await thumbnails?.peaks(file.key, served(file))
    return {
      ...file,
      url,
      ...(small && { thumb: dataUrl('image/webp', small) }),
      ...(peaks && { peaks }),
    }
  }
}

/** Of one result: with eight of them and the page itself that is less than two megabytes. */
const mostInside = 168_000

/** Whole where it is small enough; else a picture of it. */
function insideOf({ thumbnails, served }: Means): Filled {
  return async (file, among) => {
    const most = mostInside / among
    const whole = file.bytes <= most ? await thumbnails?.whole(file.key, served(file)) : undefined
    const peaks = await thumbnails?.peaks(file.key, served(file))
    if (whole) return { ...file, url: dataUrl(file.type, whole), ...(peaks && { peaks }) }
    const picture = await thumbnails?.within(file.key, served(file), most)
    return {
      ...file,
      ...(picture && { url: dataUrl('image/webp', picture) }),
      ...(peaks && { peaks }),
      ...(!(picture && file.type.startsWith('image/')) && { isStill: true as const }),
    }
  }
}

function dataUrl(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** Beside the results. */
export function pagePath({ report: { output } }: Review): string {
  return join(output, 'report.html')
}
