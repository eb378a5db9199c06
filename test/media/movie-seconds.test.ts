import { expect, test } from 'vitest'
import { render } from '../../src/gateway/render/index.ts'
import { movieSeconds } from '../../src/media/movie-seconds.ts'

const readFrom = (bytes: Uint8Array) => (start: number, length: number) =>
  bytes.subarray(start, start + length)

test('a movie is as long as its header says', async () => {
  const [file] = await render({
    model: 'famc-v3',
    inputType: 't2v',
    kind: 'video',
    prompt: 'Rain',
    seed: 'a',
    params: {},
    count: 1,
    width: 64,
    height: 64,
    seconds: 3,
    inputs: [],
  })
  const bytes = file?.bytes ?? new Uint8Array()
  expect(movieSeconds(readFrom(bytes), bytes.length)).toBeCloseTo(3, 1)
})

test('anything else has no length, and no header leads out of the file', () => {
  const head = (size: number, name: string) => {
    const bytes = new Uint8Array(16)
    new DataView(bytes.buffer).setUint32(0, size)
    bytes.set(new TextEncoder().encode(name), 4)
    return bytes
  }
  for (const bytes of [
    new Uint8Array(),
    new Uint8Array(100),
    head(4, 'moov'),
    head(16, 'moov'),
    head(0, 'moov'),
    head(1, 'free'),
  ])
    expect(movieSeconds(readFrom(bytes), bytes.length)).toBeUndefined()
})
