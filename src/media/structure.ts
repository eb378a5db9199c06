import { checkAvif, checkMovie } from './boxes.ts'
import { type Bytes, bytesInMemory, withFile } from './bytes.ts'
import { checkFlac } from './flac.ts'
import { checkGif } from './gif.ts'
import { checkJpeg } from './jpeg.ts'
import { checkAac, checkMp3 } from './mp3.ts'
import { checkOgg } from './ogg.ts'
import { checkPng } from './png.ts'
import { checkWav, checkWebp } from './riff.ts'
import { type MediaType, type mediaTypes, sniff, sniffedBytes } from './sniff.ts'
import type { Check } from './verdict.ts'
import { checkWebm } from './webm.ts'

/**
 * Reads a file (a path, or bytes at hand) to its end and says what is wrong with it: cut short, longer than its own
 * structure, or not of that type at all; undefined when it is sound. Formats that have no end (MP3, AAC, live
 * recordings) must end with a whole frame. Memory stays bounded. Rejects only when the file cannot be read.
 */
export function checkStructure(file: string | Uint8Array, type: MediaType): Promise<string | undefined> {
  return typeof file === 'string'
    ? withFile(file, bytes => check(bytes, type))
    : check(bytesInMemory(file), type)
}

async function check(bytes: Bytes, type: MediaType): Promise<string | undefined> {
  if (bytes.size === 0) return 'it is empty'
  const seen = sniff(await bytes.read(0, sniffedBytes))
  if (!begins(seen, type)) return `it does not begin as ${type.type} does`
  return checkOf(type.type)(bytes)
}

/** An MP4 that turned out to hold only sound is called an M4A; its first bytes still say MP4. */
function begins(seen: MediaType | undefined, type: MediaType): boolean {
  return seen?.type === type.type || (seen?.type === 'video/mp4' && type.type === 'audio/mp4')
}

const checks: { readonly [Name in (typeof mediaTypes)[keyof typeof mediaTypes]['type']]: Check } = {
  'image/png': checkPng,
  'image/jpeg': checkJpeg,
  'image/webp': checkWebp,
  'image/gif': checkGif,
  'image/avif': checkAvif,
  'video/mp4': checkMovie,
  'video/quicktime': checkMovie,
  'video/webm': checkWebm,
  'audio/wav': checkWav,
  'audio/mpeg': checkMp3,
  'audio/ogg': checkOgg,
  'audio/flac': checkFlac,
  'audio/aac': checkAac,
  'audio/mp4': checkMovie,
}

function checkOf(type: string): Check {
  // Every type that `sniff` names has its check, by the type of the table.
  return checks[type as keyof typeof checks]
}
