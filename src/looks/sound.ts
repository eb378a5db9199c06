import { rounded, type SoundFigures } from './facts.ts'
import { newLoudnessMeter } from './loudness.ts'
import { newPeakMeter } from './true-peak.ts'

/** Measures a sound while it comes in. */
export interface SoundMeter {
  /** Interleaved samples, full scale at 1, so many of them; a whole number of frames. */
  add(samples: ArrayLike<number>, count: number): void
  figures(): SoundFigures
}

/** What is quieter is no sound to anybody, in dBFS. */
const quietest = -55
const windowSeconds = 0.02
const fullScale = 0.9995

export function newSoundMeter(rate: number, channels: number): SoundMeter {
  const loudness = newLoudnessMeter(rate, channels)
  const peaks = Array.from({ length: channels }, newPeakMeter)
  const runs = new Int32Array(channels)
  const perWindow = Math.max(1, Math.round(rate * windowSeconds))
  let [frames, clipped, sum, inWindow, windows, loudestSquare] = [0, 0, 0, 0, 0, 0]
  let first: number | undefined
  let last = -1
  function endWindow(): void {
    const meanSquare = sum / (inWindow * channels)
    if (meanSquare > loudestSquare) loudestSquare = meanSquare
    if (10 * Math.log10(meanSquare) > quietest) {
      first ??= windows
      last = windows
    }
    windows++
    sum = 0
    inWindow = 0
  }
  return {
    add(samples, count) {
      loudness.add(samples, count)
      for (let at = 0; at < count; frames++) {
        for (let channel = 0; channel < channels; channel++, at++) {
          const value = samples[at] ?? 0
          peaks[channel]?.add(value)
          sum += value * value
          const run = Math.abs(value) >= fullScale ? (runs[channel] ?? 0) + 1 : 0
          runs[channel] = run
          if (run >= 3) clipped += run === 3 ? 3 : 1
        }
        if (++inWindow === perWindow) endWindow()
      }
    },
    figures() {
      if (inWindow > 0) endWindow()
      const seconds = frames / rate
      const integrated = loudness.integrated()
      const peak = Math.max(0, ...peaks.map(each => each.peak()))
      return {
        seconds: rounded(seconds, 2),
        ...(integrated !== undefined && { loudness: rounded(integrated, 1) }),
        ...(peak > 0 && { peak: rounded(decibels(peak), 1) }),
        clipped: rounded(frames === 0 ? 0 : clipped / (frames * channels), 4),
        ...(loudestSquare > 0 && { loudest: rounded(10 * Math.log10(loudestSquare), 0) }),
        lead: rounded(first === undefined ? seconds : first * windowSeconds, 1),
        tail: rounded(first === undefined ? seconds : Math.max(0, seconds - (last + 1) * windowSeconds), 1),
      }
    },
  }
}

function decibels(amplitude: number): number {
  return 20 * Math.log10(amplitude)
}
