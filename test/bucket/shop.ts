import { crc32 } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { start } from '../gateway/start.ts'
import { type Bench, closeBench, openBench, paidAt, pixel } from '../verbs/bench.ts'

/** A service that makes a picture of its own for every prompt, and a manifest of two. */
export async function openShop(): Promise<{ readonly bench: Bench; readonly paid: () => number }> {
  const render = async ({ prompt }: { readonly prompt: string }) => [
    { bytes: pictureOf(prompt), type: 'image/png', extension: 'png', width: 1, height: 1 },
  ]
  const gateway = await start({ render })
  const bench = openBench(gateway)
  onTestFinished(() => closeBench(bench))
  bench.write(
    'm.yaml',
    'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n  fox: { model: fama-imagine-image, prompt: Fox }\n',
  )
  return { bench, paid: () => paidAt(gateway) }
}

/** Like no other: its prompt stands in it, of `Signed …` where a signature has its place. */
function pictureOf(prompt: string): Buffer {
  const body = Buffer.from(`${prompt.startsWith('Signed') ? 'caBX' : 'prVt'}${prompt}`)
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([pixel.subarray(0, 33), length, body, check, pixel.subarray(33)])
}
