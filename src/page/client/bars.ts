/** So many bars are drawn of a sound. */
export const bars = 120

/** The largest samples of so many equal parts, against the largest of all. */
export function peaksIn(samples: Float32Array, parts: number): number[] {
  const peaks = Array.from({ length: parts }, (_, nth) => {
    const [from, to] = [nth, nth + 1].map(at => Math.floor((at * samples.length) / parts)) as [number, number]
    let peak = 0
    for (let at = from; at < to; at++) peak = Math.max(peak, Math.abs(samples[at] ?? 0))
    return peak
  })
  const most = Math.max(...peaks)
  return most > 0 ? peaks.map(peak => peak / most) : peaks
}
