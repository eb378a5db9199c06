import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { systemDisk } from '../../src/store/disk.ts'
import { readJournal } from '../../src/store/journal.ts'
import { closeBench, manifestName, openBench, paidAt } from './bench.ts'

test('a process whose claim is taken over while it writes SENDING down lets nothing go', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  const { syncNow } = systemDisk
  const spy = vi.spyOn(systemDisk, 'syncNow')
  onTestFinished(async () => {
    spy.mockRestore()
    closeBench(bench)
    await gateway.close()
  })
  bench.write(manifestName, 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n')
  const state = join(bench.folder, '.genrun', 'm')
  // The disk hangs here, and whoever waits for it loses patience: the next one reads the journal and goes on.
  spy.mockImplementation(file => {
    writeFileSync(join(state, 'claim', '99'), JSON.stringify({ host: 'studio-2', pid: 1 }))
    syncNow(file)
  })
  const result = await bench.run()
  expect(spy).toHaveBeenCalledTimes(1)
  expect(paidAt(gateway)).toBe(0)
  expect(result).toMatchObject({ report: { paid: 0 } })
  const reading = readJournal(join(state, 'journal'))
  const kinds = reading.got === 'records' ? reading.entries.map(entry => entry.kind) : []
  expect(kinds).toEqual(['OPEN', 'INTENT', 'SENDING', 'NOTSENT', 'CLOSE'])
})
