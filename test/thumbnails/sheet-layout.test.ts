import { expect, test } from 'vitest'
import { inPages, sheetLayout } from '../../src/thumbnails/sheet-layout.ts'

test.each([
  [1, 3],
  [2, 3],
  [5, 3],
  [19, 6],
  [48, 8],
])('%i results stand beside each other on a page of bounded size, without touching', (count, columns) => {
  const { width, height, picture, places } = sheetLayout(count)
  expect(places).toHaveLength(count)
  expect(new Set(places.map(({ x }) => x)).size).toBe(Math.min(count, columns))
  expect([width, height]).toEqual([1600, expect.any(Number)])
  expect(height).toBeLessThanOrEqual(1700)
  for (const { x, y } of places) {
    expect(x + picture.width).toBeLessThanOrEqual(width)
    expect(y + picture.height).toBeLessThan(height)
    const others = places.filter(each => each.x !== x || each.y !== y)
    const near = others.filter(
      each => Math.abs(each.x - x) < picture.width && Math.abs(each.y - y) < picture.height,
    )
    expect(near).toEqual([])
  }
})

test.each([
  [0, [0]],
  [48, [48]],
  [49, [24, 25]],
  [150, [37, 38, 37, 38]],
])('%i results are on pages of much the same size, in their order', (count, sizes) => {
  const all = Array.from({ length: count }, (_, nth) => nth)
  const pages = inPages(all)
  expect(pages.map(page => page.length)).toEqual(sizes)
  expect(pages.flat()).toEqual(all)
})
