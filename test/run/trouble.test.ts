// Commands that end by trouble with the disk, when lock and journal are open already.
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { type Bench, manifestName, toldSteps } from '../verbs/bench.ts'
import { endings, openSeller, pictures } from '../verbs/seller.ts'

/** A result is to get a name for which there is no folder: a file lies in its place. */
async function blocked(): Promise<Bench> {
  const { bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  expect(endings(await bench.run())).toEqual(['hero: made'])
  bench.edit(manifestName, 'tea }', 'tea, output: sub/hero }')
  bench.write('out/m/sub', 'a file')
  return bench
}

/** Waits of a second, the watcher's, that nobody has ended. */
function watchers(): () => number {
  let waiting = 0
  const { until } = systemClock
  const spy = vi.spyOn(systemClock, 'until').mockImplementation(async (date, signal) => {
    if (date - systemClock.now() < 900) return until(date, signal)
    waiting++
    await until(date, signal)
    waiting--
  })
  onTestFinished(() => spy.mockRestore())
  return () => waiting
}

/** Journals of a folder that this process has open; none where the system does not tell. */
function openJournals({ folder }: Bench): string[] {
  const descriptors = '/proc/self/fd'
  if (!existsSync(descriptors)) return []
  const open = readdirSync(descriptors).flatMap(name => {
    try {
      return readlinkSync(join(descriptors, name))
    } catch {
      return []
    }
  })
  return open.filter(path => path.startsWith(folder) && path.endsWith('.jnl'))
}

function lastRecord(bench: Bench): string {
  const folder = '.genrun/m/journal'
  const [name = ''] = readdirSync(join(bench.folder, folder))
  return bench.read(`${folder}/${name}`).trimEnd().split('\n').at(-1) ?? ''
}

test('a run that ends by trouble leaves nothing open, and nobody who watches', async () => {
  const bench = await blocked()
  const listeners = process.listenerCount('exit')
  const waiting = watchers()
  expect(await bench.run()).toMatchObject({ got: 'damaged', message: expect.stringContaining('sub') })
  expect(waiting()).toBe(0)
  expect(process.listenerCount('exit')).toBe(listeners)
  expect(openJournals(bench)).toEqual([])
  expect(lastRecord(bench)).toContain('"kind":"CLOSE"')
  bench.remove('out/m/sub')
  expect(endings(await bench.run())).toEqual(['hero: moved'])
})

test('the same for a verb that only moves things', async () => {
  const bench = await blocked()
  bench.edit(manifestName, 'tea,', 'mud,')
  const request = { manifest: manifestName, cwd: bench.folder }
  expect(await acceptJobs(request)).toMatchObject({ got: 'damaged', message: expect.stringContaining('sub') })
  expect(openJournals(bench)).toEqual([])
  expect(lastRecord(bench)).toContain('"kind":"CLOSE"')
})

test('where the lock cannot be saved the journal is closed all the same', async () => {
  const { bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  const result = await bench.run({
    emit: told => told.event === 'planned' && bench.makeFolder('m.lock.json'),
  })
  expect(result).toMatchObject({ got: 'report', report: { exit: 7 } })
  expect(openJournals(bench)).toEqual([])
  expect(lastRecord(bench)).toContain('"kind":"CLOSE"')
  bench.remove('m.lock.json')
  expect(toldSteps(bench.plan())).toEqual([])
})
