import { type ClipFacts, rounded } from './facts.ts'
import { dctHash, hashSide } from './hash.ts'
import { surfaceOf } from './surface.ts'

/** Measures a clip while its frames come in: 64×64 gray values each, so many a second. */
interface ClipMeter {
  add(piece: Uint8Array): void
  /** Undefined where no frame came. */
  facts(): Omit<ClipFacts, 'of' | 'sound'> | undefined
}

const frameBytes = hashSide * hashSide
export const framesPerSecond = 4

/** A frame whose brightest hundredth is not brighter is near black. */
const nearBlack = 24
/** What an encoder changes in a picture that stands still, from one pixel to another at most. */
const stillness = 10
/** One in a hurry goes on sharpening it for seconds: edges change by more, but areas keep their brightness. */
const sharpening = 32
const areaSide = 8
const areaStillness = 2.5

export function newClipMeter(): ClipMeter {
  let pending: Uint8Array = new Uint8Array(0)
  const brightest = new Uint8Array(frameBytes)
  const kept: Uint8Array[] = []
  let [frames, black, widest, longest, run] = [0, 0, 0, 0, 0]
  let runStart: Uint8Array | undefined
  function see(frame: Uint8Array): void {
    frames++
    kept.push(frame)
    for (let at = 0; at < frameBytes; at++)
      if ((frame[at] ?? 0) > (brightest[at] ?? 0)) brightest[at] = frame[at] ?? 0
    const { spread, bright } = surfaceOf(rasterOf(frame))
    if (bright <= nearBlack) black++
    widest = Math.max(widest, spread)
    if (runStart && isSame(runStart, frame)) run++
    else {
      runStart = frame
      run = 1
    }
    longest = Math.max(longest, run)
  }
  return {
    add(piece) {
      pending = pending.length === 0 ? piece : Buffer.concat([pending, piece])
      while (pending.length >= frameBytes) {
        // A copy: what came in one piece with it is not kept.
        see(Uint8Array.from(pending.subarray(0, frameBytes)))
        pending = pending.subarray(frameBytes)
      }
    },
    facts() {
      if (frames === 0) return undefined
      const { bright, bars } = surfaceOf(rasterOf(brightest))
      const shown = [kept[0], kept[Math.floor(frames / 2)], kept[frames - 1]]
      return {
        seconds: rounded(frames / framesPerSecond, 1),
        spread: widest,
        bright,
        ...(bars && { bars }),
        black: rounded(black / frames, 2),
        still: rounded(longest / frames, 2),
        hashes: shown.map(frame => dctHash(frame ?? brightest)),
      }
    },
  }
}

function rasterOf(values: Uint8Array): Parameters<typeof surfaceOf>[0] {
  return { width: hashSide, height: hashSide, channels: 1, values }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  const areas = new Int32Array((hashSide / areaSide) ** 2)
  let widest = 0
  for (let at = 0; at < frameBytes; at++) {
    const change = (other[at] ?? 0) - (one[at] ?? 0)
    widest = Math.max(widest, Math.abs(change))
    const area = areaOf(at)
    areas[area] = (areas[area] ?? 0) + change
  }
  if (widest <= stillness) return true
  return widest <= sharpening && areas.every(change => Math.abs(change) <= areaStillness * areaSide ** 2)
}

function areaOf(at: number): number {
  const [x, y] = [at % hashSide, Math.floor(at / hashSide)]
  return Math.floor(y / areaSide) * (hashSide / areaSide) + Math.floor(x / areaSide)
}
