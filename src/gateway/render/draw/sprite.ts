import { blankPicture, type Picture, putPixels } from '../h264/picture.ts'

/** A small picture to be laid on others. Width and height are even. */
export interface Sprite extends Picture {
  /** Luma, then what both planes of chroma have in common. */
  readonly covers: readonly [Cover, Cover]
}

interface Cover {
  readonly width: number
  readonly height: number
  /** How much of each sample is seen, 0 to 255. */
  readonly seen: Uint8Array
  /** By row, where the first stretch of samples that are seen wholly begins and ends. */
  readonly solid: Uint16Array
}

/** Makes a sprite from RGBA pixels. */
export function spriteOf(pixels: Uint8ClampedArray, width: number, height: number): Sprite {
  const whole = new Uint8Array(width * height)
  for (let k = 0; k < whole.length; k++) whole[k] = pixels[k * 4 + 3]!
  const halved = new Uint8Array(whole.length / 4)
  for (let k = 0; k < halved.length; k++) {
    const at = Math.floor((2 * k) / width) * 2 * width + ((2 * k) % width)
    halved[k] = (whole[at]! + whole[at + 1]! + whole[at + width]! + whole[at + width + 1]!) >> 2
  }
  const covers = [coverOf(whole, width, height), coverOf(halved, width / 2, height / 2)] as const
  const sprite = { ...blankPicture(width, height), covers }
  putPixels(sprite, pixels, { x: 0, y: 0, width, height })
  return sprite
}

function coverOf(seen: Uint8Array, width: number, height: number): Cover {
  const solid = new Uint16Array(2 * height)
  for (let row = 0; row < height; row++) {
    const line = seen.subarray(row * width, (row + 1) * width)
    const start = line.indexOf(255)
    if (start < 0) continue
    const length = line.subarray(start).findIndex(value => value !== 255)
    solid.set([start, length < 0 ? width : start + length], 2 * row)
  }
  return { width, height, seen, solid }
}

/** Lays a sprite on a picture with its top left corner at an even place; what sticks out is not drawn. */
export function laySprite(to: Picture, sprite: Sprite, x: number, y: number): void {
  for (let plane = 0; plane < 3; plane++) {
    const by = plane === 0 ? 0 : 1
    const cover = sprite.covers[by]
    const [toWidth, top, left] = [to.width >> by, y >> by, x >> by]
    const planes = { source: sprite.planes[plane]!, target: to.planes[plane]! }
    const rows = Math.min(cover.height, (to.height >> by) - top)
    const first = Math.max(0, -left)
    const end = Math.min(cover.width, toWidth - left)
    for (let row = Math.max(0, -top); row < rows; row++)
      layRow(planes, cover, row, { first, end, at: (top + row) * toWidth + left })
  }
}

interface Row {
  /** Of the sprite's row, what lies inside the picture. */
  readonly first: number
  readonly end: number
  /** Where the sprite's row would begin in the picture. */
  readonly at: number
}

function layRow(
  { source, target }: { source: Uint8Array; target: Uint8Array },
  { width, seen, solid }: Cover,
  row: number,
  { first, end, at }: Row,
): void {
  const line = row * width
  const [from, until] = [Math.max(first, solid[2 * row]!), Math.min(end, solid[2 * row + 1]!)]
  if (from < until) target.set(source.subarray(line + from, line + until), at + from)
  for (let k = first; k < end; k++) {
    if (k === from && from < until) k = until
    if (k >= end) return
    const above = seen[line + k]!
    if (above > 0) target[at + k] = blended(target[at + k]!, source[line + k]!, above)
  }
}

/** 257 / 65536 is 1 / 255, nearly enough for whole numbers. */
function blended(below: number, above: number, seen: number): number {
  return below + (((above - below) * seen * 257 + 32_768) >> 16)
}
