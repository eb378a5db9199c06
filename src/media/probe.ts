import type { Input, InputFormat } from 'mediabunny'
import { bytesInMemory, withFile } from './bytes.ts'
import { pictureHeadBytes, pictureSize } from './picture-size.ts'
import { type MediaType, mediaTypes, sniff, sniffedBytes } from './sniff.ts'
import { checkStructure } from './structure.ts'

/** What is inside a media file. */
export interface Media extends MediaType {
  /** Pixels, as shown: a clip's rotation is applied. */
  readonly width?: number
  readonly height?: number
  readonly seconds?: number
  /** For video: whether it has a sound track. */
  readonly sound?: boolean
}

type Probed =
  | { readonly got: 'media'; readonly media: Media }
  | { readonly got: 'broken'; readonly why: string }

/**
 * Measures a file (a path, or bytes at hand): pixels, seconds, sound. A picture without pixels, a container without
 * tracks, one that lasts no time, and everything that is not media is `broken`. It does not read to the end:
 * `checkStructure` does. Rejects only when the file cannot be read.
 */
export async function probe(file: string | Uint8Array): Promise<Probed> {
  const head = await readHead(file)
  const type = sniff(head)
  if (!type) return broken('it is not a media file')
  return type.kind === 'image' ? measureImage(head, type) : measureTracks(file, type)
}

function readHead(file: string | Uint8Array): Promise<Uint8Array> {
  const read = async (bytes: ReturnType<typeof bytesInMemory>) => {
    const isImage = sniff(await bytes.read(0, sniffedBytes))?.kind === 'image'
    return (await bytes.read(0, isImage ? pictureHeadBytes : sniffedBytes)).slice()
  }
  return typeof file === 'string' ? withFile(file, read) : read(bytesInMemory(file))
}

function measureImage(head: Uint8Array, type: MediaType): Probed {
  const size = pictureSize(head)
  return size ? { got: 'media', media: { ...type, ...size } } : broken('its pixels cannot be told')
}

async function measureTracks(file: string | Uint8Array, type: MediaType): Promise<Probed> {
  // In a FLAC without frames the library would look for the first one for ever.
  const wrong = type.type === mediaTypes.flac.type ? await checkStructure(file, type) : undefined
  if (wrong !== undefined) return broken(wrong)
  // Heavy, and not needed for a batch of pictures.
  const bunny = await import('mediabunny')
  const source = typeof file === 'string' ? new bunny.FilePathSource(file) : new bunny.BufferSource(file)
  // Only what the bytes say it is. Its playlist formats, which make it open other files, are left out.
  const input = new bunny.Input({ source, formats: [formatOf(bunny, type)] })
  try {
    const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
    if (!video && !audio) return broken('it has no tracks')
    const seconds = await measureSeconds(input)
    if (!(seconds > 0) || !Number.isFinite(seconds)) return broken('it lasts no time')
    if (!video) return { got: 'media', media: { ...asAudio(type), seconds } }
    const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()]
    if (!(width > 0 && height > 0)) return broken('it has no pixels')
    return { got: 'media', media: { ...type, width, height, seconds, sound: audio !== null } }
  } catch (error) {
    return broken(`its tracks cannot be read: ${words(error)}`)
  } finally {
    input.dispose()
  }
}

/**
 * By the packets that are there. Some containers do not say how long the last one lasts: for that one, and no more, what
 * the head announces is believed.
 */
async function measureSeconds(input: Input): Promise<number> {
  const there = await input.computeDuration()
  const announced = (await input.getDurationFromMetadata()) ?? 0
  return announced > there && announced - there < longestPacket ? announced : there
}

const longestPacket = 0.2

function formatOf(bunny: typeof import('mediabunny'), type: MediaType): InputFormat {
  switch (type.type) {
    case 'video/quicktime':
      return bunny.QTFF
    case 'video/webm':
      return bunny.WEBM
    case 'audio/wav':
      return bunny.WAVE
    case 'audio/mpeg':
      return bunny.MP3
    case 'audio/ogg':
      return bunny.OGG
    case 'audio/flac':
      return bunny.FLAC
    case 'audio/aac':
      return bunny.ADTS
    default:
      return bunny.MP4
  }
}

/** An MP4 that holds sound only is an M4A by another brand. Other containers of sound alone keep their type. */
function asAudio(type: MediaType): MediaType {
  if (type.kind === 'audio') return type
  return type.type === mediaTypes.mp4.type ? mediaTypes.m4a : { ...type, kind: 'audio' }
}

function broken(why: string): Probed {
  return { got: 'broken', why }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
