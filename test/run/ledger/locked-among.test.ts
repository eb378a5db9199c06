import { expect, test } from 'vitest'
import type { PurchaseId } from '../../../src/base/names.ts'
import type { Purchase } from '../../../src/base/purchase.ts'
import { lockedAmong, saysTheSame } from '../../../src/run/ledger/locked-among.ts'
import { done, doubt, failed, job, running } from '../../plan/world.ts'

const [red, blue] = [job('cup', { prompt: 'red' }), job('cup', { prompt: 'blue' })]
const id = (name: string) => ({ id: name as PurchaseId }) // short, printable

test.each<[string, readonly Purchase[], readonly string[]]>([
  ['a failure alone stands', [failed(red, id('a'))], ['failed a']],
  ['one that is proven to cost nothing does not', [failed(red, { ...id('a'), billed: 'no' })], []],
  ['the same made after it settles it', [failed(red, id('a')), done(red, id('b'))], ['done b']],
  [
    'what came of it and is no result keeps it',
    [failed(red, { ...id('a'), files: done(red).files }), done(red, id('b'))],
    ['past a', 'done b'],
  ],
  ['the same on its way settles it', [failed(red, id('a')), running(red, id('b'))], ['under-way b']],
  ['the same in doubt settles it: that holds', [failed(red, id('a')), doubt(red, id('b'))], ['doubt b']],
  ['something else makes it past', [failed(red, id('a')), done(blue, id('b'))], ['past a', 'done b']],
  ['what was there before says nothing', [done(blue, id('b')), failed(red, id('a'))], ['done b', 'failed a']],
  [
    'nor does what is put aside',
    [failed(red, id('a')), done(red, { ...id('b'), aside: true })],
    ['failed a', 'done b'],
  ],
  [
    'nor what another job got',
    [failed(red, id('a')), done(job('pot', { prompt: 'red' }), id('b'))],
    ['failed a', 'done b'],
  ],
  [
    'each of two failures stands for itself',
    [failed(red, id('a')), failed(blue, id('b')), done(blue, id('c'))],
    ['past a', 'done c'],
  ],
])('what stands in a lock: %s', (_, purchases, expected) => {
  const shown = lockedAmong(purchases, new Set())
  expect(shown.map(each => `${each.is === 'failed' && each.isPast ? 'past' : each.is} ${each.id}`)).toEqual(
    expected,
  )
  // The next one says the same, and is not written.
  const lock = { lineage: '', manifest: 'm.yaml', jobs: shown }
  expect(saysTheSame(lock, lockedAmong(purchases, new Set()))).toBe(true)
})

test('what is hidden stands in none, and says nothing of others', () => {
  const purchases = [failed(red, id('a')), done(red, id('b'))]
  expect(lockedAmong(purchases, new Set(['b' as PurchaseId]))).toEqual([purchases[0]])
})
