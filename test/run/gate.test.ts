import { expect, test } from 'vitest'
import { gate } from '../../src/run/gate.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'

const open = {
  stop: new AbortController().signal,
  claim: { standing: () => 'mine' as const },
  journal: { broken: undefined, isThere: () => true },
  ledger: { displaced: undefined },
  spool: { broken: undefined },
}
const takenAway = {
  why: 'unsaved',
  path: 'the state folder',
  detail: 'it was taken away while genrun was at work',
}
const trouble = new StorageError('/p/claim', 'list', 'the disk reports an error', 'EIO')

test('a paid request may leave when nobody keeps it back', () => {
  expect(gate(open)).toBeUndefined()
})

test.each([
  ['a stop', { stop: AbortSignal.abort() }, { why: 'stopped' }],
  ['a claim that another took over', { claim: { standing: () => 'taken' as const } }, { why: 'stopped' }],
  [
    'a claim that was taken away with its folder',
    { claim: { standing: () => 'vanished' as const } },
    takenAway,
  ],
  ['a journal that was taken away', { journal: { broken: undefined, isThere: () => false } }, takenAway],
  [
    'a journal that cannot be written',
    { journal: { broken: trouble, isThere: () => true } },
    { why: 'unsaved', path: '/p/claim', detail: 'the disk reports an error' },
  ],
  [
    'a spool that the disk has no room for',
    { spool: { broken: trouble } },
    { why: 'unsaved', path: '/p/claim', detail: 'the disk reports an error' },
  ],
  [
    'a lock that is another one',
    { ledger: { displaced: trouble } },
    { why: 'unsaved', path: '/p/claim', detail: 'the disk reports an error' },
  ],
  [
    'a claim that cannot be read',
    {
      claim: {
        standing: () => {
          throw trouble
        },
      },
    },
    { why: 'unsaved', path: '/p/claim', detail: 'the disk reports an error' },
  ],
])('%s keeps it back', (_, changed, failure) => {
  expect(gate({ ...open, ...changed })).toEqual(failure)
})

test('one look at the claim is enough: each reads a folder and a file before every paid request', () => {
  let looks = 0
  const standing = () => {
    looks += 1
    return 'mine' as const
  }
  expect(gate({ ...open, claim: { standing } })).toBeUndefined()
  expect(looks).toBe(1)
})

test('a bug is no reason to keep it back quietly', () => {
  const standing = () => {
    throw new Error('a bug')
  }
  expect(() => gate({ ...open, claim: { standing } })).toThrow('a bug')
})
