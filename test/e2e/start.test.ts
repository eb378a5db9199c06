import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { executable, freshFolder, genrun } from './executable.ts'

/** A name out of each package that is in the bundle, by which its code is found there. */
const packages = {
  ajv: 'CodeGen',
  commander: 'InvalidOptionArgumentError',
  'p-queue': 'PQueue',
  undici: 'UndiciError',
  yaml: 'YAMLParseError',
}

interface Loaded {
  readonly files: number
  readonly kilobytes: number
  readonly packages: readonly string[]
}

/** What of the executable a command loads, as V8 tells it. */
async function loadedBy(words: readonly string[]): Promise<Loaded> {
  const cwd = freshFolder({
    'm.yaml': 'jobs:\n  hero: { model: famb-v3, prompt: A teapot }\n',
  })
  const env = { NODE_V8_COVERAGE: join(cwd, 'coverage') }
  expect((await genrun(words, { cwd, env })).code).toBe(0)
  const [told = ''] = readdirSync(env.NODE_V8_COVERAGE)
  const { result } = JSON.parse(readFileSync(join(env.NODE_V8_COVERAGE, told), 'utf8')) as {
    result: readonly { readonly url: string }[]
  }
  const own = result.flatMap(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : []))
  const paths = own.filter(path => path.startsWith(dirname(executable)))
  const code = paths.map(path => readFileSync(path, 'utf8')).join('')
  return {
    files: paths.length,
    kilobytes: Math.ceil(paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1024),
    packages: Object.entries(packages).flatMap(([name, mark]) => (code.includes(mark) ? name : [])),
  }
}

test.each<[string, Loaded]>([
  ['--version', { files: 1, kilobytes: 2, packages: [] }],
  ['--help', { files: 20, kilobytes: 200, packages: ['commander'] }],
  ['models info famb-v3', { files: 28, kilobytes: 500, packages: ['commander', 'yaml'] }],
  ['validate m.yaml', { files: 28, kilobytes: 930, packages: ['commander', 'yaml'] }],
  ['plan m.yaml', { files: 28, kilobytes: 1270, packages: ['commander', 'yaml'] }],
])('genrun %s loads no more than it needs', async (line, most) => {
  const { files, kilobytes, packages: loaded } = await loadedBy(line.split(' '))
  expect(loaded).toEqual(most.packages)
  expect(files).toBeLessThanOrEqual(most.files)
  expect(kilobytes).toBeLessThanOrEqual(most.kilobytes)
})
