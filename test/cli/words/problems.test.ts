import { expect, test } from 'vitest'
import { error, warning } from '../../../src/base/diagnostic.ts'
import { spanOf } from '../../../src/base/source.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { countLine, problemsText, troubleText } from '../../../src/cli/words/problems.ts'

const file = { name: 'campaign.yaml', text: 'jobs: []\n' }
const shared = { name: 'shared/style.yaml', text: 'vars: []\n' }
const wrong = error('bad-value', spanOf(file, 6, 8), 'this is wrong')
const odd = warning('unused-var', spanOf(file, 0, 4), 'nothing uses this')

test.each([
  [[wrong, wrong, odd], '3 problems in campaign.yaml: 2 errors, 1 warning'],
  [[wrong], '1 problem in campaign.yaml: 1 error'],
  [[odd, odd], '2 problems in campaign.yaml: 2 warnings'],
  [[wrong, { ...odd, at: spanOf(shared, 0, 4) }], '2 problems in 2 files: 1 error, 1 warning'],
])('the count line names what there is', (problems, line) => {
  expect(countLine(problems)).toBe(line)
})

test('a flood of problems is cut, and says how to see the rest', () => {
  const lines = problemsText(
    Array.from({ length: 1500 }, () => wrong),
    colours(false),
  ).split('\n')
  expect(lines.slice(-3)).toEqual([
    '… 1,400 more problems; --json lists all of them',
    '',
    '1,500 problems in campaign.yaml: 1,500 errors',
  ])
  expect(lines).toHaveLength(303)
})

test('on a terminal the word and the mark are coloured', () => {
  const escape = String.fromCodePoint(27)
  expect(problemsText([wrong], colours(true))).toContain(`${escape}[31merror${escape}[39m`)
})

test('trouble without a place has the form of a problem', () => {
  expect(troubleText({ code: 'no-key', message: 'no key', hint: 'set one' }, colours(false))).toBe(
    'genrun: error: no key [no-key]\n  = hint: set one',
  )
  expect(troubleText({ code: 'no-key', message: 'no\u001bkey' }, colours(false))).toBe(
    'genrun: error: no\\u{1b}key [no-key]',
  )
})
