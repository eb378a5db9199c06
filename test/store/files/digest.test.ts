import { expect, test } from 'vitest'
import {
  canonicalJson,
  digestBytes,
  digestFile,
  digestInTurns,
  digestOf,
  digestText,
} from '../../../src/store/files/digest.ts'
import { memoryDisk, place } from '../memory-disk.ts'

test('a digest says which kind it is', () => {
  expect(digestBytes('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a text that is asked for again has the digest of its bytes, and another one has its own', () => {
  for (const text of ['abc', 'abc', 'abd', 'é', 'abc', '']) expect(digestText(text)).toBe(digestBytes(text))
})

test('a file is digested in pieces', async () => {
  const disk = memoryDisk()
  await place(disk, '/a', 'abc'.repeat(100))
  expect(await digestFile(disk, '/a')).toBe(digestBytes('abc'.repeat(100)))
})

test('pieces are digested with room for others in between', async () => {
  let others = 0
  const timer = setInterval(() => others++, 0)
  const digest = await digestInTurns(Array.from({ length: 200 }, () => 'a'.repeat(100_000)))
  clearInterval(timer)
  expect(digest).toBe(digestBytes('a'.repeat(20_000_000)))
  expect(others).toBeGreaterThan(0)
})

test.each([
  [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
  [{ b: { d: 1, c: [3, { f: 1, e: 2 }] }, a: null }, '{"a":null,"b":{"c":[3,{"e":2,"f":1}],"d":1}}'],
  [[3, 1, 2], '[3,1,2]'],
  [1.0, '1'],
  [-0, '0'],
  [0.1 + 0.2, '0.30000000000000004'],
  [1e21, '1e+21'],
  ['tea\n"pot" ☕', '"tea\\n\\"pot\\" ☕"'],
  [{ '10': 1, '9': 2, é: 3, z: 4 }, '{"10":1,"9":2,"z":4,"é":3}'],
  [true, 'true'],
])('%j is written %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text)
})

test('the order of keys does not change a digest, the order of a list does', () => {
  expect(digestOf({ a: 1, b: [1, 2] })).toBe(digestOf({ b: [1, 2], a: 1 }))
  expect(digestOf({ a: 1, b: [1, 2] })).not.toBe(digestOf({ a: 1, b: [2, 1] }))
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is no JSON', value => {
  expect(() => canonicalJson({ value })).toThrow('not a JSON number')
})
