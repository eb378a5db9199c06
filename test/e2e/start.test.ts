import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { executable, freshFolder, genrun, type Start } from './executable.ts'

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

const project = { 'm.yaml': 'jobs:\n  hero: { model: famb-v3, prompt: A teapot }\n' }

/** What of the executable a command loads, as V8 tells it. */
async function loadedBy(
  words: readonly string[],
  start: Start = { cwd: freshFolder(project) },
): Promise<Loaded> {
  const env = { ...start.env, NODE_V8_COVERAGE: join(start.cwd, 'coverage') }
  expect((await genrun(words, { ...start, env })).code).toBe(0)
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
  ['--help', { files: 8, kilobytes: 195, packages: ['commander'] }],
  ['models info famb-v3', { files: 20, kilobytes: 270, packages: ['commander'] }],
  ['validate m.yaml', { files: 24, kilobytes: 910, packages: ['commander', 'yaml'] }],
  ['plan m.yaml', { files: 26, kilobytes: 1265, packages: ['commander', 'yaml'] }],
])('genrun %s loads no more than it needs', async (line, most) => {
  const { files, kilobytes, packages: loaded } = await loadedBy(line.split(' '))
  expect(loaded).toEqual(most.packages)
  expect(files).toBeLessThanOrEqual(most.files)
  expect(kilobytes).toBeLessThanOrEqual(most.kilobytes)
})

test('a run that has nothing to do loads no more than it needs to know that', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder(project)
  const start = { cwd, env: { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key } }
  const again = () => genrun(['m.yaml'], start)
  // What changed a moment ago is not remembered.
  await expect
    .poll(async () => (await again()).code === 0 && existsSync(join(cwd, '.genrun/m/nothing-to-do')), patient)
    .toBe(true)
  const { files, kilobytes, packages: loaded } = await loadedBy(['m.yaml'], start)
  expect(loaded).toEqual(['commander'])
  expect(files).toBeLessThanOrEqual(18)
  expect(kilobytes).toBeLessThanOrEqual(330)
})

const patient = { interval: 500, timeout: 20_000 }
