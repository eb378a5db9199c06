import { expect, test } from 'vitest'
import { newSoundMeter } from '../../src/looks/sound.ts'
import { newWavMeter } from '../../src/looks/wav.ts'

const rate = 48_000

/** Of a sound of one or two equal channels. */
function figures(seconds: number, at: (time: number) => number, channels = 1) {
  const meter = newSoundMeter(rate, channels)
  const count = Math.round(seconds * rate)
  const samples = Float32Array.from({ length: count * channels }, (_, nth) =>
    at(Math.floor(nth / channels) / rate),
  )
  meter.add(samples, samples.length)
  return meter.figures()
}

const sine =
  (hertz: number, amplitude: number, phase = 0) =>
  (time: number) =>
    amplitude * Math.sin(2 * Math.PI * hertz * time + phase)

test('a sine of 997 Hz at full scale in one channel has -3.0 LUFS, and in both -0.0 (BS.1770-4, Annex 1)', () => {
  expect(figures(2, sine(997, 1)).loudness).toBeCloseTo(-3, 1)
  expect(figures(2, sine(997, 1), 2).loudness).toBeCloseTo(0, 1)
  // EBU Tech 3341, case 1: both channels at -23 dBFS.
  expect(figures(2, sine(1000, 10 ** (-23 / 20)), 2).loudness).toBeCloseTo(-23, 1)
})

test('what is quiet beside the rest does not count (EBU Tech 3341, case 3, a fifth as long)', () => {
  const [low, high] = [10 ** (-36 / 20), 10 ** (-23 / 20)]
  const at = (time: number) => sine(1000, time < 2 || time >= 10 ? low : high)(time)
  expect(Math.abs((figures(12, at, 2).loudness ?? 0) + 23)).toBeLessThanOrEqual(0.15)
})

test('a peak between the samples is found (a sine at a quarter of the rate, 45 degrees off)', () => {
  const { peak = 0 } = figures(0.2, sine(rate / 4, 0.5, Math.PI / 4))
  expect(peak).toBeGreaterThanOrEqual(-6.4)
  expect(peak).toBeLessThanOrEqual(-5.8)
})

test('a sound that is cut off has runs at full scale, and a sine that just reaches it has few', () => {
  expect(figures(1, time => Math.max(-1, Math.min(1, sine(220, 4)(time)))).clipped).toBeGreaterThan(0.5)
  expect(figures(1, sine(5000, 0.99)).clipped).toBe(0)
})

test('silence before and after is measured, and digital silence has no figures', () => {
  const beep = figures(4, time => (time >= 1 && time < 2.5 ? sine(440, 0.3)(time) : 0))
  expect(beep).toMatchObject({ seconds: 4, lead: 1, tail: 1.5 })
  expect(figures(1, () => 0)).toEqual({ seconds: 1, clipped: 0, lead: 1, tail: 1 })
})

test('a WAV is read as it comes, in any pieces, and one that a pipe was too short for as well', () => {
  const samples = Float32Array.from({ length: rate }, (_, nth) => sine(997, 0.5)(nth / rate))
  const head = Buffer.alloc(44)
  head.write('RIFF\0\0\0\0WAVEfmt ', 0, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  const body = Buffer.alloc(samples.length * 2)
  for (const [at, value] of samples.entries()) body.writeInt16LE(Math.round(value * 32_767), at * 2)
  for (const size of [body.length, 0xffffffff]) {
    head.writeUInt32LE(size, 40)
    const wav = newWavMeter()
    const whole = Buffer.concat([head, body])
    for (let at = 0; at < whole.length; at += 1001) wav.add(whole.subarray(at, at + 1001))
    expect(wav.meter()?.figures()).toMatchObject({ seconds: 1, loudness: -9, peak: -6, clipped: 0 })
  }
})
