import { expect, test } from 'vitest'
import { explainedWords, explainWord } from '../../src/verbs/explain.ts'

test.each([
  ['short', 'Fewer files were delivered than were ordered'],
  ['under-way', 'paid for and not fetched'],
  ['held', 'Nothing is done about it until something else is'],
])('what `status` says is explained: %s', (word, about) => {
  expect(explainWord(word)).toMatchObject({ outcomes: [{ word, about: expect.stringContaining(about) }] })
  expect(explainedWords()).toContain(word)
})
