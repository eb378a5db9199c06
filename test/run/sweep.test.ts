import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { Purchase } from '../../src/base/purchase.ts'
import type { Gatekeepers } from '../../src/run/gate.ts'
import { sweepSpool } from '../../src/run/sweep.ts'
import { openSpool } from '../../src/store/files/spool.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import { recipe } from '../engine/fake.ts'
import { memoryDisk } from '../store/memory-disk.ts'
import { named } from '../store/records.ts'

/** A spool with these answers. */
function disk(...names: readonly string[]) {
  const made = memoryDisk()
  made.makeFolder('/spool')
  for (const name of names) {
    const file = made.open(`/spool/${name}`, 'create')
    made.write(file, Buffer.from('bytes'))
    made.close(file)
  }
  return made
}

const keepers: Gatekeepers = {
  stop: new AbortController().signal,
  claim: { standing: () => 'mine' },
  journal: { broken: undefined, isThere: () => true },
  ledger: { displaced: undefined },
  spool: { broken: undefined },
}

const order = (id: string) => ({ id: named(id), address: jobAddress('hero'), recipe })
const raws = ['/elsewhere/spool/doubtful', '/elsewhere/spool/again']
const files = [
  { from: 'spool', path: '/elsewhere/spool/result' },
  { from: 'link', url: 'https://x/old' },
] as const
/** All of one job: what was ordered first is not forgotten for what came later. */
const purchases: readonly Purchase[] = [
  { ...order('1'), is: 'doubt', detail: 'unreadable', raws },
  { ...order('2'), is: 'under-way', files, saved: [], parts: [] },
  { ...order('3'), is: 'done', files: [] },
  { ...order('4'), is: 'failed', flaw: { why: 'remote', message: 'no' }, billed: 'no' },
  { ...order('5'), is: 'open' },
]
const all = ['doubtful', 'again', 'result', 'old']

test('answers that something depends on stay, the others go', () => {
  const made = disk(...all)
  sweepSpool(openSpool('/spool', made), purchases, keepers)
  expect(made.list('/spool').toSorted()).toEqual(['again', 'doubtful', 'result'])
})

test('where nothing depends on them all go', () => {
  const made = disk(...all)
  sweepSpool(openSpool('/spool', made), purchases.slice(2), keepers)
  expect(made.list('/spool')).toEqual([])
})

test.each<[string, Partial<Gatekeepers>]>([
  ['a stop, when an answer may be on its way', { stop: AbortSignal.abort() }],
  ['the claim was lost', { claim: { standing: () => 'taken' } }],
  ['the claim was taken away', { claim: { standing: () => 'vanished' } }],
  ['the journal was taken away', { journal: { broken: undefined, isThere: () => false } }],
  [
    'the journal broke',
    { journal: { broken: new StorageError('/journal', 'sync', 'full'), isThere: () => true } },
  ],
])('nothing is thrown away after %s', (_, changed) => {
  const made = disk(...all)
  sweepSpool(openSpool('/spool', made), [], { ...keepers, ...changed })
  expect(made.list('/spool')).toHaveLength(all.length)
})

test('nothing is thrown away while an order is in doubt of which nothing is known to have come', () => {
  const made = disk(...all)
  const doubt: Purchase = { ...order('6'), is: 'doubt', detail: 'genrun stopped', raws: [] }
  sweepSpool(openSpool('/spool', made), [...purchases, doubt], keepers)
  expect(made.list('/spool')).toHaveLength(all.length)
})
