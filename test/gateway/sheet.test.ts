import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Model, models } from '../../src/catalog/index.ts'
import { lookOf } from '../../src/gateway/render/draw/art.ts'
import { encodeImage, font, newSheet, type Pen, type Sheet } from '../../src/gateway/render/draw/canvas.ts'
import { captionOf, setPanel } from '../../src/gateway/render/draw/caption.ts'
import type { Area } from '../../src/gateway/render/h264/picture.ts'
import { type RenderRequest, render } from '../../src/gateway/render/index.ts'
import { posterOf } from '../../src/gateway/render/sound/poster.ts'
import { readWav } from '../../src/gateway/render/sound/wav.ts'
import { renderRequest } from '../../src/gateway/runs/work.ts'
import { readImage } from '../../src/media/picture-pixels.ts'
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
const sheetWidth = 1280
const gap = 14
const label = 26
/** Tiles are drawn larger and then reduced, so that type and art are in the proportion they have in real files. */
const reduced = 2

test('the contact sheet of all models is the renderer’s own', async () => {
  const bytes = await encodeImage(await contactSheet(Object.values(models)), 'png')
  if (process.env.UPDATE_GOLDEN) keepSmall(bytes)
  const kept = readFileSync(path)
  expect(kept.length).toBeLessThan(250_000)
  const [seen, shown] = [await pixelsOf(bytes), await pixelsOf(kept)]
  expect([seen.width, seen.height]).toEqual([shown.width, shown.height])
  for (const { model, area } of tiles(Object.values(models)))
    expect(meanDistance(seen, shown, area), model.id).toBeLessThan(tolerance)
})

/** A palette instead of full colour, not dithered: the renderer draws in flat colours. */
function keepSmall(png: Uint8Array): void {
  const palette = ['-dither', 'None', '-colors', '255', '-define', 'png:compression-level=9', 'png8:-']
  writeFileSync(path, execFileSync('convert', ['png:-', ...palette], { input: png, maxBuffer: 1 << 24 }))
}

interface Tile {
  readonly model: Model
  readonly nth: number
  readonly area: Area
}

async function contactSheet(of: readonly Model[]) {
  const placed = tiles(of)
  const { area } = placed.at(-1)!
  const sheet = newSheet(sheetWidth, area.y + area.height + label + gap)
  sheet.pen.fillStyle = '#f6f3ee'
  sheet.pen.fillRect(0, 0, sheet.width, sheet.height)
  for (const each of placed) await drawTile(sheet.pen, each)
  return sheet
}

/** In the catalog's order, row by row, the last row as full as it can be. */
function tiles(of: readonly Model[]): Tile[] {
  const heights = Array.from({ length: 41 }, (_, k) => 150 + k)
  const layouts = heights.map(height => rowsOf(of, height))
  const fullest = layouts.toSorted((a, b) => reach(b) - reach(a))[0]
  return fullest ?? []
}

function reach(placed: readonly Tile[]): number {
  const last = placed.at(-1)?.area
  return last ? last.x + last.width : 0
}

/** The tiles of a row have one height and fill it; the last row is at most `rowHeight` high. */
function rowsOf(of: readonly Model[], rowHeight: number): Tile[] {
  const placed: Tile[] = []
  let row: Model[] = []
  let y = gap
  for (const [k, model] of of.entries()) {
    row.push(model)
    const room = sheetWidth - gap * (row.length + 1)
    const shape = row.reduce((sum, each) => sum + ratioOf(each), 0)
    const isLast = k === of.length - 1
    if (!isLast && shape * rowHeight < room) continue
    const height = Math.round(isLast ? Math.min(rowHeight, room / shape) : room / shape)
    let x = gap
    for (const each of row) {
      const area = { x, y, width: Math.floor(height * ratioOf(each)), height }
      placed.push({ model: each, nth: placed.length, area })
      x += area.width + gap
    }
    y += height + label + gap
    row = []
  }
  return placed
}

function ratioOf(model: Model): number {
  const { width, height, kind } = requestFor(model, 0)
  return kind === 'audio' ? 16 / 9 : (width ?? 1) / (height ?? 1)
}

