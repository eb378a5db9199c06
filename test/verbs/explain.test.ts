import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codes } from '../../src/base/codes.ts'
import { explain, explanations } from '../../src/verbs/explain.ts'

const src = join(import.meta.dirname, '..', '..', 'src')
const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !/(explanations|codes)\.ts$/.test(name))
  .map(name => readFileSync(join(src, name), 'utf8'))

const known = new Set<string>(codes)

test('every code that is explained stands in some source', () => {
  const stale = [...known].filter(code => !texts.some(text => text.includes(`'${code}'`)))
  expect(stale).toEqual([])
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
