/**
 * What was measured of one file, a function of its bytes alone. Rounded, so that two machines come to the same text. What is good
 * and what is not is decided later (`judge.ts`), by whoever asks.
 */
export type MediaFacts = PictureFacts | ClipFacts | SoundFacts

interface PictureFacts extends Surface {
  readonly of: 'picture'
  /** 64 hexadecimal digits (`dctHash`). */
  readonly hash: string
}

/** Of one picture, or of a clip through all of its frames. */
export interface Surface {
  /** How far the most distant color lies from the usual one, in steps of 255, a thousandth of the picture left aside. */
  readonly spread: number
  /** How bright the brightest hundredth is at least: 0 is black, 255 is white. */
  readonly bright: number
  /** Black bars along two opposite sides, as shares of the height (or width): `[0.12, 0.12]`. Absent where there are none. */
  readonly bars?: Bars
}

export interface Bars {
  readonly along: 'top and bottom' | 'left and right'
  readonly shares: readonly [number, number]
}

export interface ClipFacts extends Surface {
  readonly of: 'clip'
  readonly seconds: number
  /** The share of its frames that are near black. */
  readonly black: number
  /** The longest stretch in which nothing moves, as a share of the clip. */
  readonly still: number
  /** Of its first, middle and last frame. */
  readonly hashes: readonly string[]
  /** Of its sound track; absent where it has none. */
  readonly sound?: SoundFigures
}

interface SoundFacts extends SoundFigures {
  readonly of: 'sound'
}

export interface SoundFigures {
  readonly seconds: number
  /** Integrated loudness in LUFS (ITU-R BS.1770-4); absent where everything lies below the gate. */
  readonly loudness?: number
  /** In dBTP; absent for digital silence. */
  readonly peak?: number
  /** The share of samples in runs of three and more at full scale. */
  readonly clipped: number
  /** The loudest 20 ms in dBFS (RMS); absent for digital silence. */
  readonly loudest?: number
  /** Seconds of silence before the first sound and after the last; both are the whole where nothing is heard. */
  readonly lead: number
  readonly tail: number
}

export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}