function meanDistance(a: Pixels, b: Pixels, { x, y, width, height }: Area): number {
  let sum = 0
  for (let row = y; row < y + height; row++)
    for (let at = (row * a.width + x) * 4; at < (row * a.width + x + width) * 4; at++)
      sum += Math.abs(a.data[at]! - b.data[at]!)
  return sum / (width * height * 3)
}

async function drawTile(pen: Pen, { model, nth, area }: Tile): Promise<void> {
  const size = { width: even(area.width * reduced), height: even(area.height * reduced) }
  const request = { ...requestFor(model, nth), ...size }
  const { canvas } = await pictureOf(request)
  pen.drawImage(canvas, area.x, area.y, area.width, area.height)
  const { x, width } = area
  const y = area.y + area.height + 18
  pen.fillStyle = '#1d1b18'
  pen.font = font(13, 600)
  const room = width / pen.measureText(model.id).width
  if (room < 1) pen.font = font(13 * room, 600)
  pen.fillText(model.id, x, y)
  if (room < 1.2) return
  pen.fillStyle = '#6a655c'
  pen.font = font(12, 400)
  pen.textAlign = 'right'
  pen.fillText(model.inputType, x + width, y)
  pen.textAlign = 'left'
}

function requestFor(model: Model, nth: number): RenderRequest {
  const prompt = prompts[nth % prompts.length]!
  const request = renderRequest({ model, params: { prompt }, inputs: [] }, `sheet-${nth}`, 'png')
  const inputs = Object.entries(model.params).flatMap(([param, row]) =>
    row.type === 'file' && row.media !== 'file' && row.required
      ? [{ param, kind: row.media, bytes: materials[row.media] }]
      : [],
  )
  // A tile says its own size.
  const { resolution: _, ...params } = request.params
  return { ...request, params, ...(request.kind === 'video' && { seconds: 0.1 }), sound: false, inputs }
}

async function pictureOf(request: RenderRequest): Promise<Sheet> {
  const { width = 1, height = 1 } = request
  const { width: _width, height: _height, ...sound } = request
  const [file] = await render(request.kind === 'audio' ? sound : request)
  const picture = await readImage(posterOf(file!.bytes) ?? file!.bytes)
  const sheet = newSheet(width, height)
  if (picture) sheet.pen.drawImage(picture, 0, 0, width, height)
  else drawSwing(sheet, file!.bytes, sound)
  return sheet
}

/** What is given to models that need a file. */
const materials = {
  image: await made('famb-v4', { width: 512, height: 512 }),
  video: await made('famc-v3', { width: 640, height: 360, seconds: 0.1, sound: false }),
  audio: await made('famc-t2a', {}),
}

async function made(id: keyof typeof models, change: Partial<RenderRequest>): Promise<Uint8Array> {
  const request = renderRequest({ model: models[id], params: { prompt: prompts[1]! }, inputs: [] }, id, 'png')
  const [file] = await render({ ...request, ...change })
  return file!.bytes
}

/** Sound, as loud as it is from left to right, in the colours of its prompt. */
function drawSwing({ pen, ...size }: Sheet, bytes: Uint8Array, request: RenderRequest): void {
  const { samples } = readWav(bytes)!
  const { palette } = lookOf(request.prompt, request.seed, 0)
  const panel = setPanel(pen, size, captionOf(request, 0), 0.24)
  const { x, y, width, height } = panel.art
  pen.fillStyle = palette.background
  pen.fillRect(x, y, width, height)
  const bars = 56
  for (let k = 0; k < bars; k++) {
    const part = samples.subarray((k * samples.length) / bars, ((k + 1) * samples.length) / bars)
    const loudest = part.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const reach = 6 + (loudest / 32_768) * (height - 40)
    pen.fillStyle = palette.accents[k % 7 === 3 ? 3 : 0]
    pen.fillRect(
      x + 20 + (k * (width - 40)) / bars,
      y + (height - reach) / 2,
      ((width - 40) / bars) * 0.62,
      reach,
    )
  }
  panel.draw(pen, palette)
}

function even(size: number): number {
  return Math.round(size / 2) * 2
}
