import { expect, test } from 'vitest'
import { error, problemRecord, sortProblems, warning, withNotes } from '../../src/base/diagnostic.ts'
import { renderProblem } from '../../src/base/excerpt.ts'
import { positionAt, type SourceFile, spanOf } from '../../src/base/source.ts'

const file: SourceFile = {
  name: 'campaign.yaml',
  text: 'jobs:\n  clip:\n    duration: 7\r\n\tname: 茶の湯 x\n',
}

function spanAt(word: string, from = file) {
  const start = from.text.indexOf(word)
  return spanOf(from, start, start + word.length)
}

test('a problem is printed with its place, its line, an underline and its hint', () => {
  const problem = error(
    'bad-value',
    spanAt('7'),
    'duration must be one of 3, 5, 8',
    'the nearest are 5 and 8',
  )
  expect(renderProblem(problem)).toBe(`campaign.yaml:3:15: error: duration must be one of 3, 5, 8 [bad-value]
3 |     duration: 7
  |               ^
  = hint: the nearest are 5 and 8`)
})

test('the underline stands below wide characters and tabs', () => {
  expect(
    renderProblem(warning('bad-yaml', spanAt('の湯'), 'odd')),
  ).toBe(`campaign.yaml:4:9: warning: odd [bad-yaml]
4 |   name: 茶の湯 x
  |           ^^^^`)
})

test('a note shows its own place', () => {
  const twice = error('duplicate-key', spanAt('duration'), 'said twice')
  const problem = withNotes(twice, [{ message: 'first here', at: spanAt('clip') }])
  expect(renderProblem(problem)).toBe(`campaign.yaml:3:5: error: said twice [duplicate-key]
3 |     duration: 7
  |     ^^^^^^^^
campaign.yaml:2:3: note: first here
2 |   clip:
  |   ^^^^`)
})

test('a span over several lines is underlined to the end of its first line', () => {
  const at = spanOf(file, file.text.indexOf('clip'), file.text.indexOf('7'))
  expect(
    renderProblem(error('too-long', at, 'long'))
      .split('\n')
      .at(-1),
  ).toBe('  |   ^^^^^')
})

test('a very long line is cut to a window around the place', () => {
  const long: SourceFile = { name: 'l.yaml', text: `${'a'.repeat(5000)}HERE${'b'.repeat(5000)}` }
  const lines = renderProblem(error('bad-value', spanAt('HERE', long), 'x')).split('\n')
  expect(lines[1]?.length).toBeLessThan(180)
  expect(lines[2]?.indexOf('^')).toBe(lines[1]?.indexOf('HERE'))
})

test('control characters of the text never reach the output', () => {
  const evil: SourceFile = { name: 'e.yaml', text: 'a: "\u001b[2J"' }
  expect(renderProblem(error('bad-value', spanAt('a', evil), 'no \u001b[2J'))).not.toContain('\u001b')
})

test('an empty file has a place and no excerpt', () => {
  expect(renderProblem(error('empty-file', spanOf({ name: 'e.yaml', text: '' }, 0, 0), 'empty'))).toBe(
    'e.yaml:1:1: error: empty [empty-file]',
  )
})

test('columns count characters, lines end with LF, CR or CRLF', () => {
  const mixed: SourceFile = { name: 'm', text: '🍵x\r\ny\rz\n' }
  expect(positionAt(mixed, mixed.text.indexOf('x'))).toEqual({ line: 1, column: 2 })
  expect(positionAt(mixed, mixed.text.indexOf('y'))).toEqual({ line: 2, column: 1 })
  expect(positionAt(mixed, mixed.text.indexOf('z'))).toEqual({ line: 3, column: 1 })
  expect(positionAt(mixed, mixed.text.length)).toEqual({ line: 4, column: 1 })
})

test('problems come in order of place, each once', () => {
  const [a, b] = [error('bad-value', spanAt('7'), 'a'), error('bad-id', spanAt('clip'), 'b')]
  expect(sortProblems([a, b, { ...a }]).map(problem => problem.code)).toEqual(['bad-id', 'bad-value'])
})

test('a record counts lines and columns from 1, the end exclusive', () => {
  expect(problemRecord(error('bad-value', spanAt('duration'), 'm', 'h'))).toEqual({
    code: 'bad-value',
    severity: 'error',
    message: 'm',
    file: 'campaign.yaml',
    line: 3,
    column: 5,
    endLine: 3,
    endColumn: 13,
    hint: 'h',
  })
})
