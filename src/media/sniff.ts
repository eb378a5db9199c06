import { adtsFrameBytes, mp3FrameBytes, tagBytes } from './frames.ts'
import { latin, spells } from './letters.ts'

/** What a file is by its bytes. `extension` has no dot. */
export interface MediaType {
  readonly kind: 'image' | 'video' | 'audio'
  /** Media type (RFC 6838): `image/png`. */
  readonly type: string
  readonly extension: string
}

/** Every kind of file that genrun takes or leaves, and nothing else. */
export const mediaTypes = {
  png: { kind: 'image', type: 'image/png', extension: 'png' },
  jpeg: { kind: 'image', type: 'image/jpeg', extension: 'jpg' },
  webp: { kind: 'image', type: 'image/webp', extension: 'webp' },
  gif: { kind: 'image', type: 'image/gif', extension: 'gif' },
  avif: { kind: 'image', type: 'image/avif', extension: 'avif' },
  mp4: { kind: 'video', type: 'video/mp4', extension: 'mp4' },
  mov: { kind: 'video', type: 'video/quicktime', extension: 'mov' },
  webm: { kind: 'video', type: 'video/webm', extension: 'webm' },
  wav: { kind: 'audio', type: 'audio/wav', extension: 'wav' },
  mp3: { kind: 'audio', type: 'audio/mpeg', extension: 'mp3' },
  ogg: { kind: 'audio', type: 'audio/ogg', extension: 'ogg' },
  flac: { kind: 'audio', type: 'audio/flac', extension: 'flac' },
  aac: { kind: 'audio', type: 'audio/aac', extension: 'aac' },
  m4a: { kind: 'audio', type: 'audio/mp4', extension: 'm4a' },
} as const satisfies { readonly [name: string]: MediaType }

/** Whether a file of this type (`image/png`) is one of them: no other is ever sent. */
export function isSendable(type: string): boolean {
  return Object.values<MediaType>(mediaTypes).some(each => each.type === type)
}

/** How many bytes from a file's beginning are enough for `sniff`; fewer do when the file has no more. */
export const sniffedBytes = 4096

/**
 * The kind of media a file is by its first bytes; undefined for everything that is not one of `mediaTypes`: pages,
 * SVG, archives, programs, JSON and other text, and containers of something else. It looks at the beginning only:
 * `checkStructure` says whether the rest is there. An MP4 without pictures is told apart by `probe`.
 */
export function sniff(head: Uint8Array): MediaType | undefined {
  if (has(head, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return mediaTypes.png
  if (has(head, 0, [0xff, 0xd8, 0xff])) return mediaTypes.jpeg
  if (spells(head, 0, 'GIF87a') || spells(head, 0, 'GIF89a')) return mediaTypes.gif
  if (spells(head, 0, 'RIFF')) return sniffRiff(head)
  if (spells(head, 4, 'ftyp')) return sniffBrands(head)
  if (has(head, 0, [0x1a, 0x45, 0xdf, 0xa3])) return sniffMatroska(head)
  if (spells(head, 0, 'OggS')) return sniffOgg(head)
  if (spells(head, 0, 'fLaC')) return mediaTypes.flac
  return sniffFrames(head)
}

function sniffRiff(head: Uint8Array): MediaType | undefined {
  if (spells(head, 8, 'WAVE')) return mediaTypes.wav
  if (spells(head, 8, 'WEBP')) return mediaTypes.webp
  return undefined
}

/** ISO 14496-12, 4.3: a major brand, a version, then the brands the file is compatible with. */
function sniffBrands(head: Uint8Array): MediaType | undefined {
  const end = Math.min(uint32(head, 0), head.length)
  const brands = [latin(head, 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(latin(head, at, at + 4))
  const major = brands[0] ?? ''
  if (brands.includes('avif') || brands.includes('avis')) return mediaTypes.avif
  if (major === 'qt  ') return mediaTypes.mov
  if (major === 'M4A ' || major === 'M4B ') return mediaTypes.m4a
  return brands.some(brand => /^(iso[m2-9]|mp4[12]|avc1|M4V |MSNV|dash|cmf[c2])$/.test(brand))
    ? mediaTypes.mp4
    : undefined
}

/** EBML (RFC 8794): the document type stands in element 0x4282 of the header. WebM is Matroska that says so. */
function sniffMatroska(head: Uint8Array): MediaType | undefined {
  for (let at = 4; at < Math.min(head.length, 80); at++) {
    if (has(head, at, [0x42, 0x82, 0x84]) && spells(head, at + 3, 'webm')) return mediaTypes.webm
  }
  return undefined
}

/** RFC 3533: the first page of an audio stream holds nothing but the codec's name and parameters. */
function sniffOgg(head: Uint8Array): MediaType | undefined {
  const payload = 27 + (head[26] ?? 0)
  const isSound =
    spells(head, payload, 'OpusHead') ||
    spells(head, payload, '\x01vorbis') ||
    spells(head, payload, '\x7fFLAC') ||
    spells(head, payload, 'Speex   ')
  return isSound ? mediaTypes.ogg : undefined
}

/** Formats without a magic number: frames that begin with eleven or twelve set bits, maybe behind an ID3 tag. */
function sniffFrames(head: Uint8Array): MediaType | undefined {
  const start = tagBytes(head)
  // The tag can hold a cover picture and be longer than the head. Only MP3 files begin with one in practice.
  if (start > 0 && start + 4 > head.length) return mediaTypes.mp3
  const mp3 = mp3FrameBytes(head, start)
  if (mp3 !== undefined) return follows(head, start + mp3, mp3FrameBytes) ? mediaTypes.mp3 : undefined
  const adts = adtsFrameBytes(head, start)
  if (adts !== undefined) return follows(head, start + adts, adtsFrameBytes) ? mediaTypes.aac : undefined
  return undefined
}

/** Two frames in a row, or the end of what we can see: four bytes alone could be anything. */
function follows(
  head: Uint8Array,
  at: number,
  frameBytes: (bytes: Uint8Array, at: number) => number | undefined,
) {
  return at + 8 > head.length || frameBytes(head, at) !== undefined || spells(head, at, 'TAG')
}

function has(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, index) => bytes[at + index] === byte)
}

function uint32(bytes: Uint8Array, at: number): number {
  return bytes.length < at + 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(at)
}

/** The media type of a file that is none of `mediaTypes`, by its first bytes: documents and models in 3D, else any bytes. */
export function otherType(head: Uint8Array): string {
  if (spells(head, 0, '%PDF-')) return 'application/pdf'
  if (spells(head, 0, 'glTF')) return 'model/gltf-binary'
  if (has(head, 0, [0x50, 0x4b, 0x03, 0x04])) return 'application/zip'
  return 'application/octet-stream'
}
