import type { Area } from '../h264/picture.ts'
import type { Chance } from '../order/chance.ts'
import type { Pen } from './canvas.ts'
import { type Colour, mixed, type Palette } from './palette.ts'

/** Fills an area with something worth looking at, in flat colours: gradients would be dithered and not compress. */
export type Composition = (pen: Pen, area: Area, palette: Palette, chance: Chance) => void

/** Square tiles, each with one plain shape. */
export const tiles: Composition = (pen, area, palette, chance) => {
  const side = Math.min(area.width, area.height) / chance.whole(3, 5)
  const columns = Math.ceil(area.width / side)
  const rows = Math.ceil(area.height / side)
  for (let k = 0; k < columns * rows; k++) {
    const at = { x: area.x + (k % columns) * side, y: area.y + Math.floor(k / columns) * side }
    const [back, front] = chance.shuffle([...palette.accents, palette.background, palette.paper])
    pen.fillStyle = back!
    pen.fillRect(at.x, at.y, side + 1, side + 1)
    pen.fillStyle = front!
    chance.pick([quarter, quarter, half, disc, leaf, triangle, bars])(pen, { ...at, side }, chance)
  }
}

/** Slanted bands, and a disc in which they run in other colours. */
export const ribbons: Composition = (pen, area, palette, chance) => {
  const reach = Math.hypot(area.width, area.height)
  const slant = chance.pick([-1, 1]) * chance.between(0.4, 0.95)
  const widths = Array.from({ length: 24 }, () => reach * chance.between(0.03, 0.11))
  const colours: Colour[] = chance.shuffle([...palette.accents, palette.background, palette.paper])
  const bands = (shift: number) => {
    pen.save()
    pen.translate(area.x + area.width / 2, area.y + area.height / 2)
    pen.rotate(slant)
    let y = -reach / 2
    for (const [k, width] of widths.entries()) {
      pen.fillStyle = colours[(k + shift) % colours.length]!
      pen.fillRect(-reach, y, 2 * reach, width + 1)
      y += width
    }
    pen.restore()
  }
  bands(0)
  const small = Math.min(area.width, area.height)
  pen.save()
  pen.beginPath()
  const x = area.x + area.width * chance.between(0.3, 0.7)
  pen.arc(
    x,
    area.y + area.height * chance.between(0.35, 0.65),
    small * chance.between(0.24, 0.36),
    0,
    2 * Math.PI,
  )
  pen.clip()
  bands(3)
  pen.restore()
}

/** A wall of rectangles, split again and again. */
export const blocks: Composition = (pen, area, palette, chance) => {
  pen.fillStyle = palette.ink
  pen.fillRect(area.x, area.y, area.width, area.height)
  const gap = Math.max(2, Math.min(area.width, area.height) * 0.012)
  const smallest = Math.min(area.width, area.height) * 0.24
  const colours = [...palette.accents, palette.background, palette.paper, palette.paper]
  const split = (part: Area, isWide: boolean): void => {
    const length = isWide ? part.width : part.height
    if (length < smallest * 1.6 || (length < smallest * 3 && chance.next() < 0.25)) return block(part)
    const first = length * chance.between(0.34, 0.66)
    const other = isWide ? { ...part, width: first } : { ...part, height: first }
    split(other, other.width > other.height)
    const rest = isWide
      ? { ...part, x: part.x + first, width: length - first }
      : { ...part, y: part.y + first, height: length - first }
    split(rest, rest.width > rest.height)
  }
  const block = ({ x, y, width, height }: Area): void => {
    const [fill, mark] = chance.shuffle(colours)
    pen.fillStyle = fill!
    pen.fillRect(x + gap / 2, y + gap / 2, width - gap, height - gap)
    if (chance.next() > 0.3) return
    pen.fillStyle = mark === fill ? palette.ink : mark!
    pen.beginPath()
    pen.arc(x + width / 2, y + height / 2, Math.min(width, height) * 0.3, 0, 2 * Math.PI)
    pen.fill()
  }
  split(area, area.width > area.height)
}

/** A grid of dots that swell and shrink like cloth in the wind. */
export const dots: Composition = (pen, area, palette, chance) => {
  pen.fillStyle = palette.background
  pen.fillRect(area.x, area.y, area.width, area.height)
  const step = Math.min(area.width, area.height) / chance.whole(9, 13)
  const [turn, phase, waves] = [chance.between(0, Math.PI), chance.between(0, 6), chance.between(1.2, 2.4)]
  const [low, high] = chance.shuffle(palette.accents)
  const size = Math.max(area.width, area.height)
  for (let y = step / 2; y < area.height + step; y += step) {
    for (let x = step / 2; x < area.width + step; x += step) {
      const along = (x * Math.cos(turn) + y * Math.sin(turn)) / size
      const across = (y * Math.cos(turn) - x * Math.sin(turn)) / size
      const swell = (Math.sin(along * waves * 2 * Math.PI + phase + Math.sin(across * 5) * 1.4) + 1) / 2
      pen.fillStyle = mixed(low!, high!, Math.round(swell * 6) / 6)
      pen.beginPath()
      pen.arc(area.x + x, area.y + y, step * (0.12 + 0.36 * swell), 0, 2 * Math.PI)
      pen.fill()
    }
  }
}

interface Tile {
  readonly x: number
  readonly y: number
  readonly side: number
}

type Shape = (pen: Pen, tile: Tile, chance: Chance) => void

const quarter: Shape = (pen, { x, y, side }, chance) => {
  const corner = chance.whole(0, 3)
  const [cx, cy] = [x + (corner & 1) * side, y + (corner >> 1) * side]
  pen.save()
  pen.beginPath()
  pen.rect(x, y, side, side)
  pen.clip()
  pen.beginPath()
  pen.arc(cx, cy, side, 0, 2 * Math.PI)
  pen.fill()
  pen.restore()
}

const half: Shape = (pen, { x, y, side }, chance) => {
  const turn = chance.whole(0, 3) * (Math.PI / 2)
  pen.beginPath()
  pen.arc(x + side / 2, y + side / 2, side / 2, turn, turn + Math.PI)
  pen.fill()
}

const disc: Shape = (pen, { x, y, side }, chance) => {
  pen.beginPath()
  pen.arc(x + side / 2, y + side / 2, side * chance.pick([0.5, 0.36, 0.2]), 0, 2 * Math.PI)
  pen.fill()
}

const leaf: Shape = (pen, { x, y, side }, chance) => {
  const isMirrored = chance.next() < 0.5
  pen.beginPath()
  pen.moveTo(isMirrored ? x + side : x, y)
  pen.quadraticCurveTo(isMirrored ? x : x + side, y, isMirrored ? x : x + side, y + side)
  pen.quadraticCurveTo(isMirrored ? x + side : x, y + side, isMirrored ? x + side : x, y)
  pen.fill()
}

const triangle: Shape = (pen, { x, y, side }, chance) => {
  const corners = [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
  ] as const
  const left = chance.whole(0, 3)
  pen.beginPath()
  for (const [cornerX, cornerY] of corners.filter((_, k) => k !== left)) pen.lineTo(cornerX, cornerY)
  pen.fill()
}

const bars: Shape = (pen, { x, y, side }, chance) => {
  const isUpright = chance.next() < 0.5
  for (let k = 0; k < 3; k++) {
    const at = ((2 * k + 1) / 7) * side
    if (isUpright) pen.fillRect(x + at, y, side / 7, side)
    else pen.fillRect(x, y + at, side, side / 7)
  }
}
