import { latin, spells } from './letters.ts'
import { type MediaType, mediaTypes } from './sniff.ts'

/** What a file is that genrun does not take as a result and keeps all the same. `extension` has no dot. */
export interface OtherKind {
  /** Media type; `application/octet-stream` for what nobody knows. */
  readonly type: string
  readonly extension: string
  /** With its article, for a sentence: `a TIFF picture`. */
  readonly name: string
}

/**
 * What a file is by its first bytes when it is none of `mediaTypes`; undefined for a text that is no picture: a page, a
 * message, JSON. Such a text came instead of the file, and says nothing of what it is.
 */
export function otherKind(head: Uint8Array): OtherKind | undefined {
  if (head.length === 0) return undefined
  const known = marks.find(mark => mark.at.some(([at, text]) => spells(head, at, text)))
  if (known) return kindOf(known)
  if (spells(head, 0, 'RIFF') && spells(head, 8, 'AVI ')) return avi
  const isAiff = spells(head, 0, 'FORM') && (spells(head, 8, 'AIFF') || spells(head, 8, 'AIFC'))
  if (isAiff) return aiff
  if (isMatroska(head)) return mkv
  if (spells(head, 4, 'ftyp')) return brandKind(head)
  if (isTransportStream(head)) return ts
  if (!isText(head)) return unknownKind
  return isSvg(head) ? svg : undefined
}

