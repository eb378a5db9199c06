import { expect, test } from 'vitest'
import { gate } from '../../src/desk/carry/gate.ts'
import { StorageTrouble } from '../../src/store/trouble.ts'

const open = {
  stop: new AbortController().signal,
  claim: { isMine: () => true },
  journal: { broken: undefined },
}
const trouble = new StorageTrouble('/p/claim', 'list', 'the disk reports an error', 'EIO')

test('a paid request may leave when nobody keeps it back', () => {
  expect(gate(open)).toBeUndefined()
})

test.each([
  ['a stop', { stop: AbortSignal.abort() }, { why: 'stopped' }],
  ['a claim that another took over', { claim: { isMine: () => false } }, { why: 'stopped' }],
  [
    'a journal that cannot be written',
    { journal: { broken: trouble } },
    { why: 'unsaved', path: '/p/claim', detail: 'the disk reports an error' },
  ],
  [
    'a claim that cannot be read',
    {
      claim: {
        isMine: () => {
          throw trouble
        },
      },
    },
    { why: 'unsaved', path: '/p/claim', detail: 'the disk reports an error' },
  ],
])('%s keeps it back', (_, changed, failure) => {
  expect(gate({ ...open, ...changed })).toEqual(failure)
})

test('a bug is no reason to keep it back quietly', () => {
  const isMine = () => {
    throw new Error('a bug')
  }
  expect(() => gate({ ...open, claim: { isMine } })).toThrow('a bug')
})
