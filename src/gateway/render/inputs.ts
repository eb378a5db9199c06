import { readImage } from '../../media/picture-pixels.ts'
import { type Drawing, font, newSheet, type Pen } from './draw/canvas.ts'
import type { RenderInput, RenderRequest } from './order/request.ts'
import { posterOf } from './sound/poster.ts'

/** What each file of an order is to the picture or clip. */
export interface InputCast {
  /** What the clip begins and ends with, edge to edge. */
  readonly start?: Drawing
  readonly end?: Drawing
  /** What the work is about. */
  readonly subject?: Drawing
  readonly others: readonly Drawing[]
}

export async function castOf(request: RenderRequest): Promise<InputCast> {
  const drawings = await Promise.all(request.inputs.map(drawingOf))
  const cast: { start?: Drawing; end?: Drawing; subject?: Drawing; others: Drawing[] } = { others: [] }
  for (const [k, input] of request.inputs.entries()) {
    const role = roleOf(request, input)
    if (role === 'other' || cast[role] !== undefined) cast.others.push(drawings[k]!)
    else cast[role] = drawings[k]!
  }
  return cast
}

type Role = 'start' | 'end' | 'subject' | 'other'

function roleOf({ inputType, kind, inputs }: RenderRequest, input: RenderInput): Role {
  if (/startFrame/.test(input.param)) return 'start'
  if (/endFrame/.test(input.param)) return 'end'
  if (kind === 'image') return inputType === 'i2i' ? 'subject' : 'other'
  if (inputType === 'v2v') return input.kind === 'video' ? 'start' : 'other'
  if (input.kind !== 'image' || !/^\/?imageUrls/.test(input.param)) return 'other'
  // A picture beside a recording (motion control, avatar) is the one who acts; alone it is where the clip starts.
  return inputs.some(other => other.kind !== 'image') ? 'subject' : 'start'
}

async function drawingOf(input: RenderInput): Promise<Drawing> {
  const picture =
    input.kind === 'video' ? posterOf(input.bytes) : input.kind === 'image' ? input.bytes : undefined
  return (picture && (await readImage(picture))) ?? card(input)
}

/** Stands for what cannot be looked at: sound, film of others, broken pictures. */
function card(input: RenderInput): Drawing {
  const { canvas, pen, width, height } = newSheet(480, 270)
  pen.fillStyle = '#23252b'
  pen.fillRect(0, 0, width, height)
  pen.fillStyle = '#f2f0ea'
  if (input.kind === 'video') drawPerforation(pen, width, height)
  if (input.kind === 'audio') drawSwing(pen, input.bytes, width, height)
  pen.textAlign = 'center'
  pen.font = font(30, 600)
  pen.fillText(input.kind, width / 2, height * 0.5)
  pen.font = font(20, 400)
  pen.fillText(`${input.param}, ${Math.ceil(input.bytes.length / 1000)} kB`, width / 2, height * 0.64)
  return canvas
}

function drawPerforation(pen: Pen, width: number, height: number): void {
  for (let x = 12; x < width; x += 38) {
    pen.fillRect(x, 12, 20, 24)
    pen.fillRect(x, height - 36, 20, 24)
  }
}

/** Bars as high as a recording of 16 bit samples is loud there; for any other file a pattern. */
function drawSwing(pen: Pen, bytes: Uint8Array, width: number, height: number): void {
  const bars = 40
  for (let k = 0; k < bars; k++) {
    // Odd places of a WAV hold the samples' upper halves.
    const from = Math.floor(((k + 0.2) / bars) * bytes.length) | 1
    const upper = bytes.subarray(from, from + 1600).filter((_, at) => at % 2 === 0)
    const loudest = upper.reduce((most, byte) => Math.max(most, Math.min(byte, 256 - byte)), 0)
    const reach = 4 + (loudest / 128) * 60
    pen.fillRect(10 + (k * (width - 20)) / bars, 48 - reach / 2, 6, reach)
    pen.fillRect(10 + (k * (width - 20)) / bars, height - 48 - reach / 2, 6, reach)
  }
}
