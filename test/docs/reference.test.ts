import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsDeclared } from '../../src/cli/settings/declared.ts'
import { manPage } from './man.ts'
import { root } from './pages.ts'
import { otherVariables, referencePages } from './reference.ts'

const pages = referencePages()
const folder = join(root, 'docs/reference')

test.each(Object.entries(pages))('docs/reference/%s is what the declarations say', (name, text) => {
  if (process.env.UPDATE) writeFileSync(join(folder, name), text)
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

test('docs/genrun.1 is what the declarations say', () => {
  const path = join(root, 'docs/genrun.1')
  if (process.env.UPDATE) writeFileSync(path, manPage())
  expect(readFileSync(path, 'utf8')).toBe(manPage())
})

test('they are the same when they are made again', () => {
  expect(referencePages()).toEqual(pages)
})

test('the folder has them and its first page, which names each', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...Object.keys(pages), 'index.md'].toSorted())
  const index = readFileSync(join(folder, 'index.md'), 'utf8')
  for (const name of Object.keys(pages)) expect(index).toContain(`](${name})`)
})

test('every variable that the sources name has its line', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(join(root, 'src', name), 'utf8'))
  const named = new Set(sources.flatMap(text => text.match(/\bGENRUN_[A-Z_]*[A-Z]\b/g) ?? []))
  // What the build puts in, and what a server says of itself.
  for (const name of ['GENRUN_VERSION', 'GENRUN_MCP_URL']) named.delete(name)
  const listed = [
    ...settingsDeclared.map(({ variable }) => variable),
    ...otherVariables.map(([name]) => name),
  ]
  expect([...named].filter(name => !listed.includes(name))).toEqual([])
})
