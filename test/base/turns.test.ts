import { expect, test } from 'vitest'
import { openTurns } from '../../src/base/turns.ts'

test('so much is done at a time as is allowed at that moment, in its order', async () => {
  let room = 2
  const turns = openTurns(() => room)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const all = Array.from({ length: 6 }, (_, nth) =>
    turns(async () => {
      begun.push(nth)
      await new Promise<void>(resolve => void (ends[nth] = resolve))
      if (nth === 1) throw new Error('that one')
    }),
  )
  const ended = Promise.allSettled(all)
  const end = async (nth: number) => {
    ends[nth]?.()
    await new Promise(setImmediate)
  }
  await end(9)
  expect(begun).toEqual([0, 1])
  await end(1)
  expect(begun).toEqual([0, 1, 2])
  room = 1
  await end(0)
  expect(begun).toEqual([0, 1, 2])
  room = 3
  await end(2)
  expect(begun).toEqual([0, 1, 2, 3, 4, 5])
  for (const nth of [3, 4, 5]) await end(nth)
  expect((await ended).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    ...Array(4).fill('fulfilled'),
  ])
})
