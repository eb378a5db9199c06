import { expect, test } from 'vitest'

import { type Digest, jobAddress } from '../../src/base/names.ts'
import type { LockEntry } from '../../src/base/state.ts'
import { openLockBook } from '../../src/desk/ground/records.ts'
import type { Ground } from '../../src/desk/ground/setting.ts'
import type { Memory } from '../../src/plan/facts.ts'
import type { Claim } from '../../src/store/claim.ts'
import { newLock } from '../../src/store/lock.ts'
import type { JobMemory } from '../../src/store/memory.ts'
import { memoryDisk } from '../store/memory-disk.ts'
import { handClock } from '../store/records.ts'

const address = jobAddress('hero')
const entry: LockEntry = {
  address,
  state: 'done',
  recipe: { version: 1, model: 'famb-v3', params: {}, defaults: {}, inputs: {}, take: 1 },
  files: [{ path: 'stills/hero.png', digest: 'sha256:a' as Digest, bytes: 1, type: 'image/png' }],
}

/** What the disk is asked for when the book is opened, and this is what the journal knows of a job that is done. */
async function callsFor(is: 'result' | 'done'): Promise<readonly string[]> {
  const disk = memoryDisk()
  for (const folder of ['/out', '/out/stills']) disk.makeFolder(folder)
  const before = disk.calls.length
  // All that is looked at.
  const where = {
    layout: { output: '/out', lock: '/t.lock.json', state: '/.genrun/t', rehearsal: false },
    machine: { disk, clock: handClock() },
  } as unknown as Ground
  const journal = { is, files: [], doubts: [], saved: [] } as unknown as JobMemory
  const memory: Memory = { is: 'done', entry }
  const recorded = {
    lock: newLock('t'),
    lockText: undefined,
    entries: new Map([[address, entry]]),
    memories: new Map([[address, memory]]),
    journal: new Map([[address, journal]]),
  }
  const book = await openLockBook(where, recorded, { isMine: () => true, number: 1 } as unknown as Claim)
  await book.flush()
  return disk.calls.slice(before)
}

test('names that a killed run gave its files are durable before the lock says that the job is done', async () => {
  const [first, ...rest] = await callsFor('result')
  expect(first).toBe('sync /out/stills')
  expect(rest.some(call => call.includes('t.lock.json'))).toBe(true)
})

test('a run that came to its end has seen to that itself', async () => {
  expect(await callsFor('done')).not.toContain('sync /out/stills')
})
