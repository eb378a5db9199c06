import { createCanvas, type Image, loadImage } from '@napi-rs/canvas'
import { pictureHeadBytes, pictureSize } from './picture-size.ts'

/** The door to @napi-rs/canvas for whoever looks at pictures. */

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
  const image = await readImage(bytes)
  if (!image) return undefined
  const pen = createCanvas(side, side).getContext('2d')
  pen.fillStyle = '#808080'
  pen.fillRect(0, 0, side, side)
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(image, 0, 0, side, side)
  return pen.getImageData(0, 0, side, side).data
}
