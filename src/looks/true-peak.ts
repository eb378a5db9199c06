/** The highest value between the samples of one channel, full scale at 1 (ITU-R BS.1770-4, Annex 2: four times as many samples). */
interface PeakMeter {
  add(value: number): void
  peak(): number
}

export function newPeakMeter(): PeakMeter {
  const recent = new Float64Array(taps)
  let at = 0
  let highest = 0
  /** So many samples ago was one that may lead to more. */
  let since = taps
  return {
    add(value) {
      recent[at] = value
      at = (at + 1) % taps
      const size = Math.abs(value)
      if (size > highest) highest = size
      // No phase more than doubles what it is made of: between quiet samples nothing can be higher.
      since = size * 2 > highest ? 0 : since + 1
      if (since >= taps) return
      for (const phase of phases) {
        let made = 0
        for (let tap = 0; tap < taps; tap++)
          made += (recent[(at + taps - 1 - tap) % taps] ?? 0) * (phase[tap] ?? 0)
        if (Math.abs(made) > highest) highest = Math.abs(made)
      }
    },
    peak: () => highest,
  }
}

const taps = 12

/** The standard's filter; its other two phases are these from behind. */
const half = [
  [
    0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625,
    0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125,
  ],
  [
    -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625,
    0.77978515625, -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375,
  ],
]
const phases = [...half, ...half.map(phase => phase.toReversed())]
