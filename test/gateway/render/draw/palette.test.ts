import { expect, test } from 'vitest'
import { type Colour, mixed, paletteFrom } from '../../../../src/gateway/render/draw/palette.ts'
import { chanceOf } from '../../../../src/gateway/render/order/chance.ts'

/** WCAG 2 contrast of two colours. */
function contrast(a: Colour, b: Colour): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (lighter! + 0.05) / (darker! + 0.05)
}

function luminance(colour: Colour): number {
  const [r, g, b] = [1, 3, 5].map(at => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

const palettes = Array.from({ length: 300 }, (_, k) => paletteFrom(chanceOf('palette', String(k))))

test('text can be read on every paper', () => {
  expect(Math.min(...palettes.map(({ ink, paper }) => contrast(ink, paper)))).toBeGreaterThan(12)
  expect(Math.min(...palettes.map(({ muted, paper }) => contrast(muted, paper)))).toBeGreaterThan(4.5)
  expect(Math.min(...palettes.map(({ accents, paper }) => contrast(accents[2], paper)))).toBeGreaterThan(4.5)
})

test('prompts have palettes of their own', () => {
  expect(new Set(palettes.map(({ accents }) => accents.join())).size).toBeGreaterThan(290)
})

test('colours are mixed by share', () => {
  expect([
    mixed('#000000', '#ffffff', 0),
    mixed('#000000', '#ffffff', 1),
    mixed('#ff0000', '#0000ff', 0.5),
  ]).toEqual(['#000000', '#ffffff', '#800080'])
})
