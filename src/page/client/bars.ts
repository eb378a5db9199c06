/** So many bars are drawn of a sound. */
export const bars = 120

/**
 * How loud each of so many equal parts is, from 0 to 1: by its largest sample against full scale, so that sounds can be compared wherever
 * they stand. What is 10 dB quieter is heard as half as loud, and is half as high.
 */
export function peaksIn(samples: Float32Array, parts: number): number[] {
  return Array.from({ length: parts }, (_, nth) => {
    const [from, to] = [nth, nth + 1].map(at => Math.floor((at * samples.length) / parts)) as [number, number]
    let peak = 0
    for (let at = from; at < to; at++) peak = Math.max(peak, Math.abs(samples[at] ?? 0))
    return heard(Math.min(1, peak))
  })
}

/** By Stevens' law: a tenth of the power is half of what is heard. */
const exponent = 2 * Math.log10(2)

function heard(amplitude: number): number {
  return amplitude ** exponent
}

/** The largest of them against full scale: `−12 dB`. */
export function peakText(peaks: readonly number[]): string {
  const most = Math.max(0, ...peaks)
  if (most === 0) return 'silent'
  const decibels = Math.round((20 * Math.log10(most)) / exponent)
  return decibels === 0 ? '0 dB' : `−${-decibels} dB`
}
