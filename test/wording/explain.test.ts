import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { explain, explanations } from '../../src/verbs/explain.ts'

const src = join(import.meta.dirname, '..', '..', 'src')
const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !name.endsWith('explanations.ts'))
  .map(name => readFileSync(join(src, name), 'utf8'))

/** Codes that sources name where a problem is made. */
function codesIn(text: string): string[] {
  const made = text.matchAll(/\b(?:error|warning)\(\s*'([a-z0-9]+(?:-[a-z0-9]+)+)'/g)
  const records = text.matchAll(/\bcode: '([a-z0-9]+(?:-[a-z0-9]+)+)'/g)
  const settings = text.matchAll(/\bsettingProblem\([^;]*?'([a-z]+-[a-z-]+)'/g)
  return [...made, ...records, ...settings].flatMap(match => match[1] ?? [])
}

const known = new Set(explanations().map(({ code }) => code))

test('every code that a source names is explained', () => {
  const missing = new Set(texts.flatMap(codesIn).filter(code => !known.has(code)))
  expect([...missing]).toEqual([])
})

test('every code that is explained stands in some source', () => {
  const stale = [...known].filter(code => !texts.some(text => text.includes(`'${code}'`)))
  expect(stale).toEqual([])
})

test('every code of the golden problems is explained', () => {
  const folder = join(import.meta.dirname, '..', 'golden', 'problems')
  const said = readdirSync(folder)
    .filter(name => name.endsWith('.out'))
    .flatMap(name => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/: (?:error|warning): .*\[([a-z-]+)\]$/gm),
    ])
  expect([...new Set(said.map(match => match[1] ?? ''))].filter(code => !known.has(code))).toEqual([])
})

test('a code that is misspelt is answered with the nearest', () => {
  expect(explain('idle-axes')).toEqual({ got: 'nothing', near: 'idle-axis' })
  expect(explain('constructor')).toEqual({ got: 'nothing' })
  expect(explain('yaml-tab')).toMatchObject({ got: 'explanation', explanation: { code: 'yaml-tab' } })
})

test('every code has an example, and stands in its place of the alphabet', () => {
  const all = explanations()
  expect(all.filter(({ about, example }) => about.trim() === '' || example.trim() === '')).toEqual([])
  expect(all.map(({ code }) => code)).toEqual(all.map(({ code }) => code).toSorted())
})
