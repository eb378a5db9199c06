import { expect, test } from 'vitest'
import { gather } from '../../src/fleet/gather.ts'

test('what is wanted while one is asked is asked together after it, and trouble is heard by those who asked', async () => {
  const asked: (readonly string[])[] = []
  const ask = gather(async (questions: readonly string[]) => {
    asked.push(questions)
    await Promise.resolve()
    if (questions.includes('bad')) throw new Error('trouble')
    return questions.join('+')
  })
  const answers = await Promise.allSettled([ask('a'), ask('b'), ask('bad')])
  expect(answers).toMatchObject([{ value: 'a' }, { reason: { message: 'trouble' } }, { status: 'rejected' }])
  expect(await Promise.all([ask('c'), ask('d'), ask('e')])).toEqual(['c', 'd+e', 'd+e'])
  expect(asked).toEqual([['a'], ['b', 'bad'], ['c'], ['d', 'e']])
})
