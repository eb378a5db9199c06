import { expect, test } from 'vitest'
import { jsonFault } from '../../src/text/json-fault.ts'

test.each([
  ['{ "a": [1, 2], |}', 'a comma too many'],
  ['[1, |]', 'a comma too many in a list'],
  ['{ |// one\n "a": 1 }', 'a comment'],
  ['{ "a": 1, |/* two */ "b": 2 }', 'a comment inside'],
  ['{ "a": 1 |"b": 2 }', 'a comma too few'],
  ['{ "a" |"b" }', 'no colon'],
  ["{ |'a': 1 }", 'other quotes'],
  ['{ |a: 1 }', 'none'],
  ['{ "a": 1|', 'no end'],
  ['{ "a": 1 }|}', 'two ends'],
  ['{ "a": [1|} }', 'another end'],
  ['{ "a": |"b\nc" }', 'a line end in a text'],
  ['{ "a": |"\\x" }', 'an escape that is none'],
  ['{ "a": |01 }', 'a number that is none'],
  ['{ "a": |nul }', 'a word that is none'],
  ['|', 'nothing'],
  ['[] |[]', 'two values'],
])('%s: the fault of a text is found: %s', marked => {
  const text = marked.replace('|', '')
  expect(() => JSON.parse(text)).toThrow()
  expect(jsonFault(text)).toBe(marked.indexOf('|'))
})

test.each([
  '{}',
  '[]',
  '[[], {}, [{}]]',
  '{ "a": { "b": [1, -0.5e+3, null] }, "c": "\\u00e4\\"\\\\ \u007f\u0085" }',
  ' "é😀" ',
  '-0',
])('what is JSON has its fault at the end: %s', text => {
  JSON.parse(text)
  expect(jsonFault(text)).toBe(text.length)
})
