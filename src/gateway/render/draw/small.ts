import { createCanvas } from '@napi-rs/canvas'
import { readImage } from '../../../media/picture-pixels.ts'

/** A picture made small, as WebP, whose longer side has no more than so many pixels. Undefined where the bytes are none. */
export async function smallWebp(bytes: Uint8Array, longest: number): Promise<Uint8Array | undefined> {
  const image = await readImage(bytes)
  if (!image) return undefined
  const scale = Math.min(1, longest / Math.max(image.width, image.height))
  const [width, height] = [image.width, image.height].map(side => Math.max(1, Math.round(side * scale)))
  const canvas = createCanvas(width ?? 1, height ?? 1)
  const pen = canvas.getContext('2d')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.encode('webp', 78)
}
