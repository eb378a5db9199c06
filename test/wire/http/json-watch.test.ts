import { expect, test } from 'vitest'
import { jsonBounds, watchJson } from '../../../src/wire/http/json-watch.ts'
import fc from '../../cases.ts'

function watched(...chunks: readonly (string | Uint8Array)[]) {
  const watch = watchJson()
  for (const chunk of chunks) watch.take(Buffer.from(chunk as string))
  return watch
}

/** What is whole of a text, as JSON. */
function soundOf(text: string): unknown {
  const { bytes, closing } = watched(text).sound()
  return JSON.parse(`${Buffer.from(text).toString('utf8', 0, bytes)}${closing}`)
}

test.each<[string, string, unknown]>([
  ['within a text', '{"id":"r1","status":"que', { id: 'r1' }],
  ['within the id itself, which would be another one', '{"data":{"id":"r1', { data: {} }],
  ['behind a number, which may go on', '{"a":1,"id":12', { a: 1 }],
  ['behind an escape', '{"a":"\\"","b":"\\', { a: '"' }],
  ['within a list', '[{"id":"r1"},{"id"', [{ id: 'r1' }, {}]],
  ['behind a closed object', '{"a":{"id":"r1"}', { a: { id: 'r1' } }],
])('of JSON that ends %s what is whole is known', (_, text, whole) => {
  expect(soundOf(text)).toEqual(whole)
})

const { depth, values } = jsonBounds
const flat = (count: number) => `{"id":"r1","list":[${'1,'.repeat(count)}1]}`

test.each<[string, string, string | undefined]>([
  ['as deep as may be', '['.repeat(depth), undefined],
  ['deeper', '['.repeat(depth + 1), 'the answer has more than 64 lists and objects in each other'],
  ['brackets in a text', `["${'['.repeat(depth + 1)}\\"${'{'.repeat(depth + 1)}`, undefined],
  ['as many as may be', flat(values - 3), undefined],
  ['more', flat(values - 2), 'the answer has more than 100000 values'],
  ['commas in a text', `["${','.repeat(values + 1)}"]`, undefined],
])('JSON is held to its bounds: %s', (_, text, flaw) => {
  expect(watched(text).flaw()).toBe(flaw)
})

test.each<[string, string]>([
  ['a picture', `\u0089PNG${','.repeat(values + 1)}`],
  ['text', `busy${'['.repeat(depth + 1)}`],
])('what cannot be JSON by its beginning is not looked through: %s', (_, text) => {
  expect(watched(Buffer.from(text, 'latin1')).flaw()).toBeUndefined()
})

test('JSON is known behind blanks and the marks of UTF-8 and UTF-16', () => {
  const deep = '['.repeat(depth + 1)
  for (const bytes of [Buffer.from(`\ufeff \n${deep}`), Buffer.from(`\ufeff\t${deep}`, 'utf16le')])
    expect(watched(bytes.subarray(0, 3), bytes.subarray(3)).flaw()).toContain('more than 64')
})

test.each<[string, string]>([
  ['deep', `{"id":"r1","x":${'['.repeat(depth + 9)}`],
  ['long', flat(values + 9)],
])('what came before a bound was broken is known: %s', (_, text) => {
  expect(soundOf(text)).toMatchObject({ id: 'r1' })
})

test('however it is cut in pieces, and wherever it ends, nothing becomes whole that is not', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(), (text, from, end) => {
      const bytes = Buffer.from(text)
      const [cut, stop] = [from % (bytes.length + 1), end % (bytes.length + 1)]
      const whole = watched(bytes)
      const pieces = watched(bytes.subarray(0, cut), bytes.subarray(cut))
      expect(pieces.sound()).toEqual(whole.sound())
      const sound = watched(bytes.subarray(0, stop)).sound()
      const found = `${bytes.toString('utf8', 0, sound.bytes)}${sound.closing}`
      if (found !== '') expectPart(JSON.parse(found), JSON.parse(text))
    }),
    { numRuns: 300 },
  )
})

/** Every value of a part stands at its place in the whole. */
function expectPart(part: unknown, whole: unknown): void {
  if (typeof part !== 'object' || part === null) return expect(part).toBe(whole)
  for (const [key, member] of Object.entries(part)) {
    expectPart(member, Object.getOwnPropertyDescriptor(whole, key)?.value)
  }
}
