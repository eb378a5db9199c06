import { expect, test } from 'vitest'
import { type Digest, jobAddress, type Pointer, type PurchaseId } from '../../../src/base/names.ts'
import { type DonePurchase, orderOf, type Purchase } from '../../../src/base/purchase.ts'
import { takeOf } from '../../../src/plan/takes.ts'
import { picksOfOtherLocks } from '../../../src/workspace/records/other-choice.ts'

/** Its file has the digest of its name. `from`: what it is made from. */
function made(name: string, address: string, from: readonly string[] = [], prompt = address): DonePurchase {
  const at = jobAddress(address)
  const inputs = from.length > 0 ? { ['/startFrame' as Pointer]: from.map(each => `sha256:${each}`) } : {}
  return {
    is: 'done',
    id: name as PurchaseId,
    address: at,
    recipe: {
      version: 1,
      model: 'famc-v3',
      params: { prompt: prompt.replace(/#\d+$/, '') },
      defaults: {},
      inputs,
      take: takeOf(at),
    },
    files: [{ path: `${name}.png`, digest: `sha256:${name}` as Digest, bytes: 1, type: 'image/png' }],
  }
}

const first = made('one', 'hero')
const second: DonePurchase = { ...made('two', 'hero#2'), picked: true }
function inDoubt(purchase: DonePurchase): Purchase {
  return { ...orderOf(purchase), is: 'doubt', detail: '', raws: [] }
}

test.each<[string, readonly Purchase[], boolean]>([
  ['nothing is made from either', [], true],
  ['a clip was made from the other alone', [made('a', 'clip', ['one'])], true],
  ['a clip was made from both', [made('a', 'clip', ['one']), made('b', 'clip', ['two'])], true],
  ['a clip was made from it alone', [made('b', 'clip', ['two'])], false],
  ['a clip from it is in doubt', [inDoubt(made('b', 'clip', ['two']))], false],
  [
    'the clip from the other is in doubt',
    [inDoubt(made('a', 'clip', ['one'])), made('b', 'clip', ['two'])],
    false,
  ],
  [
    'the clip from the other says something else',
    [made('a', 'clip', ['one'], 'out'), made('b', 'clip', ['two'])],
    false,
  ],
  [
    'what is like it is made from another job',
    [made('x', 'fox'), made('a', 'clip', ['x']), made('b', 'clip', ['two'])],
    false,
  ],
  [
    'of two inputs the other one differs',
    [made('a', 'clip', ['one', 'x']), made('b', 'clip', ['two', 'y'])],
    false,
  ],
  [
    'what is made from the clip was made from both',
    [
      made('a', 'clip', ['one']),
      made('b', 'clip', ['two']),
      made('c', 'film', ['a']),
      made('d', 'film', ['b']),
    ],
    true,
  ],
  [
    'what is made from the clip was made from this one’s alone',
    [made('a', 'clip', ['one']), made('b', 'clip', ['two']), made('d', 'film', ['b'])],
    false,
  ],
])('a take that another lock picked is no choice any more: %s', (_, others, isOver) => {
  const all = [first, second, ...others]
  expect(picksOfOtherLocks(all, new Set([second.id]))).toEqual(isOver ? [second] : [])
  // What the lock has is its own choice.
  expect(picksOfOtherLocks(all, new Set())).toEqual([])
})

test('the only take that there is stays the choice', () => {
  expect(picksOfOtherLocks([second], new Set([second.id]))).toEqual([])
})
