import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { openParts } from '../../src/store/files/parts.ts'
import { readJournal } from '../../src/store/journal/journal.ts'
import { closeBench, manifestName, openBench, openBenchAt, paidAt, pixel } from '../verbs/bench.ts'

/** A batch of one picture, not bought yet, and where its state will lie. */
async function oneJob() {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  bench.write(manifestName, 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n')
  return { gateway, bench, state: join(bench.folder, '.genrun', 'm') }
}

// The disk hangs while it syncs SENDING, and meanwhile:
test.each<[string, (state: string, stop: AbortController) => void]>([
  [
    // Whoever waits for it loses patience; the next one reads the journal and goes on.
    'another takes the claim over',
    state => writeFileSync(join(state, 'claim', '99'), JSON.stringify({ host: 'studio-2', pid: 1 })),
  ],
  ['the user stops', (_, stop) => stop.abort()],
])('no order leaves when %s while SENDING is written down', async (_, happens) => {
  const { gateway, bench, state } = await oneJob()
  const { sync } = systemDisk
  const spy = vi.spyOn(systemDisk, 'sync')
  onTestFinished(() => spy.mockRestore())
  const stop = new AbortController()
  let times = 0
  spy.mockImplementation(async file => {
    await sync(file)
    if (!lastLine(file.path).includes('"kind":"SENDING"')) return
    times++
    happens(state, stop)
  })
  const result = await bench.run({ stop: stop.signal })
  expect(times).toBe(1)
  expect(paidAt(gateway)).toBe(0)
  expect(result).toMatchObject({ report: { paid: 0 } })
  const reading = readJournal(join(state, 'journal'))
  const kinds = reading.got === 'records' ? reading.entries.map(entry => entry.kind) : []
  expect(kinds).toEqual(['OPEN', 'INTENT', 'SENDING', 'NOTSENT', 'CLOSE'])
})

// What others left there is taken away by the holder of the claim alone: they may be the parts of its new holder.
test.each([
  ['keeps the claim takes away what an earlier run left', false],
  ['lost the claim before it began leaves the parts of the new holder', true],
])('who %s', async (_, isLost) => {
  const { gateway, bench, state } = await oneJob()
  const output = join(bench.folder, 'out', 'm')
  const folder = join(output, '.genrun')
  const theirs = openParts({ folder, owner: relative(output, state), token: 'other' }).path('hero', 0)
  await bench.run({
    emit(told) {
      if (told.event !== 'planned') return
      bench.write(relative(bench.folder, theirs), 'half of a picture')
      if (isLost) writeFileSync(join(state, 'claim', '99'), JSON.stringify({ host: 'studio-2', pid: 1 }))
    },
  })
  expect(existsSync(theirs)).toBe(isLost)
  expect(paidAt(gateway)).toBe(isLost ? 0 : 1)
})

// The answer has its bytes in it: they lie in the spool until the file has its name. Whoever took the claim over began its
// journal before DONE stood in ours, and may still need them.
test.each([
  ['keeps the claim throws away what the file was made of', false],
  ['lost the claim leaves it to the new holder', true],
])('who %s', async (_, isLost) => {
  const bench = await openBenchAt((request, response) => {
    const outputs = [`data:image/png;base64,${pixel.toString('base64')}`]
    request.resume().on('end', () => response.end(JSON.stringify({ id: 'r1', status: 'succeeded', outputs })))
  })
  bench.write(manifestName, 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n')
  const state = join(bench.folder, '.genrun', 'm')
  const { sync } = systemDisk
  const spy = vi.spyOn(systemDisk, 'sync').mockImplementation(async file => {
    await sync(file)
    const isDone = isLost && lastLine(file.path).includes('"kind":"DONE"')
    if (isDone) writeFileSync(join(state, 'claim', '99'), JSON.stringify({ host: 'studio-2', pid: 1 }))
  })
  onTestFinished(() => spy.mockRestore())
  await bench.run()
  expect(bench.has('out/m/hero.png')).toBe(true)
  // Beside the answer itself.
  const isThere = readdirSync(join(state, 'spool')).some(name => name.endsWith('-1'))
  expect(isThere).toBe(isLost)
})

function lastLine(path: string): string {
  return path.endsWith('.jnl') ? (readFileSync(path, 'utf8').split('\n').at(-1) ?? '') : ''
}
