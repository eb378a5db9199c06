import { expect, test } from 'vitest'
import { readRules, startGateway } from '../../src/gateway/server.ts'
import { closeBench, manifestName, openBench } from '../verbs/bench.ts'

test('an order in doubt ends every run with exit code 3 until it is settled, whatever its job is called by now', async () => {
  const read = readRules('lose first=1')
  if ('problem' in read) throw new Error(read.problem)
  const gateway = await startGateway({ outputs: 'memory', faults: { seed: 1, rules: read.rules } })
  const bench = openBench(gateway)
  const exits: unknown[] = []
  const run = async () => {
    const result = await bench.run()
    exits.push(result.got === 'report' ? result.report.exit : result)
  }
  bench.write(manifestName, 'jobs:\n  hero: { model: fama-imagine-image, prompt: A teapot }\n')
  await run()
  bench.write(manifestName, 'jobs:\n  lead: { model: fama-imagine-image, prompt: A green teapot }\n')
  await run()
  await run()
  closeBench(bench)
  await gateway.close()
  expect(exits).toEqual([3, 3, 3])
})
