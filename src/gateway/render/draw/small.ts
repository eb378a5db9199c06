import { createCanvas } from '../../../media/canvas.ts'
import { withImage } from '../../../media/picture-pixels.ts'

/** A picture made small, as WebP, whose longer side has no more than so many pixels. Undefined where the bytes are none. */
export function smallWebp(bytes: Uint8Array, longest: number): Promise<Uint8Array | undefined> {
  return withImage(bytes, image => drawn(image, longest))
}

/** The largest of no more than so many bytes, by the longer sides that are tried, the largest first. Undefined where there is none. */
export function webpWithin(
  bytes: Uint8Array,
  sides: readonly number[],
  mostBytes: number,
): Promise<Uint8Array | undefined> {
  return withImage(bytes, async image => {
    const whole = Math.max(image.width, image.height)
    // Nothing is made larger than it is: of the sides beyond that the smallest stands for all.
    const tried = sides.filter((_, nth) => (sides[nth + 1] ?? 0) < whole)
    for (const side of tried) {
      const small = await drawn(image, side)
      if (small.length <= mostBytes) return small
    }
    return undefined
  })
}

type Image = Parameters<Parameters<typeof withImage>[1]>[0]

function drawn(image: Image, longest: number): Promise<Uint8Array> {
  const scale = Math.min(1, longest / Math.max(image.width, image.height))
  const [width, height] = [image.width, image.height].map(side => Math.max(1, Math.round(side * scale)))
  const canvas = createCanvas(width ?? 1, height ?? 1)
  const pen = canvas.getContext('2d')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.encode('webp', 78)
}
