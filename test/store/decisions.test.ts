import { expect, test } from 'vitest'
import type { Decision, JournalRecord } from '../../src/base/purchase.ts'
import { seeHolder, takeClaim } from '../../src/store/claim/claim.ts'
import { thisProcess } from '../../src/store/claim/process.ts'
import { compacted } from '../../src/store/journal/compact.ts'
import { foldJournal, recordOf } from '../../src/store/journal/fold.ts'
import { memoryDisk } from './memory-disk.ts'
import { fox, hero, intent, run, saved, sending, stamped, teapot } from './records.ts'

const resolved = (is: 'over' | 'abandon', purchase = teapot): JournalRecord => ({
  kind: 'RESOLVE',
  purchase,
  decision: { is } satisfies Decision,
})
const accepted: JournalRecord = { kind: 'ACCEPTED', purchase: teapot, attempt: 'a1', run: run('r-1') }
const done: JournalRecord = { kind: 'DONE', purchase: teapot, files: [saved('hero.png')] }
const doubted = [intent('a1'), sending('a1')]
const replaced = [...doubted, done, intent('a2', fox), sending('a2', fox)]

test.each<[string, JournalRecord[], object[]]>([
  [
    'a doubt that is given up counts as failed, and may have been billed',
    [...doubted, resolved('abandon')],
    [{ id: teapot, address: hero, is: 'failed', billed: 'unknown', flaw: { why: 'in-doubt' } }],
  ],
  [
    'a run that is given up keeps its id',
    [...doubted, accepted, resolved('abandon')],
    [{ is: 'failed', flaw: { why: 'undelivered' }, run: run('r-1') }],
  ],
  ['a doubt that is bought again leaves nothing', [...doubted, resolved('over')], []],
  [
    'a doubt about a replacement leaves the older result',
    [...replaced, resolved('over', fox)],
    [{ id: teapot, is: 'done', files: [saved('hero.png')] }],
  ],
  [
    'a result that was pruned is no longer here, and the order that was to replace it is',
    [...replaced, resolved('over')],
    [{ id: fox, is: 'doubt' }],
  ],
  ['what was accepted and is bought again is owed no more', [...doubted, accepted, resolved('over')], []],
])('%s', (_, records, known) => {
  const entries = stamped(records)
  const after = (from: typeof entries) =>
    [...foldJournal(from).values()].flatMap(each => recordOf(each) ?? [])
  expect(after(entries)).toMatchObject(known)
  expect(after(entries)).toHaveLength(known.length)
  expect(after(compacted(entries))).toEqual(after(entries))
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
