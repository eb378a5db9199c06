import { expect, test } from 'vitest'
import { gather } from '../../src/fleet/gather.ts'
import { PassingTrouble } from '../../src/fleet/trouble.ts'

test('what is wanted while one is asked is asked together after it, and trouble that passes is heard by all of them', async () => {
  const asked: (readonly string[])[] = []
  const ask = gather(async (questions: readonly string[]) => {
    asked.push(questions)
    await Promise.resolve()
    if (questions.includes('bad')) throw new PassingTrouble('trouble')
    return questions.join('+')
  })
  const answers = await Promise.allSettled([ask('a'), ask('b'), ask('bad')])
  expect(answers).toMatchObject([{ value: 'a' }, { reason: { message: 'trouble' } }, { status: 'rejected' }])
  expect(await Promise.all([ask('c'), ask('d'), ask('e')])).toEqual(['c', 'd+e', 'd+e'])
  expect(asked).toEqual([['a'], ['b', 'bad'], ['c'], ['d', 'e']])
})

test('what is wrong with one is heard by that one alone', async () => {
  const asked: (readonly string[])[] = []
  const ask = gather(async (questions: readonly string[]) => {
    asked.push(questions)
    if (questions.includes('bad')) throw new Error('no text')
    return questions.join('+')
  })
  const answers = await Promise.allSettled([ask('a'), ask('b'), ask('bad'), ask('c')])
  expect(answers).toMatchObject([
    { value: 'a' },
    { value: 'b' },
    { reason: { message: 'no text' } },
    { value: 'c' },
  ])
  expect(asked).toEqual([['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']])
})

test('what comes within a rest is asked together', async () => {
  const asked: (readonly string[])[] = []
  const rests: (() => void)[] = []
  const ask = gather(
    async (questions: readonly string[]) => void asked.push(questions),
    () => new Promise(resolve => rests.push(resolve)),
  )
  const answers = [ask('a'), ask('b')]
  expect(asked).toEqual([])
  rests.shift()?.()
  await Promise.all(answers)
  expect(asked).toEqual([['a', 'b']])
})
