import { encodeImage, newSheet, type Pen, type Sheet } from '../gateway/render/draw/canvas.ts'
import { drawText, fitText } from '../gateway/render/draw/text.ts'
import { readImage } from '../media/picture-pixels.ts'
import { peaksIn } from '../page/data/bars.ts'
import type { Decoder } from './decoder.ts'
import type { ServedFile } from './served.ts'
import { inPages, margin, type SheetLayout, sheetLayout } from './sheet-layout.ts'
import { marked } from './sheet-mark.ts'
import { type Thumbnails, wholeOf } from './thumbnails.ts'

/** One result on a contact sheet. */
export interface SheetResult {
  readonly name: string
  /** What else is worth a word: `5 s, picked`. */
  readonly note: string
  readonly tone: 'plain' | 'good' | 'bad'
  /** Undefined where there is none. */
  readonly file?: ServedFile & { readonly key: string }
}

interface SheetMeans {
  readonly title: string
  /** Below the title; the number of the page is added where there are several. */
  readonly says: string
  readonly format: 'png' | 'jpeg'
  readonly thumbnails: Thumbnails
  readonly decoder: Decoder
}

/** All results as pictures, page after page; never more than one page is held in memory. */
export async function* contactSheets(
  results: readonly SheetResult[],
  means: SheetMeans,
): AsyncGenerator<Uint8Array> {
  const pages = inPages(results)
  for (const [nth, page] of pages.entries()) {
    const layout = sheetLayout(page.length)
    const sheet = newSheet(layout.width, layout.height)
    const which = pages.length > 1 ? ` · page ${nth + 1} of ${pages.length}` : ''
    drawHead(sheet, means.title, `${means.says}${which}`)
    for (const [at, result] of page.entries()) await drawResult(sheet.pen, result, placeOf(layout, at), means)
    yield marked(await encodeImage(sheet, means.format))
  }
}

const colors = {
  paper: '#f6f3ee',
  well: '#e6e1d8',
  ink: '#1d1b18',
  muted: '#5f5a52',
  plain: '#d8d4cc',
  good: '#1b6b3a',
  bad: '#a5231b',
} as const

interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function placeOf({ places, picture }: SheetLayout, nth: number): Place {
  return { x: 0, y: 0, ...places[nth], ...picture }
}

function drawHead({ pen, width, height }: Sheet, title: string, says: string): void {
  pen.fillStyle = colors.paper
  pen.fillRect(0, 0, width, height)
  const inner = width - 2 * margin
  drawLine(pen, title, { x: margin, y: 14, width: inner, size: 24, weight: 600, color: colors.ink })
  drawLine(pen, says, { x: margin, y: 44, width: inner, size: 14, weight: 400, color: colors.muted })
}

async function drawResult(pen: Pen, result: SheetResult, place: Place, means: SheetMeans): Promise<void> {
  pen.fillStyle = colors.well
  pen.fillRect(place.x, place.y, place.width, place.height)
  await drawPicture(pen, result.file, place, means)
  pen.strokeStyle = colors[result.tone]
  pen.lineWidth = result.tone === 'plain' ? 1 : 4
  pen.strokeRect(place.x, place.y, place.width, place.height)
  const line = { x: place.x, width: place.width }
  const below = place.y + place.height
  drawLine(pen, result.name, { ...line, y: below + 6, size: 15, weight: 600, color: colors.ink })
  const color = result.tone === 'plain' ? colors.muted : colors[result.tone]
  drawLine(pen, result.note, { ...line, y: below + 26, size: 13, weight: 400, color })
}

async function drawPicture(
  pen: Pen,
  file: SheetResult['file'],
  place: Place,
  means: SheetMeans,
): Promise<void> {
  if (!file) return
  if (file.type.startsWith('audio/')) return drawWave(pen, file, place, means.decoder)
  const small = await means.thumbnails.of(file.key, file)
  const image = small && (await readImage(small))
  const isClip = file.type.startsWith('video/')
  if (image) {
    const scale = Math.min(place.width / image.width, place.height / image.height)
    const [width, height] = [image.width * scale, image.height * scale]
    pen.imageSmoothingQuality = 'high'
    pen.drawImage(
      image,
      place.x + (place.width - width) / 2,
      place.y + (place.height - height) / 2,
      width,
      height,
    )
  } else drawNothing(pen, isClip ? 'no first frame: it needs ffmpeg' : 'it cannot be shown', place)
  if (isClip) drawPlay(pen, place)
}

/** So many bars are drawn. */
const bars = 60

async function drawWave(
  pen: Pen,
  file: NonNullable<SheetResult['file']>,
  place: Place,
  decoder: Decoder,
): Promise<void> {
  const bytes = await wholeOf(file.key, file)
  const samples = bytes && (await decoder.samples(bytes, file.type))
  if (!samples) return drawNothing(pen, 'no waveform: it needs ffmpeg', place)
  pen.fillStyle = colors.good
  const step = (place.width - 24) / bars
  for (const [nth, peak] of peaksIn(samples, bars).entries()) {
    const height = Math.max(2, peak * (place.height - 32))
    pen.fillRect(
      place.x + 12 + nth * step,
      place.y + (place.height - height) / 2,
      Math.max(1, step * 0.6),
      height,
    )
  }
}

function drawNothing(pen: Pen, why: string, { x, y, width, height }: Place): void {
  const line = { x: x + 12, y: y + height / 2 - 8, width: width - 24, size: 13, weight: 400 } as const
  drawLine(pen, why, { ...line, color: colors.muted })
}

/** By which a clip is told from a picture. */
function drawPlay(pen: Pen, { x, y, height }: Place): void {
  const [left, top] = [x + 10, y + height - 34]
  pen.fillStyle = 'rgba(0, 0, 0, 0.65)'
  pen.fillRect(left, top, 24, 24)
  pen.fillStyle = '#ffffff'
  pen.beginPath()
  pen.moveTo(left + 8, top + 6)
  pen.lineTo(left + 18, top + 12)
  pen.lineTo(left + 8, top + 18)
  pen.fill()
}

interface Line {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly size: number
  readonly weight: 400 | 600
  readonly color: string
}

/** One line, cut off where it is too long. */
function drawLine(pen: Pen, text: string, { x, y, width, size, weight, color }: Line): void {
  if (text === '') return
  pen.fillStyle = color
  drawText(
    pen,
    fitText(pen, text, { width, height: size * 1.3, largest: size, smallest: size, weight }),
    x,
    y,
  )
}
