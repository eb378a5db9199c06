import { type Area, blankPicture, type Picture } from './picture.ts'

/** Tells which macroblocks of a picture are others than they were when they were last looked at. */
interface Changes {
  /** Adds the numbers of those in an area (of whole macroblocks), row by row. */
  find(area: Area, to: number[]): void
  /** Takes all of the picture as looked at. */
  forget(): void
}

/** The picture's sides are whole macroblocks. */
export function openChanges(picture: Picture): Changes {
  const before = blankPicture(picture.width, picture.height)
  const planes = [0, 1, 2].map(k => pairOf(picture, before, k as 0 | 1 | 2)) as [Pair, Pair, Pair] // three in, three out
  const columns = picture.width / 16
  return {
    find(area, to) {
      for (let row = area.y / 16; row < (area.y + area.height) / 16; row++) {
        for (let column = area.x / 16; column < (area.x + area.width) / 16; column++) {
          let isChanged = false
          for (const pair of planes) isChanged = copyBlock(pair, column, row) || isChanged
          if (isChanged) to.push(row * columns + column)
        }
      }
    },
    forget() {
      for (const { now, last } of planes) last.set(now)
    },
  }
}

/** One plane, four samples a word: a macroblock's rows are 16 or 8 samples wide and begin at whole words. */
interface Pair {
  readonly now: Int32Array
  readonly last: Int32Array
  readonly stride: number
  /** Of a macroblock, in words and in rows. */
  readonly width: number
  readonly rows: number
}

function pairOf(picture: Picture, before: Picture, plane: 0 | 1 | 2): Pair {
  const by = plane === 0 ? 0 : 1
  const words = ({ planes }: Picture) => {
    const { buffer, byteOffset, length } = planes[plane]
    return new Int32Array(buffer, byteOffset, length / 4)
  }
  return {
    now: words(picture),
    last: words(before),
    stride: picture.width >> (2 + by),
    width: 4 >> by,
    rows: 16 >> by,
  }
}

/** Copies a macroblock's part from `now` to `last`; whether they differed. */
function copyBlock({ now, last, stride, width, rows }: Pair, column: number, row: number): boolean {
  const first = row * rows * stride + column * width
  let difference = 0
  for (let line = first; line < first + rows * stride; line += stride) {
    for (let k = line; k < line + width; k++) {
      difference |= now[k]! ^ last[k]!
      last[k] = now[k]!
    }
  }
  return difference !== 0
}