/** What a text is called that came instead of a file. */
export function textKind(head: Uint8Array): Pick<OtherKind, 'type' | 'extension'> {
  const start = latin(head, 0, 512).trimStart()
  if (/^<(!doctype html|html|head|body|title)/i.test(start)) return { type: 'text/html', extension: 'html' }
  if (/^[{[]/.test(start)) return { type: 'application/json', extension: 'json' }
  return { type: 'text/plain', extension: 'txt' }
}

/** What cannot be told: it may also be the beginning of something else. */
export const unknownKind: OtherKind = kind(
  'application/octet-stream',
  'bin',
  'data of a kind that genrun does not know',
)

const avi = kind('video/x-msvideo', 'avi', 'an AVI clip')
const aiff = kind('audio/aiff', 'aiff', 'an AIFF sound')
const mkv = kind('video/x-matroska', 'mkv', 'a Matroska clip')
const ts = kind('video/mp2t', 'ts', 'an MPEG transport stream')
const svg = kind('image/svg+xml', 'svg', 'an SVG drawing')
const heic = kind('image/heic', 'heic', 'a HEIC picture')
const threeGp = kind('video/3gpp', '3gp', 'a 3GP clip')

/** Known by more than a mark. */
const unmarked: readonly OtherKind[] = [avi, aiff, mkv, ts, svg, heic, threeGp]

interface Mark extends OtherKind {
  /** Any of these texts at these places, a character a byte. */
  readonly at: readonly (readonly [at: number, text: string])[]
}

const marks: readonly Mark[] = [
  {
    ...kind('image/tiff', 'tiff', 'a TIFF picture'),
    at: [
      [0, 'II*\0'],
      [0, 'MM\0*'],
      [0, 'II+\0'],
      [0, 'MM\0+'],
    ],
  },
  { ...kind('image/bmp', 'bmp', 'a BMP picture'), at: [[0, 'BM']] },
  { ...kind('image/vnd.adobe.photoshop', 'psd', 'a PSD picture'), at: [[0, '8BPS']] },
  {
    ...kind('image/jp2', 'jp2', 'a JPEG 2000 picture'),
    at: [
      [4, 'jP  \r\n\x87\n'],
      [0, '\xff\x4f\xff\x51'],
    ],
  },
  {
    ...kind('image/jxl', 'jxl', 'a JPEG XL picture'),
    at: [
      [0, '\xff\x0a'],
      [4, 'JXL \r\n\x87\n'],
    ],
  },
  { ...kind('image/x-exr', 'exr', 'an OpenEXR picture'), at: [[0, 'v/1\x01']] },
  {
    ...kind('image/vnd.radiance', 'hdr', 'a Radiance picture'),
    at: [
      [0, '#?RADIANCE'],
      [0, '#?RGBE'],
    ],
  },
  { ...kind('image/x-icon', 'ico', 'an icon'), at: [[0, '\0\0\x01\0']] },
  { ...kind('image/ktx2', 'ktx2', 'a KTX texture'), at: [[0, '\xabKTX 20\xbb']] },
  { ...kind('model/gltf-binary', 'glb', 'a GLB model'), at: [[0, 'glTF']] },
  { ...kind('model/vnd.fbx', 'fbx', 'an FBX model'), at: [[0, 'Kaydara FBX Binary']] },
  {
    ...kind('model/x-ply', 'ply', 'a PLY model'),
    at: [
      [0, 'ply\n'],
      [0, 'ply\r\n'],
    ],
  },
  { ...kind('application/pdf', 'pdf', 'a PDF document'), at: [[0, '%PDF-']] },
  { ...kind('application/zip', 'zip', 'a ZIP archive'), at: [[0, 'PK\x03\x04']] },
  { ...kind('application/gzip', 'gz', 'a gzip archive'), at: [[0, '\x1f\x8b\x08']] },
  { ...kind('video/x-flv', 'flv', 'an FLV clip'), at: [[0, 'FLV\x01']] },
  { ...kind('video/x-ms-asf', 'wmv', 'a Windows Media clip'), at: [[0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11']] },
  {
    ...kind('video/mpeg', 'mpg', 'an MPEG clip'),
    at: [
      [0, '\0\0\x01\xba'],
      [0, '\0\0\x01\xb3'],
    ],
  },
  { ...kind('audio/x-caf', 'caf', 'a CAF sound'), at: [[0, 'caff\0\x01']] },
  { ...kind('audio/basic', 'au', 'an AU sound'), at: [[0, '.snd\0']] },
  { ...kind('audio/amr', 'amr', 'an AMR sound'), at: [[0, '#!AMR']] },
  { ...kind('audio/midi', 'mid', 'a MIDI file'), at: [[0, 'MThd']] },
  { ...kind('audio/x-w64', 'w64', 'a Wave64 sound'), at: [[0, 'riff\x2e\x91\xcf\x11']] },
]

/** Whatever a file can be that a job makes: of one kind of media, or of any. */
export function typesOf(kind: MediaType['kind'] | 'file'): readonly Pick<MediaType, 'type' | 'extension'>[] {
  const media = Object.values<MediaType>(mediaTypes)
  return kind === 'file'
    ? [...media, ...marks, ...unmarked, unknownKind]
    : media.filter(type => type.kind === kind)
}

/** Whether a file of that type is called so by its end; of a type that is not known any end will do. */
export function isNamedAs(path: string, type: string): boolean {
  const known = typesOf('file').filter(each => each.type === type)
  return known.length === 0 || known.some(({ extension }) => path.endsWith(`.${extension}`))
}

/** HEIC, 3GP and whatever else is boxed like an MP4 (ISO 14496-12). */
function brandKind(head: Uint8Array): OtherKind {
  const brand = latin(head, 8, 12)
  if (/^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)$/.test(brand)) return heic
  if (/^3g[pr2s]/.test(brand)) return threeGp
  return unknownKind
}

/** EBML (RFC 8794) with its document type. One that breaks off before it may have been a WebM. */
function isMatroska(head: Uint8Array): boolean {
  return spells(head, 0, '\x1a\x45\xdf\xa3') && latin(head, 4, 80).includes('\x42\x82\x88matroska')
}

/** Packets of 188 bytes that all begin alike. */
function isTransportStream(head: Uint8Array): boolean {
  return head.length > 2 * 188 && [0, 188, 376].every(at => head[at] === 0x47)
}

/** No control characters but those of texts. What UTF-16 looks like does not matter here: it would be kept. */
function isText(head: Uint8Array): boolean {
  return (
    head.every(byte => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x0c) &&
    !isMostlyHigh(head)
  )
}

/** Sound as bare samples may have no byte below a space in its first bytes; no language is written so. */
function isMostlyHigh(head: Uint8Array): boolean {
  try {
    // A character that the end of the head cuts in two is no trouble.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return false
  } catch {
    return head.filter(byte => byte >= 0x80).length > head.length / 4
  }
}

/** Its root, behind a declaration, comments and a document type. A page may hold a drawing and does not begin with one. */
function isSvg(head: Uint8Array): boolean {
  const start = new TextDecoder().decode(head).replace(/^\uFEFF/, '')
  const root = /<([A-Za-z][\w:.-]*)/.exec(start.replaceAll(/<!--[^]*?-->/g, ''))
  return root?.[1] === 'svg' || root?.[1] === 'svg:svg'
}

function kindOf({ type, extension, name }: Mark): OtherKind {
  return { type, extension, name }
}

function kind(type: string, extension: string, name: string): OtherKind {
  return { type, extension, name }
}
