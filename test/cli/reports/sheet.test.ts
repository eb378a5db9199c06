import { rmSync, writeFileSync } from 'node:fs'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, test } from 'vitest'
import { made } from '../../review/fixture.ts'

/** How many pixels of a picture have the color of what is bad. */
async function badIn(path: string): Promise<number> {
  const image = await loadImage(path)
  const pen = createCanvas(image.width, image.height).getContext('2d')
  pen.drawImage(image, 0, 0)
  const { data } = pen.getImageData(0, 0, image.width, image.height)
  let count = 0
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === 0xa5 && data[at + 1] === 0x23 && data[at + 2] === 0x1b) count++
  return count
}

test('marks what fails its looks, until somebody approved it', async () => {
  const it = await made()
  const sheet = async () => {
    expect((await it.ran('report', 'tea.yaml', 'cup', '--local', '--sheet', 's.png')).code).toBe(0)
    return badIn(it.path('s.png'))
  }
  expect(await sheet()).toBe(0)
  const lock = it.read('tea.preview.lock.json')
  const [, digest] = /"address":"cup".*?"digest":"(sha256:\w+)"/.exec(lock) ?? []
  // The journal tells it otherwise.
  rmSync(it.path('.genrun'), { recursive: true })
  const found = [{ look: 'blank', verdict: 'fail', why: 'it is one color' }]
  const looked = JSON.stringify({ verdict: 'fail', found })
  writeFileSync(
    it.path('tea.preview.lock.json'),
    lock.replace(`"digest":"${digest}"`, `"digest":"${digest}","looked":${looked}`),
  )
  expect(await sheet()).toBeGreaterThan(1000)
  const verdict = {
    address: 'cup',
    is: 'approved',
    who: 'Lead',
    when: '2026-03-01T09:30:00Z',
    seen: [digest],
  }
  writeFileSync(
    it.path('tea.preview.review.json'),
    `{"genrunReview":1,"manifest":"tea.yaml","verdicts":[\n${JSON.stringify(verdict)},\nnull]}\n`,
  )
  expect(await sheet()).toBe(0)
})
