import { describe, expect, test } from 'vitest'
import { colours } from '../../../src/cli/io/colour.ts'
import { wrapHelp, wrapTalk } from '../../../src/cli/io/wrap.ts'

const paint = colours(true)

test.each([
  ['what fits', '1 job: 1 made', 20, '1 job: 1 made'],
  ['what just fits', 'twelve chars', 12, 'twelve chars'],
  ['a sentence', 'nothing is paid for twice', 16, 'nothing is paid\n  for twice'],
  ['a hint', '  = hint: use it or not', 14, '  = hint: use\n    it or not'],
  ['columns that fit keep their gaps', 'a   b   ccccc', 9, 'a   b\n  ccccc'],
  [
    'a word that never fits',
    'in out/campaign/stills/fox.png now',
    12,
    'in\n  out/campaign/stills/fox.png\n  now',
  ],
  ['a line of a manifest', '12 | prompt: a b c d e f g', 12, '12 | prompt: a b c d e f g'],
  ['its underline', '   |         ^^^^^^^^ ^^^', 12, '   |         ^^^^^^^^ ^^^'],
  ['wide characters', '茶 茶 茶 茶', 5, '茶 茶\n  茶\n  茶'],
  ['several lines', 'short\na longer line', 9, 'short\na longer\n  line'],
])('%s', (_, text, columns, expected) => {
  expect(wrapTalk(text, columns)).toBe(expected)
})

test('colours take no room and stay whole', () => {
  const line = `4 jobs: ${paint.good('3 made')}, ${paint.error('1 failed')}`
  expect(wrapTalk(line, 24)).toBe(line)
  expect(wrapTalk(line, 15)).toBe(`4 jobs: ${paint.good('3 made')},\n  ${paint.error('1 failed')}`)
})

describe('help on a narrow terminal', () => {
  const help = `genrun tea: make tea

Options:
      --leaves <count>  how many leaves are
                        taken
  -h, --help            this text`

  test('is as it is where it fits', () => {
    expect(wrapHelp(help, 50)).toBe(help)
  })

  test('has what a flag says below the flag, unless both fit', () => {
    expect(wrapHelp(help, 33)).toBe(`genrun tea: make tea

Options:
      --leaves <count>
        how many leaves are taken
  -h, --help            this text`)
  })
})
