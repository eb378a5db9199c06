import { expect, test } from 'vitest'
import { jobAddress, type PurchaseId } from '../../src/base/names.ts'
import { type Locked, writeLock } from '../../src/store/lock.ts'
import { salvageLock } from '../../src/store/lock-salvage.ts'

const lineage = 'b'.repeat(32)

function bought(id: string): Locked {
  const recipe = { version: 1, model: 'm', params: {}, defaults: {}, inputs: {}, take: 1 } as const
  return { id: id as PurchaseId, address: jobAddress(id), recipe, is: 'done', files: [] }
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

test('the lineage stays', () => expect(salvageLock(text.slice(0, 120)).lineage).toBe(lineage))
