import { createRequire } from 'node:module'
import type * as ImageSize from 'image-size'

let loaded: typeof ImageSize | undefined

/**
 * Most checks of a manifest measure no picture, and start sooner without the package. Where it is gone from the disk that is no
 * fault of a picture, and thrown.
 */
function measuring(): typeof ImageSize {
  loaded ??= createRequire(import.meta.url)('image-size') as typeof ImageSize // the package itself, by its own types
  return loaded
}

/** Pixels of a picture as it is shown: one that a camera stored on its side is turned. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** By the head of a file; undefined when that is no picture, or its size stands further on. */
export function pictureSize(head: Uint8Array): PictureSize | undefined {
  const { imageSize } = measuring()
  try {
    const { width, height, orientation = 1 } = imageSize(head)
    if (!(width > 0 && height > 0)) return undefined
    // EXIF: from 5 on it lies on its side.
    return orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    return undefined
  }
}

/** Enough for a picture whose size stands behind a colour profile and a preview. */
export const pictureHeadBytes = 1024 * 1024
