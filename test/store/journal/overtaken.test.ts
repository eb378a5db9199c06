import { expect, test } from 'vitest'
import type { JournalRecord, Purchase } from '../../../src/base/purchase.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { foldJournal, recordOf } from '../../../src/store/journal/fold.ts'
import { openOutside, openOvertaken } from '../../../src/store/journal/leave-overtaken.ts'
import {
  readOutside,
  readOvertaken,
  removeOvertaken,
  withOvertaken,
} from '../../../src/store/journal/overtaken.ts'
import { memoryDisk } from '../memory-disk.ts'
import { fox, handClock, hero, intent, recipe, run, saved, sending, stamped, teapot } from '../records.ts'

const order = { id: teapot, address: hero, recipe }
const underWay: Purchase = { ...order, is: 'under-way', run: run('r-1'), saved: [], parts: [] }

function place() {
  const disk = memoryDisk()
  disk.makeFolder('/j')
  const at = { folder: '/j', lineage: 'l1', disk, clock: handClock(), random: systemRandom }
  return { disk, open: (number: number) => openOvertaken({ ...at, number }) }
}

test('what is left is read by its lineage, whole, the last of each process, and is gone when it is taken up', async () => {
  const { disk, open } = place()
  const one = open(1)
  await one.leave([{ ...underWay, run: run('r-0') }])
  await one.leave([underWay])
  open(2).leaveNow([{ ...underWay, id: fox }])
  const left = readOvertaken('/j', 'l1', disk)
  expect(left.purchases).toEqual([underWay, { ...underWay, id: fox }])
  expect(readOvertaken('/j', 'l2', disk)).toEqual({ files: [], purchases: [] })
  expect(readOvertaken('/none', 'l1', disk)).toEqual({ files: [], purchases: [] })
  removeOvertaken(left.files, disk)
  expect(disk.list('/j')).toEqual([])
})

test('one that was altered is told', async () => {
  const { disk, open } = place()
  await open(1).leave([underWay])
  const [name = ''] = disk.list('/j')
  const text = Buffer.from(disk.readAll(`/j/${name}`))
    .toString()
    .replace('r-1', 'r-2')
  disk.remove(`/j/${name}`)
  const file = disk.open(`/j/${name}`, 'create')
  disk.write(file, Buffer.from(text))
  disk.close(file)
  expect(() => readOvertaken('/j', 'l1', disk)).toThrow(StorageError)
})

test('what is left outside is one file that says all, is read by its lineage, and removed in its own place only', async () => {
  const { disk } = place()
  const more = { number: 1, lineage: 'l1', disk, clock: handClock(), random: systemRandom }
  let told = [underWay]
  const leave = openOutside({ refuge: '/r', lock: '/p/m.lock.json', ...more }, () => told)
  await leave()
  told = [{ ...underWay, id: fox }]
  await Promise.all([leave(), leave()])
  const [name = ''] = disk.list('/r')
  expect(disk.list('/r')).toEqual([name])
  const read = (lock: string, lineage: string) => readOutside({ refuge: '/r', lock }, lineage, disk)
  expect(read('/p/m.lock.json', 'l1')).toEqual({ files: [`/r/${name}`], purchases: told })
  expect(read('/copy/m.lock.json', 'l1')).toEqual({ files: [], purchases: told })
  expect(read('/p/m.lock.json', 'l2')).toEqual({ files: [], purchases: [] })
  const cut = disk.open('/r/000000000000-000001-a.overtaken', 'create')
  disk.write(cut, Buffer.from('no journal'))
  disk.close(cut)
  expect(read('/p/m.lock.json', 'l1').purchases).toEqual(told)
  told = []
  await leave()
  expect(read('/p/m.lock.json', 'l1').purchases).toEqual([])
})

const sent = [intent('a1'), sending('a1')]
const accepted: JournalRecord = { kind: 'ACCEPTED', purchase: teapot, attempt: 'a1', run: run('r-1') }
const failed: JournalRecord = {
  kind: 'FAILED',
  purchase: teapot,
  failure: { why: 'gone', run: run('r-1').id, detail: '' },
  billed: 'unknown',
  run: run('r-1'),
}
const decided = (is: 'over' | 'abandon'): JournalRecord => ({
  kind: 'RESOLVE',
  purchase: teapot,
  decision: { is },
})
const done: JournalRecord = { kind: 'DONE', purchase: teapot, files: [saved('hero.png')] }

test.each<[string, readonly JournalRecord[], boolean]>([
  ['nothing', [], true],
  ['an order without an answer', sent, true],
  ['one that was given up for want of an answer', [...sent, decided('abandon')], true],
  ['one that was ordered anew for want of an answer', [...sent, decided('over')], true],
  ['the same run', [...sent, accepted], false],
  ['that this run has failed', [...sent, accepted, failed], false],
  ['its result', [...sent, accepted, done], false],
])('where the journal knows %s', (_, records, isNews) => {
  const journal = foldJournal(stamped(records))
  const { histories, news } = withOvertaken(journal, [underWay])
  const known = histories.get(teapot)
  expect([...news]).toEqual(isNews ? [teapot] : [])
  if (isNews) expect(known && recordOf(known)).toEqual(underWay)
  else expect(known).toBe(journal.get(teapot))
})

test.each<[string, Purchase]>([
  ['is under way', underWay],
  ['is there', { ...order, is: 'done', run: run('r-1'), files: [saved('hero.png')] }],
])('a result without a run has that of a process that was overtaken, for which it %s', (_, left) => {
  const journal = foldJournal(stamped([...sent, done]))
  const { histories, news } = withOvertaken(journal, [left])
  const known = histories.get(teapot)
  expect([...news]).toEqual([teapot])
  expect(known && recordOf(known)).toMatchObject({ is: 'done', files: [saved('hero.png')], run: run('r-1') })
})

test('a refusal lifts no doubt: whoever took over may have sent the order once more under its key', () => {
  const journal = foldJournal(stamped(sent))
  const refused: Purchase = { ...order, is: 'failed', flaw: { why: 'no-credit', message: '' }, billed: 'no' }
  const { histories, news } = withOvertaken(journal, [refused])
  expect([...news]).toEqual([])
  expect(histories.get(teapot)).toBe(journal.get(teapot))
})

test('nothing that was pruned comes back', () => {
  const journal = foldJournal(stamped([...sent, accepted, done, decided('over')]))
  const result: Purchase = { ...order, is: 'done', files: [saved('hero.png')] }
  expect([...withOvertaken(journal, [result]).news]).toEqual([])
})
