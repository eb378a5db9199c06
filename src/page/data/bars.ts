/** So many bars are drawn of a sound. */
export const bars = 120

/**
 * How loud each of so many equal parts is, from 0 to 1: by the largest sample of all channels against full scale, so that sounds can be
 * compared wherever they stand. What is 10 dB quieter is heard as half as loud, and is half as high.
 */
export function peaksIn(channels: readonly Float32Array[], parts: number): number[] {
  const each = channels.map(samples => amplitudesIn(samples, parts))
  return Array.from({ length: parts }, (_, nth) =>
    heard(Math.min(1, Math.max(0, ...each.map(amplitudes => amplitudes[nth] ?? 0)))),
  )
}

function amplitudesIn(samples: Float32Array, parts: number): number[] {
  return Array.from({ length: parts }, (_, nth) => {
    const [from, to] = [nth, nth + 1].map(at => Math.floor((at * samples.length) / parts)) as [number, number]
    let peak = 0
    for (let at = from; at < to; at++) peak = Math.max(peak, Math.abs(samples[at] ?? 0))
    return peak
  })
}

/** By Stevens' law: a tenth of the power is half of what is heard. */
const exponent = 2 * Math.log10(2)

function heard(amplitude: number): number {
  return amplitude ** exponent
}

/** The largest of them against full scale: `−12 dB`. Of a sound that could not be looked into there is nothing to say. */
export function peakText(peaks: readonly number[]): string {
  if (peaks.length === 0) return ''
  const most = Math.max(0, ...peaks)
  if (most === 0) return 'silent'
  const decibels = Math.round((20 * Math.log10(most)) / exponent)
  return decibels === 0 ? '0 dB' : `−${-decibels} dB`
}
