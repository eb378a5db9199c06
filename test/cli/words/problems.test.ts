import { describe, expect, test } from 'vitest'
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
  const words = Array.from({ length: 1500 }, (_, nth) => 'x'.repeat(nth + 1))
  const flood = words.map(word => error('bad-value', spanOf(file, 6, 8), word))
  const lines = problemsText(flood, colours(false)).split('\n')
  expect(lines.slice(-3)).toEqual([
    '… 1,400 more problems; --json lists all of them',
    '',
    '1,500 problems in campaign.yaml: 1,500 errors',
  ])
  expect(lines).toHaveLength(303)
})

describe('problems that differ in names and numbers only', () => {
  const rows = { name: 'rows.yaml', text: 'wrong\n'.repeat(9) }
  const at = (line: number, word = `job${line}`) =>
    error('bad-value', spanOf(rows, 6 * line - 6, 6 * line - 1), `${word} is wrong`, `mend job${line}`)
  const heads = (lines: readonly number[], odd = at(5, 'another')) =>
    problemsText([...lines.map(line => at(line)), odd], colours(false))
      .split('\n')
      .filter(line => /^rows|more like/.test(line))

  test.each([
    [4, ['job1', 'job2', 'job3', 'job4', 'another']],
    [5, ['job1', 'job2', 'job3', '  = 2 more like this: lines 4, 5', 'another']],
    [9, ['job1', 'job2', 'job3', '  = 6 more like this: lines 4, 5, 6, 7, 8 …', 'another']],
  ])(
    'are shown up to three times and then counted: %i of them, and one that is unlike',
    (count, expected) => {
      const lines = Array.from({ length: count }, (_, nth) => nth + 1)
      const [shown, unlike] = [heads(lines), expected.at(-1) ?? '']
      expect(shown).toHaveLength(expected.length)
      for (const [nth, line] of shown.entries()) expect(line).toContain(expected[nth])
      expect(shown.at(-1)).toContain(unlike)
    },
  )

  test('are not the same as a warning, or as those of another file', () => {
    const warned = { ...at(2), severity: 'warning' as const }
    const elsewhere = { ...at(2), at: spanOf(file, 0, 4) }
    const text = problemsText([at(1), at(2), at(3), warned, elsewhere], colours(false))
    expect(text).not.toContain('more like this')
  })
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
