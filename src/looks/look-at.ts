import { readMedia, smallMedia } from '../disk/media.ts'
import { pieceBytes, withFile } from '../media/bytes.ts'
import { type Media, probe } from '../media/probe.ts'
import { mediaTypes } from '../media/sniff.ts'
import { decodeTracks } from './decode.ts'
import type { MediaFacts } from './facts.ts'
import { dctHash, hashSide } from './hash.ts'
import { noProgram } from './lacking.ts'
import { grayOf, type Raster, surfaceOf } from './surface.ts'
import { newWavMeter } from './wav.ts'

/** What a file is looked at with. */
interface LookTools {
  /** The absolute path of ffmpeg, where this machine has it. */
  readonly ffmpeg?: string | undefined
  readonly stop?: AbortSignal | undefined
}

export type LookResult =
  | { readonly got: 'facts'; readonly facts: MediaFacts }
  /** It was not looked at, which says nothing of the file. */
  | { readonly got: 'nothing'; readonly why: string }

/** Measures one file. Never rejects: what cannot be looked at is told. */
export async function lookAtFile(path: string, tools: LookTools): Promise<LookResult> {
  try {
    // Opened once: for a picture of usual size the system takes as long to open it again as to unpack it.
    const file = await smallMedia(path, usualBytes)
    const probed = await probe(file)
    if (probed.got === 'broken') return nothing(probed.why)
    const { media } = probed
    if (media.kind === 'image') return await lookAtPicture(file, media)
    if (media.type === mediaTypes.wav.type) return await lookAtWav(path)
    return await lookAtTracks(path, media, tools)
  } catch (error) {
    return nothing(error instanceof Error ? error.message : String(error))
  }
}

/** Most pictures are smaller. */
const usualBytes = 4 * 1024 * 1024
/** No picture of a model is larger, and each is held in memory whole. */
const mostBytes = 64 * 1024 * 1024
/** Twice that of the hash, so that a thin bar is several lines. */
const pictureSide = hashSide * 2

async function lookAtPicture(
  file: string | Uint8Array,
  { width = 0, height = 0 }: Media,
): Promise<LookResult> {
  const bytes = typeof file === 'string' ? await readMedia(file) : file
  if (bytes.length > mostBytes) return nothing('it is too large to be looked at')
  // Native code is loaded with the first picture.
  const { squarePixels } = await import('../media/picture-pixels.ts')
  const values = await squarePixels(bytes, pictureSide)
  if (!values) return nothing(`its ${width}x${height} pixels cannot be unpacked here`)
  const raster: Raster = { width: pictureSide, height: pictureSide, channels: 4, values }
  const gray = grayOf(raster)
  return { got: 'facts', facts: { of: 'picture', ...surfaceOf(raster, gray), hash: dctHash(halved(gray)) } }
}

function halved(gray: Float32Array): Float32Array {
  const at = (x: number, y: number) => gray[y * pictureSide + x] ?? 0
  const small = new Float32Array(hashSide * hashSide)
  for (let y = 0, to = 0; y < pictureSide; y += 2)
    for (let x = 0; x < pictureSide; x += 2, to++)
      small[to] = (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4
  return small
}

/** A WAV needs no program. */
async function lookAtWav(path: string): Promise<LookResult> {
  const wav = newWavMeter()
  await withFile(path, async bytes => {
    for (let at = 0; at < bytes.size; at += pieceBytes) wav.add((await bytes.read(at, pieceBytes)).slice())
  })
  const figures = wav.meter()?.figures()
  return figures
    ? { got: 'facts', facts: { of: 'sound', ...figures } }
    : nothing('its samples are of no known kind')
}

async function lookAtTracks(path: string, media: Media, { ffmpeg, stop }: LookTools): Promise<LookResult> {
  if (ffmpeg === undefined) return nothing(`${media.type} ${noProgram}`)
  const has = { pictures: media.kind === 'video', sound: media.kind === 'audio' || media.sound === true }
  const decoded = await decodeTracks({ path, type: media.type, has, ffmpeg, stop })
  if (decoded.got === 'nothing') return decoded
  const { clip, sound } = decoded
  if (clip) return { got: 'facts', facts: { of: 'clip', ...clip, ...(sound && { sound }) } }
  return sound ? { got: 'facts', facts: { of: 'sound', ...sound } } : nothing('it has no tracks')
}

function nothing(why: string): LookResult {
  return { got: 'nothing', why }
}
