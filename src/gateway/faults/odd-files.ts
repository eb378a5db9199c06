/** What a service may deliver that no model is ordered for; each is small, and begins as such files do. */
export const oddKinds = ['tiff', 'bmp', 'svg', 'glb', 'pdf', 'mkv', 'avi', 'aiff', 'pcm'] as const

export type OddKind = (typeof oddKinds)[number]

interface OddFile {
  readonly bytes: Uint8Array
  readonly type: string
  readonly extension: OddKind
}

export function oddFile(kind: OddKind): OddFile {
  const { type, bytes } = files[kind]
  return { type, bytes: bytes(), extension: kind }
}

const files: { readonly [Kind in OddKind]: { readonly type: string; bytes(): Uint8Array } } = {
  tiff: { type: 'image/tiff', bytes: tiff },
  bmp: { type: 'image/bmp', bytes: bitmap },
  svg: {
    type: 'image/svg+xml',
    bytes: () =>
      Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>\n'),
  },
  glb: { type: 'model/gltf-binary', bytes: model },
  pdf: {
    type: 'application/pdf',
    bytes: () => Buffer.from('%PDF-1.7\n%\xe2\xe3\n1 0 obj\n<<>>\nendobj\n%%EOF\n', 'latin1'),
  },
  mkv: {
    type: 'video/x-matroska',
    bytes: () => Buffer.from('1a45dfa38b4282886d6174726f736b6118538067804000', 'hex'),
  },
  avi: { type: 'video/x-msvideo', bytes: () => riffOf('RIFF', 'AVI ', Buffer.alloc(8), 'little') },
  aiff: { type: 'audio/aiff', bytes: () => riffOf('FORM', 'AIFF', Buffer.alloc(8), 'big') },
  pcm: { type: 'audio/L16', bytes: tone },
}

/** One black pixel of eight by eight: a header and a directory without entries but the size. */
function tiff(): Uint8Array {
  const bytes = Buffer.alloc(8 + 2 + 2 * 12 + 4)
  bytes.write('II*\0', 0, 'latin1')
  bytes.writeUInt32LE(8, 4)
  bytes.writeUInt16LE(2, 8)
  for (const [nth, tag] of [256, 257].entries()) {
    bytes.writeUInt16LE(tag, 10 + nth * 12)
    bytes.writeUInt16LE(3, 12 + nth * 12)
    bytes.writeUInt32LE(1, 14 + nth * 12)
    bytes.writeUInt16LE(8, 18 + nth * 12)
  }
  return bytes
}

function bitmap(): Uint8Array {
  const bytes = Buffer.alloc(54 + 4)
  bytes.write('BM', 0, 'latin1')
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(1, 18)
  bytes.writeInt32LE(1, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  return bytes
}

function model(): Uint8Array {
  const json = Buffer.from('{"asset":{"version":"2.0"}} ')
  const head = Buffer.alloc(20)
  head.write('glTF', 0, 'latin1')
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(20 + json.length, 8)
  head.writeUInt32LE(json.length, 12)
  head.write('JSON', 16, 'latin1')
  return Buffer.concat([head, json])
}

function riffOf(outer: string, inner: string, body: Buffer, order: 'little' | 'big'): Uint8Array {
  const size = Buffer.alloc(4)
  if (order === 'little') size.writeUInt32LE(4 + body.length)
  else size.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(outer), size, Buffer.from(inner), body])
}

/** A tenth of a second of samples, with nothing before them that says so. */
function tone(): Uint8Array {
  const samples = Buffer.alloc(3200)
  for (let at = 0; at < samples.length; at += 2)
    samples.writeInt16LE(Math.round(9000 * Math.sin(at / 20)), at)
  return samples
}
