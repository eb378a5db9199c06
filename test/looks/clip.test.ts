import { describe, expect, test } from 'vitest'
import { newClipMeter } from '../../src/looks/clip.ts'
import { hashSide } from '../../src/looks/hash.ts'

/** Three seconds of four frames, each by its number and place. */
function stillIn(value: (nth: number, x: number, y: number) => number): number | undefined {
  const meter = newClipMeter()
  for (let nth = 0; nth < 12; nth++)
    meter.add(
      Uint8Array.from({ length: hashSide ** 2 }, (_, at) =>
        value(nth, at % hashSide, Math.floor(at / hashSide)),
      ),
    )
  return meter.facts()?.still
}

describe('how much of a clip stands still', () => {
  const picture = (x: number, y: number) => 60 + x + y

  test.each<[name: string, still: number, value: (nth: number, x: number, y: number) => number]>([
    ['all, of one picture', 1, (_, x, y) => picture(x, y)],
    ['all, with the noise of an encoder', 1, (nth, x, y) => picture(x, y) + ((nth * x * y) % 11)],
    [
      'all, where edges grow sharper from frame to frame',
      1,
      (nth, x, y) => picture(x, y) + nth * (x % 2 ? 2 : -2),
    ],
    [
      'not where an edge grows by more than that',
      6 / 12,
      (nth, x, y) => picture(x, y) + nth * (x % 2 ? 6 : -6),
    ],
    [
      'not where an area grows brighter',
      2 / 12,
      (nth, x, y) => picture(x, y) + (x < 8 && y < 8 ? nth * 6 : 0),
    ],
    ['not where a dot moves', 1 / 12, (nth, x, y) => picture(x, y) + (x === nth && y === 5 ? 60 : 0)],
    ['half, of a clip that stops', 6 / 12, (nth, x, y) => picture((x + Math.min(nth, 6) * 7) % 64, y)],
  ])('%s', (_, still, value) => {
    expect(stillIn(value)).toBeCloseTo(still, 2)
  })
})
