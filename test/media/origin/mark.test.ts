import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { programAt } from '../../../src/disk/program.ts'
import { withMark } from '../../../src/media/origin/mark.ts'
import { originPieces } from '../../../src/media/origin/pieces.ts'
import { originIn, xmpIn } from '../../../src/media/origin/seen.ts'
import { sourceType } from '../../../src/media/origin/xmp.ts'
import { squarePixels } from '../../../src/media/picture-pixels.ts'
import { probe } from '../../../src/media/probe.ts'
import { mediaTypes } from '../../../src/media/sniff.ts'
import { checkStructure } from '../../../src/media/structure.ts'
import { samples } from '../samples.ts'

const files = await samples()
const folder = mkdtempSync(join(tmpdir(), 'genrun-mark-'))
afterAll(() => rmSync(folder, { recursive: true }))

const markable = ['png', 'jpeg', 'webp', 'mp4', 'mov', 'm4a', 'wav', 'mp3'] as const
type Name = (typeof markable)[number]

function marked(name: Name, bytes = files[name]): Uint8Array {
  const made = withMark(bytes, mediaTypes[name].type)
  if (made.got !== 'marked') throw new Error(`${name}: ${made.why}`)
  return made.bytes
}

function packets(name: Name, bytes: Uint8Array): string[] {
  const { type } = mediaTypes[name]
  return (originPieces(bytes, type) ?? []).flatMap(piece => xmpIn(piece, type) ?? [])
}

test.each(markable)('a marked %s is sound, shows what it showed, and says what made it', async name => {
  const { type } = mediaTypes[name]
  const bytes = marked(name)
  expect(originIn(files[name], type)).toEqual({ isSigned: false, isMarked: false })
  expect(originIn(bytes, type)).toEqual({ isSigned: false, isMarked: true })
  expect(packets(name, bytes)).toHaveLength(1)
  expect(await checkStructure(bytes, mediaTypes[name])).toBe(undefined)
  expect(await probe(bytes)).toEqual(await probe(files[name]))
  if (mediaTypes[name].kind === 'image')
    expect(await squarePixels(bytes, 64)).toEqual(await squarePixels(files[name], 64))
  // Every byte that was there is there, in its order.
  else expect(Buffer.from(bytes).includes(Buffer.from(files[name].subarray(16)))).toBe(true)
  expect(withMark(bytes, type)).toEqual({ got: 'as-it-is', why: 'marked-before' })
})

test.each(markable.filter(name => name !== 'mp3'))('what a %s said before in XMP is kept', name => {
  const [packet = ''] = packets(name, marked(name))
  const before = marked(name)
  // As another program would have written it: as long, and about something else.
  const own = packet
    .replace(sourceType, 'x'.repeat(sourceType.length))
    .replace('DigitalSourceType', 'OrganisationInImg')
  const there = replaced(before, packet, own, name)
  const [now = ''] = packets(name, marked(name, there))
  expect(now).toContain('x'.repeat(sourceType.length))
  expect(now).toContain(sourceType)
  const otherwise = replaced(
    before,
    packet,
    packet.replace(sourceType, sourceType.replace('trained', 'TRAINED')),
    name,
  )
  expect(withMark(otherwise, mediaTypes[name].type)).toEqual({ got: 'as-it-is', why: 'says-otherwise' })
})

function replaced(bytes: Uint8Array, one: string, other: string, name: Name): Uint8Array {
  const at = Buffer.from(bytes).indexOf(one)
  expect([name, at > 0, one.length]).toEqual([name, true, other.length])
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(other),
    bytes.subarray(at + Buffer.byteLength(one)),
  ])
}

const jumbf = Buffer.from('JP\0\0\0\0\0\0jumbc2pa', 'latin1')
const ofC2pa = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')

test.each<[Name, () => Uint8Array]>([
  [
    'png',
    () => inserted('png', 33, Buffer.concat([sized(jumbf.length), Buffer.from('caBX'), jumbf, sized(0)])),
  ],
  ['jpeg', () => inserted('jpeg', 2, Buffer.concat([Buffer.from([0xff, 0xeb, 0, jumbf.length + 2]), jumbf]))],
  ['mp4', () => Buffer.concat([files.mp4, sized(24), Buffer.from('uuid'), ofC2pa])],
  ['wav', () => riffWith('wav', 'C2PA')],
  ['webp', () => riffWith('webp', 'C2PA')],
  ['mp3', () => tagged(Buffer.from('\0application/x-c2pa-manifest-store\0\0\0', 'latin1'))],
])('a signature in a %s is found, and the file left as it is', (name, made) => {
  const { type } = mediaTypes[name]
  const bytes = made()
  expect(originIn(bytes, type)).toEqual({ isSigned: true, isMarked: false })
  expect(withMark(bytes, type)).toEqual({ got: 'as-it-is', why: 'signed' })
})

function inserted(name: Name, at: number, piece: Uint8Array): Uint8Array {
  return Buffer.concat([files[name].subarray(0, at), piece, files[name].subarray(at)])
}

function sized(size: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(size)
  return bytes
}

function riffWith(name: 'wav' | 'webp', chunk: string): Uint8Array {
  const bytes = Buffer.concat([files[name], Buffer.from(`${chunk}\u0004\0\0\0jumb`, 'latin1')])
  bytes.writeUInt32LE(bytes.length - 8, 4)
  return bytes
}

function tagged(frame: Uint8Array): Uint8Array {
  const head = Buffer.concat([Buffer.from('GEOB'), sized(frame.length), Buffer.alloc(2)])
  const tag = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, head.length + frame.length])
  return Buffer.concat([tag, head, frame, files.mp3])
}

test('what was cut, or has no place for it, is left as it is', () => {
  for (const name of ['gif', 'avif', 'webm', 'ogg', 'flac', 'aac'] as const)
    expect(withMark(files[name], mediaTypes[name].type)).toEqual({ got: 'as-it-is', why: 'no-place' })
  for (const name of ['png', 'wav', 'webp', 'mp4'] as const)
    expect(withMark(files[name].subarray(0, -3), mediaTypes[name].type)).toMatchObject({ got: 'as-it-is' })
})

test('a tag of an MP3 keeps its frames', () => {
  const title = Buffer.from('\0A tide', 'latin1')
  const head = Buffer.concat([Buffer.from('TIT2'), sized(title.length), Buffer.alloc(2)])
  const tag = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, head.length + title.length])
  const bytes = marked('mp3', Buffer.concat([tag, head, title, files.mp3]))
  expect(originPieces(bytes, 'audio/mpeg')?.map(({ name }) => name)).toEqual(['PRIV', 'TIT2'])
})

const exiftool = programAt('exiftool', process.env.PATH)

test.skipIf(!exiftool)('a reader of others reads the mark (skipped where exiftool is not installed)', () => {
  for (const name of markable) {
    const path = join(folder, `marked.${mediaTypes[name].extension}`)
    writeFileSync(path, marked(name))
    const said = execFileSync(exiftool ?? '', ['-j', '-n', '-G1', '-XMP:all', '-warning', path], {
      encoding: 'utf8',
    })
    const [told] = JSON.parse(said) as [{ readonly [tag: string]: string }]
    expect([name, told['XMP-iptcExt:DigitalSourceType'], told['ExifTool:Warning']]).toEqual([
      name,
      sourceType,
      undefined,
    ])
  }
})
