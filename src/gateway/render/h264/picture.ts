/** Video samples, 4:2:0 by ITU-R BT.709 in limited range. Width and height are even. */
export interface Picture {
  readonly width: number
  readonly height: number
  /** Luma, then the two of chroma at half the width and height. */
  readonly planes: readonly [Uint8Array, Uint8Array, Uint8Array]
}

/** A part of a picture or canvas, in pixels. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function blankPicture(width: number, height: number): Picture {
  const chroma = (width / 2) * (height / 2)
  return {
    width,
    height,
    planes: [new Uint8Array(width * height), new Uint8Array(chroma), new Uint8Array(chroma)],
  }
}

/** The area grown to whole macroblocks and cut to the picture: what a codec can change. Empty ones have no width. */
export function toMacroblocks(area: Area, picture: Pick<Picture, 'width' | 'height'>): Area {
  const x = Math.max(0, Math.floor(area.x / 16) * 16)
  const y = Math.max(0, Math.floor(area.y / 16) * 16)
  const right = Math.min(picture.width, Math.ceil((area.x + area.width) / 16) * 16)
  const bottom = Math.min(picture.height, Math.ceil((area.y + area.height) / 16) * 16)
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) }
}

/** Puts RGBA pixels of `area` (even place and size, as canvases give them) into the picture. */
export function putPixels(picture: Picture, pixels: Uint8ClampedArray, area: Area): void {
  const [luma, blue, red] = picture.planes
  const row = area.width * 4
  for (let y = 0; y < area.height; y += 2) {
    let from = y * row
    let to = (area.y + y) * picture.width + area.x
    let toChroma = ((area.y + y) >> 1) * (picture.width >> 1) + (area.x >> 1)
    for (let x = 0; x < area.width; x += 2, from += 8, to += 2) {
      luma[to] = lumaOf(pixels, from)
      luma[to + 1] = lumaOf(pixels, from + 4)
      luma[to + picture.width] = lumaOf(pixels, from + row)
      luma[to + picture.width + 1] = lumaOf(pixels, from + row + 4)
      const r = pixels[from]! + pixels[from + 4]! + pixels[from + row]! + pixels[from + row + 4]!
      const g = pixels[from + 1]! + pixels[from + 5]! + pixels[from + row + 1]! + pixels[from + row + 5]!
      const b = pixels[from + 2]! + pixels[from + 6]! + pixels[from + row + 2]! + pixels[from + row + 6]!
      // Sums of four pixels, factors times 65536, hence a shift by 18.
      blue[toChroma] = (-6596 * r - 22189 * g + 28784 * b + half + (128 << 18)) >> 18
      red[toChroma++] = (28784 * r - 26145 * g - 2639 * b + half + (128 << 18)) >> 18
    }
  }
}

/** Copies an area (of even place and size) between pictures of one size. */
export function copyArea(from: Picture, to: Picture, area: Area): void {
  for (let plane = 0; plane < 3; plane++) {
    const by = plane === 0 ? 0 : 1
    const stride = from.width >> by
    const [x, width, end] = [area.x >> by, area.width >> by, (area.y + area.height) >> by]
    for (let y = area.y >> by; y < end; y++) {
      const line = y * stride + x
      to.planes[plane]!.set(from.planes[plane]!.subarray(line, line + width), line)
    }
  }
}

/** Fills an area (of even place and size) with the colour of another picture's first pixel. */
export function fillArea(to: Picture, area: Area, colour: Picture): void {
  for (let plane = 0; plane < 3; plane++) {
    const by = plane === 0 ? 0 : 1
    const stride = to.width >> by
    const end = (area.y + area.height) >> by
    for (let y = area.y >> by; y < end; y++) {
      const line = y * stride + (area.x >> by)
      to.planes[plane]!.fill(colour.planes[plane]![0]!, line, line + (area.width >> by))
    }
  }
}

/** The part of an area inside a picture, with even edges: grown to pairs of pixels. */
export function evenArea({ x, y, width, height }: Area, picture: Pick<Picture, 'width' | 'height'>): Area {
  const left = Math.max(0, Math.floor(x / 2) * 2)
  const top = Math.max(0, Math.floor(y / 2) * 2)
  const right = Math.min(picture.width, Math.ceil((x + width) / 2) * 2)
  const bottom = Math.min(picture.height, Math.ceil((y + height) / 2) * 2)
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) }
}

const half = 1 << 17

function lumaOf(pixels: Uint8ClampedArray, at: number): number {
  return (
    (11966 * pixels[at]! + 40254 * pixels[at + 1]! + 4064 * pixels[at + 2]! + (1 << 15) + (16 << 16)) >> 16
  )
}
