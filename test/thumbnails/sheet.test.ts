import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, onTestFinished, test } from 'vitest'
import { toPcm, wav } from '../../src/gateway/render/sound/wav.ts'
import { sniff } from '../../src/media/sniff.ts'
import { checkStructure } from '../../src/media/structure.ts'
import { type Decoder, openDecoder } from '../../src/thumbnails/decoder.ts'
import { contactSheets, type SheetResult } from '../../src/thumbnails/sheet.ts'
import { sheetLayout } from '../../src/thumbnails/sheet-layout.ts'
import { hasMark } from '../../src/thumbnails/sheet-mark.ts'
import { openThumbnails } from '../../src/thumbnails/thumbnails.ts'

const green = picture('#00ff00')
const tone = wav(toPcm(8000, [Float32Array.from({ length: 8000 }, (_, at) => Math.sin(at / 5))]))

function picture(color: string): Uint8Array {
  const canvas = createCanvas(80, 80)
  const pen = canvas.getContext('2d')
  pen.fillStyle = color
  pen.fillRect(0, 0, 80, 80)
  return canvas.toBuffer('image/png')
}

/** Results in a folder of their own, drawn; what came as sheets. */
async function drawn(
  results: readonly (Omit<SheetResult, 'file'> & { bytes?: Uint8Array; type?: string })[],
  decoder: Decoder = openDecoder(''),
  format: 'png' | 'jpeg' = 'png',
): Promise<Uint8Array[]> {
  const output = mkdtempSync(join(tmpdir(), 'genrun-sheet-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  const withFiles = results.map(({ bytes, type = 'image/png', ...result }, nth) => {
    if (!bytes) return result
    writeFileSync(join(output, `${nth}`), bytes)
    const key = createHash('sha256').update(bytes).digest('hex')
    return { ...result, file: { output, path: `${nth}`, type, key } }
  })
  const thumbnails = openThumbnails(join(output, 'thumbnails'), () => true, decoder)
  const sheets: Uint8Array[] = []
  for await (const sheet of contactSheets(withFiles, { title: 'tea', says: '', format, thumbnails, decoder }))
    sheets.push(sheet)
  return sheets
}

/** The color in the middle of each picture of a page, as `r,g,b`. */
async function middles(sheet: Uint8Array, count: number): Promise<string[]> {
  const { width, height, picture: size, places } = sheetLayout(count)
  const pen = createCanvas(width, height).getContext('2d')
  pen.drawImage(await loadImage(sheet), 0, 0)
  return places.map(({ x, y }) =>
    [...pen.getImageData(x + size.width / 2, y + size.height / 2, 1, 1).data.subarray(0, 3)].join(),
  )
}

const plain = { name: 'hero', note: '', tone: 'plain' } as const

test('pictures, the first frames of clips and waves of sounds are seen; what cannot be is said, and nothing breaks', async () => {
  const decoder: Decoder = { ...openDecoder(''), firstFrame: async () => picture('#0000ff') }
  const [sheet = new Uint8Array()] = await drawn(
    [
      { ...plain, bytes: green },
      { ...plain, bytes: Buffer.from('any clip'), type: 'video/mp4' },
      { ...plain, bytes: tone, type: 'audio/wav' },
      { ...plain, bytes: Buffer.from('no picture') },
      { ...plain, bytes: Buffer.from('no sound'), type: 'audio/mpeg' },
      { ...plain, tone: 'bad' },
    ],
    decoder,
  )
  const [still, clip, sound, ...others] = await middles(sheet, 6)
  // WebP is not exact.
  expect([still, clip]).toEqual([
    expect.stringMatching(/^\d?,25\d,\d$/),
    expect.stringMatching(/^\d?,\d,25\d$/),
  ])
  // A bar of the wave: greener than red, where the paper is redder than green.
  const [red = 0, grass = 0] = (sound ?? '').split(',').map(Number)
  expect(grass).toBeGreaterThan(red + 20)
  for (const other of others) expect(other).not.toMatch(/25\d|27,107,58/)
})

test.each(['png', 'jpeg'] as const)('a page is a sound %s that is known again', async format => {
  const [sheet = new Uint8Array()] = await drawn([{ ...plain, bytes: green }], openDecoder(''), format)
  const type = sniff(sheet)
  expect(type).toMatchObject({ type: `image/${format}` })
  expect(type && (await checkStructure(sheet, type))).toBeUndefined()
  expect([hasMark(sheet), hasMark(green)]).toEqual([true, false])
})

test('many results come as several pages', async () => {
  const sheets = await drawn(Array.from({ length: 50 }, (_, nth) => ({ ...plain, name: `job${nth}` })))
  expect(sheets).toHaveLength(2)
  expect(new Set(sheets.map(sheet => Buffer.from(sheet).toString('base64'))).size).toBe(2)
})
