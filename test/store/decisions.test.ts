import { expect, test } from 'vitest'
import type { JournalRecord } from '../../src/base/state.ts'
import { seeHolder, takeClaim } from '../../src/store/claim.ts'
import { compacted } from '../../src/store/compact.ts'
import { foldJournal } from '../../src/store/memory.ts'
import { thisProcess } from '../../src/store/process.ts'
import { memoryDisk } from './memory-disk.ts'
import { hero, intent, run, saved, sending, stamped } from './records.ts'

const resolved = (is: 'rebuy' | 'abandon'): JournalRecord => ({
  kind: 'RESOLVE',
  address: hero,
  decision: { is },
})
const accepted: JournalRecord = { kind: 'ACCEPTED', address: hero, attempt: 'a1', run: run('r-1') }
const done: JournalRecord = { kind: 'DONE', address: hero, files: [saved('hero.png')] }
const doubted = [intent('a1'), sending('a1')]
const replaced = [intent('a1'), sending('a1'), done, intent('a2', 'k2'), sending('a2')]

test.each<[string, JournalRecord[], object]>([
  [
    'a doubt that is given up counts as failed, and may have been billed',
    [...doubted, resolved('abandon')],
    { is: 'failed', billed: 'unknown', failure: { why: 'in-doubt' }, doubts: [], intent: { key: 'k1' } },
  ],
  [
    'a run that is given up keeps its id',
    [...doubted, accepted, resolved('abandon')],
    { is: 'failed', failure: { why: 'undelivered' }, run: run('r-1') },
  ],
  [
    'a doubt that is bought again leaves nothing',
    [...doubted, resolved('rebuy')],
    { is: 'planned', doubts: [] },
  ],
  [
    'a doubt about a replacement leaves the older result',
    [...replaced, resolved('rebuy')],
    { is: 'done', files: [saved('hero.png')], doubts: [], intent: { key: 'k1' } },
  ],
  [
    'a result that moved away is no longer here, even when a replacement was intended',
    [...doubted, done, intent('a2', 'k2'), resolved('rebuy')],
    { is: 'planned', doubts: [] },
  ],
  [
    'what was accepted and is bought again is owed no more',
    [...doubted, accepted, resolved('rebuy')],
    { is: 'planned' },
  ],
])('%s', (_, records, memory) => {
  const entries = stamped(records)
  expect(foldJournal(entries).get(hero)).toMatchObject(memory)
  expect(foldJournal(compacted(entries)).get(hero)).toEqual(foldJournal(entries).get(hero))
})

test('who holds the claim is seen without touching it', async () => {
  const disk = memoryDisk()
  const folder = '/claim'
  expect(seeHolder(folder, { disk })).toBeUndefined()
  const claimed = await takeClaim(folder, { disk })
  const names = disk.list(folder)
  expect(seeHolder(folder, { disk })).toMatchObject({ is: 'alive', pid: process.pid })
  const elsewhere = { ...thisProcess(), host: 'other' }
  expect(seeHolder(folder, { disk, self: elsewhere })).toMatchObject({ is: 'elsewhere' })
  expect(disk.list(folder)).toEqual(names)
  if (claimed.got === 'claim') await claimed.claim.release()
  expect(seeHolder(folder, { disk })).toBeUndefined()
})
