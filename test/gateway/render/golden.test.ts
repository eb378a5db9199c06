import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type RenderRequest, render } from '../../../src/gateway/render/index.ts'
import { posterOf } from '../../../src/gateway/render/sound/poster.ts'
import { imageRequest, pixelsOf, plainPng, videoRequest } from './tools.ts'

/**
 * What pictures look like, as mosaics of 8x8 mean colours in `golden.json`. Other machines smooth edges in other ways,
 * so colours may differ a little. After a wanted change: `UPDATE_GOLDEN=1 npx vitest run test/gateway/render/golden.test.ts`.
 */
const path = new URL('./golden.json', import.meta.url)
const golden: { [name: string]: string[] } = JSON.parse(readFileSync(path, 'utf8'))
const tolerance = 10

const input = { param: 'imageUrls', kind: 'image', bytes: plainPng('rgb(230, 0, 0)') } as const
const pictures: { readonly [name: string]: RenderRequest } = {
  square: imageRequest({ width: 512, height: 512 }),
  'second take': imageRequest({ width: 512, height: 512, seed: 'run-2' }),
  wide: imageRequest({ width: 800, height: 360, job: 'still[AS-101,wide]' }),
  tall: imageRequest({ width: 400, height: 800, prompt: 'Портрет лисы в снегу' }),
  character: imageRequest({ model: 'famb-character', inputType: 'i2i', inputs: [input] }),
  clip: videoRequest({ seconds: 0.1 }),
}

test.each(Object.keys(pictures))('%s looks as it did', async name => {
  const [file] = await render(pictures[name]!)
  const seen = await mosaic(posterOf(file!.bytes) ?? file!.bytes)
  if (process.env.UPDATE_GOLDEN) {
    golden[name] = seen
    writeFileSync(path, `${JSON.stringify(golden, undefined, 2)}\n`)
  }
  const distances = golden[name]!.map((colour, k) => distance(colour, seen[k]!))
  expect(Math.max(...distances)).toBeLessThanOrEqual(tolerance)
})

async function mosaic(bytes: Uint8Array): Promise<string[]> {
  const { width, height, data } = await pixelsOf(bytes)
  const sums = Array.from({ length: 64 }, () => [0, 0, 0, 0] as [number, number, number, number])
  for (let k = 0; k < width * height; k++) {
    const cell =
      sums[Math.floor((Math.floor(k / width) * 8) / height) * 8 + Math.floor(((k % width) * 8) / width)]!
    for (const channel of [0, 1, 2] as const) cell[channel] += data[k * 4 + channel]!
    cell[3]++
  }
  return sums.map(([r, g, b, count]) => [r, g, b].map(sum => Math.round(sum / count)).join(' '))
}

function distance(a: string, b: string): number {
  const [one, two] = [a.split(' ').map(Number), b.split(' ').map(Number)]
  return Math.max(...one.map((value, k) => Math.abs(value - two[k]!)))
}
