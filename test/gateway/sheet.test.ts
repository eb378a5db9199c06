import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Model, models } from '../../src/catalog/index.ts'
import {
  type Drawing,
  encodeImage,
  font,
  newSheet,
  type Pen,
  readImage,
} from '../../src/gateway/render/canvas.ts'
import { type RenderedFile, type RenderRequest, render } from '../../src/gateway/render/index.ts'
import { posterOf } from '../../src/gateway/render/poster.ts'
import { readWav } from '../../src/gateway/render/wav.ts'
import { renderRequest } from '../../src/gateway/work.ts'
import { type Pixels, pixelsOf } from './render/tools.ts'

/**
 * The README's picture: one placeholder of every model. It must look like what the renderer draws; edges may be smoothed
 * in another way. After a wanted change: `UPDATE_GOLDEN=1 npx vitest run test/gateway/sheet.test.ts`.
 */
const path = new URL('../../examples/models.png', import.meta.url)

const prompts = [
  'A celadon teapot on wet slate, morning light',
  'A fox asleep in the snow',
  'Steam rises from a cup',
  'Harbour at dusk, lamps on the water',
  'A lighthouse in a storm',
  'Two rowers on a still lake',
]

/** Of 255, over a tile; a palette of 255 colours costs up to 4, another composition makes 40 and more. */
const tolerance = 10
const columns = 5
const tile = { width: 236, height: 177 }
const gap = 14
const label = 26

test('the contact sheet of all models is the renderer’s own', async () => {
  const bytes = await encodeImage(await contactSheet(Object.values(models)), 'png')
  if (process.env.UPDATE_GOLDEN) keepSmall(bytes)
  const kept = readFileSync(path)
  expect(kept.length).toBeLessThan(250_000)
  const [seen, shown] = [await pixelsOf(bytes), await pixelsOf(kept)]
  expect([seen.width, seen.height]).toEqual([shown.width, shown.height])
  for (const [k, id] of Object.keys(models).entries())
    expect(meanDistance(seen, shown, placeOf(k)), id).toBeLessThan(tolerance)
})

/** A palette instead of full colour, not dithered: the renderer draws in flat colours. */
function keepSmall(png: Uint8Array): void {
  const palette = ['-dither', 'None', '-colors', '255', '-define', 'png:compression-level=9', 'png8:-']
  writeFileSync(path, execFileSync('convert', ['png:-', ...palette], { input: png, maxBuffer: 1 << 24 }))
}

async function contactSheet(of: readonly Model[]) {
  const rows = Math.ceil(of.length / columns)
  const sheet = newSheet(gap + columns * (tile.width + gap), gap + rows * (tile.height + label + gap))
  const { pen, width, height } = sheet
  pen.fillStyle = '#f6f3ee'
  pen.fillRect(0, 0, width, height)
  for (const [k, model] of of.entries()) {
    const { x, y } = placeOf(k)
    await drawTile(pen, model, k, x, y)
  }
  return sheet
}

function placeOf(nth: number): { x: number; y: number } {
  return {
    x: gap + (nth % columns) * (tile.width + gap),
    y: gap + Math.floor(nth / columns) * (tile.height + label + gap),
  }
}

function meanDistance(a: Pixels, b: Pixels, { x, y }: { x: number; y: number }): number {
  let sum = 0
  for (let row = y; row < y + tile.height; row++)
    for (let at = (row * a.width + x) * 4; at < (row * a.width + x + tile.width) * 4; at++)
      sum += Math.abs(a.data[at]! - b.data[at]!)
  return sum / (tile.width * tile.height * 3)
}

async function drawTile(pen: Pen, model: Model, nth: number, x: number, y: number): Promise<void> {
  const [file] = await placeholder(model, nth)
  const picture = await readImage(posterOf(file!.bytes) ?? file!.bytes)
  if (picture) drawFitting(pen, picture, x, y)
  else drawSwing(pen, file!.bytes, x, y)
  pen.fillStyle = '#1d1b18'
  pen.font = font(14, 600)
  pen.fillText(model.id, x, y + tile.height + 18)
  pen.fillStyle = '#6a655c'
  pen.font = font(13, 400)
  pen.textAlign = 'right'
  pen.fillText(model.inputType, x + tile.width, y + tile.height + 18)
  pen.textAlign = 'left'
}

/** Rendered for the tile's size, so that its words can be read on the sheet. */
async function placeholder(model: Model, nth: number): Promise<RenderedFile[]> {
  const prompt = prompts[nth % prompts.length]!
  const request = renderRequest({ model, params: { prompt }, inputs: [] }, `sheet-${nth}`, 'png')
  const [width, height] = fitted(request.width ?? 1, request.height ?? 1)
  const inputs = Object.entries(model.params).flatMap(([param, row]) =>
    row.type === 'file' && row.required ? [{ param, kind: row.media, bytes: materials[row.media] }] : [],
  )
  const size = request.kind === 'audio' ? {} : { width, height }
  return render({
    ...request,
    ...size,
    ...(request.kind === 'video' && { seconds: 0.1 }),
    sound: false,
    inputs,
  })
}

/** What is given to models that need a file. */
const materials = {
  image: await made('famb-v4', { width: 512, height: 512 }),
  video: await made('famc-v3', { width: 256, height: 144, seconds: 0.1, sound: false }),
  audio: await made('famc-t2a', {}),
}

async function made(id: keyof typeof models, change: Partial<RenderRequest>): Promise<Uint8Array> {
  const request = renderRequest({ model: models[id], params: { prompt: prompts[1]! }, inputs: [] }, id, 'png')
  const [file] = await render({ ...request, ...change })
  return file!.bytes
}

function fitted(width: number, height: number): [number, number] {
  const scale = Math.min(tile.width / width, tile.height / height)
  return [Math.floor((width * scale) / 2) * 2, Math.floor((height * scale) / 2) * 2]
}

function drawFitting(pen: Pen, picture: Drawing, x: number, y: number): void {
  const [width, height] = fitted(picture.width, picture.height)
  pen.drawImage(picture, x, y + tile.height - height, width, height)
}

/** Sound, as loud as it is from left to right. */
function drawSwing(pen: Pen, bytes: Uint8Array, x: number, y: number): void {
  const { samples } = readWav(bytes)!
  pen.fillStyle = '#23252b'
  pen.fillRect(x, y + 44, tile.width, tile.height - 44)
  pen.fillStyle = '#e8b04a'
  const bars = 56
  for (let k = 0; k < bars; k++) {
    const part = samples.subarray((k * samples.length) / bars, ((k + 1) * samples.length) / bars)
    const loudest = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const reach = 3 + (loudest / 32_768) * (tile.height - 70)
    pen.fillRect(x + 8 + (k * (tile.width - 16)) / bars, y + 44 + (tile.height - 44 - reach) / 2, 2.6, reach)
  }
}
