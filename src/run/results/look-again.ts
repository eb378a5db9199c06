import type { DonePurchase } from '../../base/purchase.ts'
import type { Looked, SavedFile } from '../../base/state.ts'
import { programAt } from '../../disk/program.ts'
import { lackedReader, lacksProgram } from '../../looks/lacking.ts'
import { lookAtFile } from '../../looks/look-at.ts'
import { lookNames, meaningOf } from '../../looks/names.ts'
import { lookForWords, whyNoWords } from '../../looks/words.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'
import { builtInLooks, type LookMeanings, lookedAs, openSiblings, wordsOf } from './looking.ts'

/** A file of a result that a job has. */
export interface JobFile {
  readonly made: DonePurchase
  readonly job: Job
  readonly file: SavedFile
  readonly nth: number
}

/**
 * What is seen of files that could not be looked at when they came, as a program or a package was not there that is here by now.
 * `placeOf`: where the very bytes of a file lie. Never rejects.
 */
export async function lookAgain(
  files: readonly JobFile[],
  placeOf: (file: SavedFile) => string | undefined,
  { request }: Pick<Setting, 'request'>,
  { purchases }: Pick<Recorded, 'purchases'>,
): Promise<ReadonlyMap<SavedFile, Looked>> {
  const news = new Map<SavedFile, Looked>()
  const siblings = openSiblings(() => purchases)
  const { stop } = request
  // Asked for once somebody needs them.
  let ffmpeg: { readonly path: string | undefined } | undefined
  let isReaderHere: boolean | undefined
  for (const { made, job, file, nth } of files) {
    const { looked } = file
    if (!looked) continue
    const means: LookMeanings = look => meaningOf(look, job.gate, request.gate)
    const isDeaf = lacksProgram(looked)
    if (isDeaf) ffmpeg ??= { path: programAt('ffmpeg', process.env.PATH) }
    const isAsked = lookNames.some(look => look !== 'words' && look !== 'asked' && means(look) !== 'off')
    const isToSee = isDeaf && isAsked && ffmpeg?.path !== undefined
    const wordless = lackedReader(looked)
    if (wordless) isReaderHere ??= whyNoWords() === undefined
    const isToRead = wordless !== undefined && isReaderHere === true && means('words') !== 'off'
    const part = isToSee || isToRead ? placeOf(file) : undefined
    if (part === undefined || stop.aborted) continue
    const came = { job, place: { purchase: made.id, nth }, part, file, stop }
    const look = (path: string) => lookAtFile(path, { ffmpeg: ffmpeg?.path, stop })
    const others = (looked.found ?? []).filter(found => !isToRead || found !== wordless)
    const read = isToRead ? await wordsOf(came, { words: lookForWords }, means) : undefined
    const found = [...others, ...(read ? [read] : [])]
    const seen = isToSee
      ? await builtInLooks(came, { look, siblings }, means, found)
      : lookedAs(found, looked)
    if (!stop.aborted) news.set(file, seen)
  }
  return news
}
