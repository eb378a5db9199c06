import { type Area, evenArea, type Picture } from '../h264/picture.ts'
import { font, newSheet, type Pen } from './canvas.ts'
import { type Colour, type Palette } from './palette.ts'
import { type Sprite, spriteOf } from './sprite.ts'

/** What moves or changes in front of a backdrop: a disc, a time code and a bar. Places are even. */
export interface Props {
  readonly disc: Sprite
  /** Each character of the time code in a cell of equal size, so that digits do not dance. */
  readonly glyphs: ReadonlyMap<string, Sprite>
  /** Where the time code stands; its first cell begins `inset` into it. */
  readonly chip: Area
  readonly inset: number
  /** Of its type. */
  readonly size: number
  readonly bar: Area
  /** The bar's colour where the clip was played, and the light edge of the end frame. */
  readonly played: Picture
  readonly seam: Picture
}

const characters = '0123456789:.'
/** `00:00.00` */
const codeLength = 8

export function makeProps(art: Area, frame: { width: number; height: number }, palette: Palette): Props {
  const small = Math.min(art.width, art.height)
  const size = Math.max(14, Math.round(small * 0.05))
  const cell = { width: even(size * 0.68), height: even(size * 1.5) }
  const inset = even(size * 0.24)
  const margin = small * 0.05
  const chip = {
    x: even(art.x + margin),
    y: even(art.y + margin),
    width: codeLength * cell.width + 2 * inset,
    height: cell.height,
  }
  const thick = Math.max(4, even(small * 0.018))
  const bar = { x: art.x, y: art.y + art.height - thick, width: art.width, height: thick }
  return {
    disc: discSprite(Math.max(8, small * 0.075), palette),
    glyphs: new Map([...characters].map(glyph => [glyph, glyphSprite(glyph, size, cell, palette)])),
    chip: evenArea(chip, frame),
    inset,
    size,
    bar: evenArea(bar, frame),
    played: swatch(palette.accents[0]),
    seam: swatch(palette.paper),
  }
}

/** The still parts, drawn on the backdrop. */
export function drawStillProps(pen: Pen, { chip, bar }: Props, palette: Palette): void {
  pen.fillStyle = palette.ink
  for (const area of [chip, bar]) pen.fillRect(area.x, area.y, area.width, area.height)
}

/** Writes a time code on its chip, as the glyphs would show it: for a still. */
export function drawTimeCode(pen: Pen, { chip, inset, size }: Props, palette: Palette, code: string): void {
  const width = (chip.width - 2 * inset) / codeLength
  pen.fillStyle = palette.paper
  for (const [k, glyph] of [...code].entries())
    drawGlyph(pen, glyph, { size, x: chip.x + inset + (k + 0.5) * width, y: chip.y + chip.height / 2 })
}

interface GlyphPlace {
  readonly size: number
  readonly x: number
  readonly y: number
}

function drawGlyph(pen: Pen, glyph: string, { size, x, y }: GlyphPlace): void {
  pen.font = font(size, 600)
  pen.textAlign = 'center'
  pen.fillText(glyph, x, y + size * 0.36)
}

function discSprite(radius: number, palette: Palette): Sprite {
  const side = even(radius * 2) + 4
  return drawn(side, side, pen => {
    for (const [share, colour] of [
      [1, palette.paper],
      [0.88, palette.accents[0]],
    ] as const) {
      pen.fillStyle = colour
      pen.beginPath()
      pen.arc(side / 2, side / 2, radius * share, 0, 2 * Math.PI)
      pen.fill()
    }
  })
}

function glyphSprite(
  glyph: string,
  size: number,
  { width, height }: { width: number; height: number },
  palette: Palette,
): Sprite {
  return drawn(width, height, pen => {
    pen.fillStyle = palette.ink
    pen.fillRect(0, 0, width, height)
    pen.fillStyle = palette.paper
    drawGlyph(pen, glyph, { size, x: width / 2, y: height / 2 })
  })
}

function swatch(colour: Colour): Picture {
  return drawn(2, 2, pen => {
    pen.fillStyle = colour
    pen.fillRect(0, 0, 2, 2)
  })
}

function drawn(width: number, height: number, draw: (pen: Pen) => void): Sprite {
  const { pen } = newSheet(width, height)
  draw(pen)
  return spriteOf(pen.getImageData(0, 0, width, height).data, width, height)
}

function even(size: number): number {
  return Math.round(size / 2) * 2
}
