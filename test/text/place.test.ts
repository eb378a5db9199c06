import { describe, expect, test } from 'vitest'
import { spanInside } from '../../src/text/place.ts'
import { nodeAt, type TextScalar } from '../../src/text/tree.ts'
import { readYaml } from '../../src/text/yaml.ts'
import fc from '../cases.ts'

function scalarOf(text: string): TextScalar {
  const { value, problems } = readYaml({ name: 'm.yaml', text })
  const node = value && nodeAt(value, ['a'])
  if (node?.kind !== 'scalar') throw new Error(problems.map(problem => problem.message).join())
  return node
}

/** The source of the first occurrence of a word in the value. */
function sourceOf(text: string, word: string): string {
  const scalar = scalarOf(text)
  const at = String(scalar.value).indexOf(word)
  const span = spanInside(scalar, at, at + word.length)
  return `${span.start}:${text.slice(span.start, span.end)}`
}

describe('a part of a text is found in the source', () => {
  test.each([
    ['plain', 'a: one two three\n', 'two', '7:two'],
    ['plain over lines', 'a: one\n   two\n   three\n', 'three', '17:three'],
    ['plain across a line end', 'a: one\n   two\n', 'one two', '3:one\n   two'],
    ['single quotes', "a: 'one two'\n", 'two', '8:two'],
    ['single quotes with an apostrophe', "a: 'it''s two'\n", 'two', '10:two'],
    ['the apostrophe itself', "a: 'it''s'\n", "'", "6:''"],
    ['double quotes', 'a: "one two"\n', 'two', '8:two'],
    ['double quotes with escapes', 'a: "\\"o\\u00e9\\n\\ttwo"\n', 'two', '17:two'],
    ['an escaped character', 'a: "x\\U0001F375y"\n', '🍵', '5:\\U0001F375'],
    ['behind an escaped pair', 'a: "\\ud83c\\udf75 two"\n', 'two', '17:two'],
    ['double quotes over lines', 'a: "one\n  two\\\n  three"\n', 'three', '17:three'],
    ['literal', 'a: |\n  one\n  two\n', 'two', '13:two'],
    ['literal with a comment in its head', 'a: |- # two\n  one\n  two\n', 'two', '20:two'],
    ['literal with further indentation', 'a: |\n  one\n    two\n', 'two', '15:two'],
    ['folded', 'a: >\n  one\n  two\n\n  three\n', 'three', '20:three'],
    ['folded with CRLF', 'a: >\r\n  one\r\n  two\r\n', 'two', '15:two'],
  ])('%s', (_, text, word, expected) => {
    expect(sourceOf(text, word)).toBe(expected)
  })

  test('a number is its whole source', () => {
    const scalar = scalarOf('a: 0x1F\n')
    expect(spanInside(scalar, 1, 2)).toMatchObject({ start: 3, end: 7 })
  })

  test('every solid character of a plain or quoted text is found exactly', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', "'", '"', '\\', 'é', '💧', '{'),
      minLength: 1,
      maxLength: 5,
    })
    const quoted = (value: string) => [JSON.stringify(value), `'${value.replaceAll("'", "''")}'`]
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), words => {
        const value = words.join(' ')
        for (const source of quoted(value)) {
          const text = `a: ${source}\n`
          const scalar = scalarOf(text)
          for (let at = 0; at < value.length; at++) {
            if (value[at] === ' ') continue
            const span = spanInside(scalar, at, at + 1)
            const shown = text.slice(span.start, span.end)
            expect([value[at], `\\${value[at]}`, "''"]).toContain(shown)
          }
        }
      }),
    )
  })
})
