import { expect, test } from 'vitest'
import type { RunEvent } from '../../../src/wording/report.ts'
import { manifestName, toldSteps } from '../../verbs/bench.ts'
import { openSeller, pictures } from '../../verbs/seller.ts'

test('a run that only the lock knows is in the journal before it is asked for', async () => {
  const { seller, bench } = await openSeller()
  seller.answer = (run, response) => response.end(JSON.stringify({ id: run, status: 'running' }))
  const stopAt = (event: 'accepted' | 'resumed') => {
    const stop = new AbortController()
    return { stop: stop.signal, emit: (told: RunEvent) => told.event === event && stop.abort() }
  }
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run(stopAt('accepted'))
  const clone = seller.clone()
  for (const name of [manifestName, 'm.lock.json']) clone.write(name, bench.read(name))
  await clone.run(stopAt('resumed'))
  // The lock is thrown away, and what the output folder knows with it.
  for (const name of ['m.lock.json', 'out']) clone.remove(name)
  expect(toldSteps(clone.plan()).map(step => step.replace(/:.*/, ''))).toEqual(['resume hero'])
  expect(seller.orders).toEqual(['tea'])
})
