import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { createWire } from '../../src/wire/client.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { webServer } from './servers.ts'
import { testFolder, testSpool } from './spool.ts'

const MiB = 1024 * 1024
const isLong = process.env.GENRUN_LONG !== undefined

// `GENRUN_LONG=1 npx vitest run test/wire/large.test.ts` takes the largest file there may be.
test('a download of any size keeps the same memory', { timeout: 300_000 }, async () => {
  const mebibytes = isLong ? 2048 : 256
  const piece = Buffer.alloc(MiB, 7)
  const server = await webServer((_, response) => {
    response.writeHead(200, { 'content-length': mebibytes * MiB })
    let left = mebibytes
    const more = () => {
      while (left-- > 0) if (!response.write(piece)) return
      response.end()
    }
    response.on('drain', more)
    more()
  })
  const wire = createWire({
    baseUrl: `${server.origin}/gw-v2`,
    key: 'k',
    profile: gwV2,
    spool: await testSpool(),
    clock: systemClock,
  })
  onTestFinished(() => wire.close())
  const to = join(await testFolder(), 'part')
  const memory: number[] = []
  let next = 32 * MiB
  const progress = (bytes: number) => {
    if (bytes < next) return
    next += 32 * MiB
    memory.push(process.memoryUsage().rss / MiB)
  }
  const url = `${server.origin}/large.mp4`
  const reply = await wire.download({ from: 'link', url }, to, {
    signal: new AbortController().signal,
    progress,
  })
  expect(reply).toMatchObject({ got: 'bytes', bytes: mebibytes * MiB })
  expect((await stat(to)).size).toBe(mebibytes * MiB)
  if (isLong) console.log(memory.map(Math.round).join(' '))
  expect(Math.max(...memory) - (memory[0] ?? 0)).toBeLessThan(96)
})
