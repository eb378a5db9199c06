import { expect, test } from 'vitest'
import { dctHash, hashDistance } from '../../src/looks/hash.ts'
import { type Raster, surfaceOf } from '../../src/looks/surface.ts'

const side = 64

/** Gray values by their places. */
function drawn(value: (x: number, y: number) => number): Raster & { readonly values: Uint8Array } {
  const values = Uint8Array.from({ length: side * side }, (_, at) => value(at % side, Math.floor(at / side)))
  return { width: side, height: side, channels: 1, values }
}

/** Rings around the middle, as bright at the edges as elsewhere. */
const rings = (x: number, y: number) => 130 + 110 * Math.cos(((x - 20) ** 2 + (y - 33) ** 2) / 300)
const framed = (isBar: (x: number, y: number) => boolean) =>
  drawn((x, y) => (isBar(x, y) ? 4 : rings(x, y) / 2 + 100))

test('one color has no spread, and a thousandth of noise is none', () => {
  expect(surfaceOf(drawn(() => 90))).toEqual({ spread: 0, bright: 90 })
  expect(surfaceOf(drawn((x, y) => (x === 5 && y < 4 ? 255 : 90))).spread).toBe(0)
  expect(surfaceOf(drawn((x, y) => (x === 5 && y < 8 ? 255 : 90))).spread).toBe(165)
  const colors = new Uint8Array(side * side * 4).map((_, at) => (at % 4 === 2 && at > 12_000 ? 200 : 50))
  expect(surfaceOf({ width: side, height: side, channels: 4, values: colors }).spread).toBe(150)
})

test('bars of film are black on two sides and end in a line', () => {
  expect(surfaceOf(framed((_, y) => y < 8 || y >= 56)).bars).toEqual({
    along: 'top and bottom',
    shares: [0.13, 0.13],
  })
  expect(surfaceOf(framed(x => x < 5 || x >= 59)).bars?.along).toBe('left and right')
  // On one side only, of two widths, and a night that grows light without a line.
  expect(surfaceOf(framed((_, y) => y < 8)).bars).toBe(undefined)
  expect(surfaceOf(framed((_, y) => y < 4 || y >= 48)).bars).toBe(undefined)
  expect(surfaceOf(drawn((_, y) => Math.min(y, 63 - y) * 4)).bars).toBe(undefined)
  expect(surfaceOf(drawn(() => 0)).bars).toBe(undefined)
})

test('the hash of a picture outlives noise and other light, and tells other pictures apart', () => {
  const picture = dctHash(drawn(rings).values)
  const noisy = dctHash(drawn((x, y) => rings(x, y) * 0.8 + 20 + ((x * 7 + y * 13) % 5)).values)
  const other = dctHash(drawn((x, y) => rings(y, 63 - x)).values)
  expect(picture).toMatch(/^[0-9a-f]{64}$/)
  expect(hashDistance(picture, noisy)).toBeLessThanOrEqual(10)
  expect(hashDistance(picture, other)).toBeGreaterThan(60)
})
