import { createCanvas, type Image, loadImage } from './canvas.ts'
import { pictureHeadBytes, pictureSize } from './picture-size.ts'

// For whoever looks at pictures.

/** A picture of so many pixels takes 160 MB once it is unpacked: more than that stands behind a few kilobytes in a bomb. */
const mostPixels = 40_000_000

/** Undefined for bytes that are no picture, and for one of more pixels than are unpacked, or whose head does not say how many. */
export async function readImage(bytes: Uint8Array): Promise<Image | undefined> {
  const size = pictureSize(bytes.subarray(0, pictureHeadBytes))
  if (size === undefined || size.width * size.height > mostPixels) return undefined
  try {
    const image = await loadImage(bytes)
    return image.width > 0 && image.height > 0 ? image : undefined
  } catch {
    return undefined
  }
}

/**
 * A picture drawn on a square of so many pixels, its shape given up: red, green, blue and 255 of each, row by row. What shows through
 * is gray. Undefined as for `readImage`.
 */
export async function squarePixels(bytes: Uint8Array, side: number): Promise<Uint8ClampedArray | undefined> {
  return withImage(bytes, image => pixelsOf(image, { width: side, height: side }).data)
}

/**
 * Something of a picture, which is given back then: what it is unpacked into, left to the collector, counts as garbage of megabytes, for
 * which the whole heap is gone through at every fourth picture or so. Undefined as for `readImage`.
 */
export async function withImage<T>(
  bytes: Uint8Array,
  use: (image: Image) => T | Promise<T>,
): Promise<T | undefined> {
  const image = await readImage(bytes)
  if (!image) return undefined
  try {
    return await use(image)
  } finally {
    image.src = new Uint8Array()
  }
}

/** A picture in shades of gray, 0 to 255, row by row. */
export interface Shades {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** A picture whose longer side has so many pixels, of which each channel is mixed as asked. Undefined as for `readImage`. */
export async function shadesOf(
  bytes: Uint8Array,
  side: number,
  mixes: readonly (readonly [red: number, green: number, blue: number])[],
): Promise<readonly Shades[] | undefined> {
  const small = await withImage(bytes, image => {
    const scale = side / Math.max(image.width, image.height)
    const sized = (length: number) => Math.max(1, Math.round(length * scale))
    const size = { width: sized(image.width), height: sized(image.height) }
    return { size, data: pixelsOf(image, size).data }
  })
  if (!small) return undefined
  const { size, data } = small
  return mixes.map(([red, green, blue]) => ({
    ...size,
    values: Float32Array.from({ length: size.width * size.height }, (_, at) => {
      const from = at * 4
      return red * (data[from] ?? 0) + green * (data[from + 1] ?? 0) + blue * (data[from + 2] ?? 0)
    }),
  }))
}

/** As PNG; on request turned about its middle (radians, clockwise), or drawn so many times as wide. What is beside it is gray. */
export function pngOf({ width, height, values }: Shades, { turn = 0, wide = 1 } = {}): Buffer {
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  const picture = pen.createImageData(width, height)
  for (const [at, value] of values.entries()) picture.data.fill(value, at * 4, at * 4 + 3)
  for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = 255
  pen.putImageData(picture, 0, 0)
  if (turn === 0 && wide === 1) return canvas.encodeSync('png')
  const other = createCanvas(Math.round(width * wide), height)
  const drawing = other.getContext('2d')
  drawing.fillStyle = '#808080'
  drawing.fillRect(0, 0, other.width, height)
  drawing.translate(other.width / 2, height / 2)
  drawing.scale(wide, 1)
  drawing.rotate(turn)
  drawing.drawImage(canvas, -width / 2, -height / 2)
  return other.encodeSync('png')
}

/** What shows through is gray. */
function pixelsOf(image: Image, { width, height }: Pick<Shades, 'width' | 'height'>) {
  const pen = createCanvas(width, height).getContext('2d')
  pen.fillStyle = '#808080'
  pen.fillRect(0, 0, width, height)
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(image, 0, 0, width, height)
  return pen.getImageData(0, 0, width, height)
}
