import { expect, test } from 'vitest'
import { readLiteral } from '../../src/text/literal.ts'
import { toJson } from '../../src/text/tree.ts'

function read(text: string) {
  const got = readLiteral({ name: 'x', text }, 0)
  return got.got === 'value'
    ? { value: toJson(got.value), end: got.end }
    : { code: text.slice(got.at.start, got.at.end) }
}

test.each<[string, unknown]>([
  ['5', 5],
  ['-0.5e2', -50],
  ['10_000', 10000],
  ['true', true],
  ['null', null],
  ["'a\\tb\\\n c'", 'a\tb c'],
  ['"\\u{1F375}\\ud83c\\udf75\\x41\\q"', '🍵🍵Aq'],
  ['`a $b\n{c}`', 'a $b\n{c}'],
  ['[1, [2,],]', [1, [2]]],
  ['{ a: 1, "b c": [], $d_1: { }, }', { a: 1, 'b c': [], $d_1: {} }],
  ['/* a */ { // b\n a: /* c */ 1 /* d */ }', { a: 1 }],
  ["new URL('https://a.example/')", 'https://a.example/'],
])('%s is data', (text, value) => {
  expect(read(text)).toEqual({ value, end: text.length })
})

test.each<[string, string]>([
  ['name', 'name'],
  ['{ a: b.c }', 'b.c'],
  ['{ a }', '}'],
  ['{ ...a }', '...a'],
  ['[1 2]', '2'],
  ['`a ${b}`', '`'],
  ['"a', '"'],
  ['12px', '12px'],
  ['truely', 'truely'],
  ['new Date(0)', 'new'],
  ['{ a: 1', ''],
  ['', ''],
])('%s is code', (text, code) => {
  expect(read(text)).toEqual({ code })
})

test('every node is the place it was read from', () => {
  const text = '{ a: [10, "b"] }'
  const got = readLiteral({ name: 'x', text }, 0)
  const entry = got.got === 'value' && got.value.kind === 'map' ? got.value.entries[0] : undefined
  const items = entry?.value.kind === 'list' ? entry.value.items : []
  const said = [entry?.key, entry?.value, ...items].map(each => each && text.slice(each.start, each.end))
  expect(said).toEqual(['a', '[10, "b"]', '10', '"b"'])
})
