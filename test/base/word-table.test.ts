import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wordTable } from '../../src/base/word-table.ts'
import { main } from '../../src/cli/main.ts'
import { changeText } from '../../src/plan/shapes/reasons.ts'
import { compareRecipes } from '../../src/plan/shapes/recipe.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'

test('a table of words has what is written in it, and nothing that every object has', () => {
  const table = wordTable({ one: 1 })
  expect([table.one, table.constructor, table.toString, table.__proto__]).toEqual([
    1,
    undefined,
    undefined,
    undefined,
  ])
})

test('every table of words is made so', () => {
  const src = join(import.meta.dirname, '../../src')
  const bare = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name =>
      [
        ...readFileSync(join(src, name), 'utf8').matchAll(
          /^(?:export )?const \w+: \{ readonly \[\w+: string\].*= \{$/gm,
        ),
      ].map(([line]) => `${name}: ${line}`),
    )
  expect(bare).toEqual([])
})

async function genrun(line: string, files: { readonly [path: string]: string }) {
  const [stdout, stderr] = [fakeSink(), fakeSink()]
  const code = await main(
    line.split(' '),
    fakeSurroundings({ cwd: freshFolder(files), stdout, stderr, env: {} }),
  )
  return { code, said: `${stdout.text()}${stderr.text()}` }
}

const words = [
  'constructor',
  'Constructor',
  'con-structor',
  'toString',
  'valueOf',
  '__proto__',
  'hasOwnProperty',
]
const jobs = (word: string) => ({
  'm.yaml': `${word}: 1\nlimits: { ${word}: 1, models: { ${word}: 1 } }\nlint: [${word}]\njobs: { a: { model: fama-imagine-image, prompt: x, ${word}: 1, mode: ${word}, aspectRatio: ${word} } }\n`,
})

test.each(words)('%s in the place of a word is refused as any other', async word => {
  for (const line of [word, `help ${word}`, 'validate m.yaml', 'validate m.yaml --json']) {
    const { code, said } = await genrun(line, jobs(word))
    expect([line, code]).toEqual([line, 2])
    expect(said).not.toMatch(/internal error|\[native code\]|undefined/)
  }
})

test('a recipe of a lock that names such a parameter differs by it', () => {
  const recipe = { version: 1, model: 'm', params: {}, defaults: {}, inputs: {}, take: 1 } as const
  const changes = compareRecipes({ ...recipe, params: { toString: 'x', valueOf: 1 } }, recipe)
  expect(changes.map(changeText)).toEqual(['toString x removed', 'valueOf 1 removed'])
})
