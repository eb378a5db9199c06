import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../src/gateway/server.ts'
import { closeBench, manifestName, openBench } from '../../verbs/bench.ts'

test('what a genrun that was killed while it wrote left beside the lock and the journal goes with the next run', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  const bench = openBench(gateway)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  bench.write(manifestName, 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n')
  const token = '0123456789abcdef'.repeat(2)
  const journal = join('.genrun', 'm', 'journal')
  mkdirSync(join(bench.folder, journal), { recursive: true })
  bench.write(`.m.lock.json.${token}.tmp`, '{"genrun":1')
  bench.write(`.notes.txt.${token}.tmp`, 'of another program')
  bench.write(join(journal, `.000001.jnl.${token}.tmp`), '\n')
  expect(await bench.run()).toMatchObject({ report: { exit: 0 } })
  const hidden = readdirSync(bench.folder).filter(name => name.startsWith('.'))
  expect(hidden.toSorted()).toEqual(['.genrun', `.notes.txt.${token}.tmp`])
  expect(readdirSync(join(bench.folder, journal))).toEqual(['000001.jnl'])
})
