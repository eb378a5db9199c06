import { expect, test } from 'vitest'
import { jobAddress, type PurchaseId, type RunId } from '../../../src/base/names.ts'
import type { DonePurchase } from '../../../src/base/purchase.ts'
import { type Locked, writeLock } from '../../../src/store/lock/lock.ts'
import { salvageLock } from '../../../src/store/lock/lock-salvage.ts'
import { lineOf } from '../../../src/store/lock/lock-text.ts'

const lineage = 'b'.repeat(32)

function bought(id: string): Locked {
  const recipe = { version: 1, model: 'm', params: {}, defaults: {}, inputs: {}, take: 1 } as const
  return { id: id as PurchaseId, address: jobAddress(id), recipe, is: 'done', files: [] }
}

const { files: _, ...order } = bought('a') as DonePurchase // it is
const running: Locked = {
  ...order,
  is: 'under-way',
  run: { workflow: 'w', id: 'r1' as RunId /* short, printable */ },
  saved: [],
  parts: [],
}
const doubt: Locked = { ...order, is: 'doubt', detail: 'lost', raws: [] }
const failed: Locked = {
  ...order,
  is: 'failed',
  flaw: { why: 'in-doubt', message: 'given up' },
  billed: 'unknown',
}

const text = writeLock({ lineage, manifest: 'm.yaml', jobs: [bought('a'), bought('b'), bought('c')] })

test.each([
  ['whole', text, ['a', 'b', 'c']],
  ['cut in its last purchase', text.slice(0, text.indexOf('"id":"c"')), ['a', 'b']],
  [
    'in conflict',
    text.replace('\n', '\n<<<<<<< ours\n').replace('null', '=======\n>>>>>>> b\nnull'),
    ['a', 'b', 'c'],
  ],
  ['altered in one line', text.replace('"id":"b"', '"id":""'), ['a', 'c']],
  ['empty', '', []],
])('of a lock that is %s', (_, damaged, ids) => {
  const { purchases } = salvageLock(damaged)
  expect(purchases.map(({ id }) => id)).toEqual(ids)
})

test.each([
  ['a run and then a doubt', [running, doubt], 'under-way'],
  ['a doubt and then a run', [doubt, running], 'under-way'],
  ['a result and then its run', [bought('a'), running], 'done'],
  ['a doubt, given up', [failed, doubt], 'failed'],
])('of a conflict between two lines of one purchase the one counts that knows more: %s', (_, lines, is) => {
  const [ours, theirs] = lines.map(each => lineOf(each))
  const conflict = `<<<<<<< ours\n${ours},\n=======\n${theirs},\n>>>>>>> theirs\n`
  expect(salvageLock(conflict).purchases).toMatchObject([{ id: 'a', is }])
})

test('of two lines that know as much the last counts', () => {
  const other = { ...bought('a'), address: jobAddress('b') }
  expect(salvageLock(`${lineOf(bought('a'))}\n${lineOf(other)}`).purchases).toMatchObject([{ address: 'b' }])
})

test('a pick that one side made stays, whichever comes last, and one that both made otherwise is that of the last', () => {
  const take = (nth: number, more: Partial<DonePurchase> = {}): DonePurchase => ({
    ...(bought(`k${nth}`) as DonePurchase), // it is
    address: jobAddress(`hero#${nth}`),
    ...more,
  })
  const picked = { picked: true, byHand: true } as const
  const linesOf = (takes: readonly Locked[]) => takes.map(each => `${lineOf(each)},\n`).join('')
  const picksIn = (ours: readonly Locked[], theirs: readonly Locked[]) => {
    const conflict = `<<<<<<< ours\n${linesOf(ours)}=======\n${linesOf(theirs)}>>>>>>> theirs\n`
    const { purchases } = salvageLock(`${text.slice(0, text.indexOf('\n') + 1)}${conflict}null]}\n`)
    return purchases.flatMap(each =>
      each.is === 'done' && each.picked ? `${each.address} ${each.byHand}` : [],
    )
  }
  const [chosen, unchosen] = [
    [take(2, picked), take(3)],
    [take(2), take(3)],
  ]
  expect(picksIn(chosen, unchosen)).toEqual(['hero#2 true'])
  expect(picksIn(unchosen, chosen)).toEqual(['hero#2 true'])
  expect(picksIn(chosen, [take(2), take(3, picked)])).toEqual(['hero#3 true'])
  expect(picksIn(chosen, [take(2, { aside: true }), take(3)])).toEqual([])
})

test('the lineage stays', () => expect(salvageLock(text.slice(0, 120)).lineage).toBe(lineage))

test('a lock of whatever depth is salvaged line by line', () => {
  const deep = `{"genrun":2,"jobs":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
  expect(salvageLock(deep)).toMatchObject({ purchases: [] })
})
