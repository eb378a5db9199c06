import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { commands } from '../../src/cli/declared/commands.ts'
import { completeCommand } from '../../src/cli/declared/set-up.ts'
import { helpScreens } from '../../src/cli/help-screens.ts'
import { readArgs } from '../../src/cli/parser/read-args.ts'
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
  rmSync(env.NODE_V8_COVERAGE, { recursive: true, force: true })
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
  ['--help', { files: 2, kilobytes: 65, packages: [] }],
  ['models info famb-v3', { files: 20, kilobytes: 270, packages: ['commander'] }],
  ['validate m.yaml', { files: 24, kilobytes: 875, packages: ['commander', 'yaml'] }],
  ['plan m.yaml', { files: 26, kilobytes: 1230, packages: ['commander', 'yaml'] }],
])('genrun %s loads no more than it needs', async (line, most) => {
  const { files, kilobytes, packages: loaded } = await loadedBy(line.split(' '))
  expect(loaded).toEqual(most.packages)
  expect(files).toBeLessThanOrEqual(most.files)
  expect(kilobytes).toBeLessThanOrEqual(most.kilobytes)
})

test('help is what the command line would say', async () => {
  const names = ['', ...commands.map(({ name }) => name)].filter(name => name !== completeCommand.name)
  expect(Object.keys(helpScreens)).toEqual(names)
  for (const name of names) {
    const words = [...name.split(' ').filter(Boolean), '--help']
    expect(readArgs(words, () => false)).toEqual({ do: 'help', text: helpScreens[name] })
  }
  const built = createRequire(import.meta.url)(join(dirname(executable), 'help-screens.cjs')) as object
  expect(built).toEqual({ helpScreens })
  expect(await genrun(['pick', '-h'], { cwd: freshFolder() })).toEqual({
    code: 0,
    stdout: `${helpScreens.pick}\n`,
    stderr: '',
  })
})

/** A project whose only job is made, at a gateway of its own, by words that can be said again. */
async function madeProject(): Promise<Start & { readonly again: () => ReturnType<typeof genrun> }> {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder(project)
  // The same environment each time, as part of what the words mean.
  const env = {
    GENRUN_BASE_URL: gateway.baseUrl,
    GENRUN_API_KEY: gateway.key,
    NODE_V8_COVERAGE: join(cwd, 'coverage'),
  }
  const start = { cwd, env }
  return { ...start, again: () => genrun(['m.yaml'], start) }
}

/** What changed a moment ago is not remembered: until it is, everything is looked at. */
async function untilRemembered(
  { cwd, again }: Awaited<ReturnType<typeof madeProject>>,
  name: string,
): Promise<void> {
  await expect
    .poll(async () => (await again()).code === 0 && existsSync(join(cwd, '.genrun/m', name)), patient)
    .toBe(true)
}

test('a run that has nothing to do loads no more than it needs to know that', async () => {
  const made = await madeProject()
  await untilRemembered(made, 'nothing-to-do')
  rmSync(join(made.cwd, '.genrun/m/words'), { force: true })
  const { files, kilobytes, packages: loaded } = await loadedBy(['m.yaml'], made)
  expect(loaded).toEqual(['commander'])
  expect(files).toBeLessThanOrEqual(18)
  expect(kilobytes).toBeLessThanOrEqual(330)
})

test('the same words said again are not even read, and say the same', async () => {
  const made = await madeProject()
  await untilRemembered(made, 'words')
  const { cwd, again } = made
  const brief = await loadedBy(['m.yaml'], made)
  expect(brief).toMatchObject({ files: 2, packages: [] })
  expect(brief.kilobytes).toBeLessThanOrEqual(40)
  const short = withoutTime(await again())
  rmSync(join(cwd, '.genrun/m/words'))
  expect(withoutTime(await again())).toEqual(short)
  expect(short).toEqual({
    code: 0,
    stdout: '',
    stderr: `genrun    +time  1 job: 1 up to date
nothing to do: 1 job is up to date, no request was made
`,
  })
})

test('the same words mean something else once settings, files or the manifest are others', async () => {
  const made = await madeProject()
  const { cwd, again } = made
  await untilRemembered(made, 'words')
  const settings = join(cwd, 'genrun.config.yaml')
  writeFileSync(settings, 'maxPaid: many\n')
  expect((await again()).code).toBe(2)
  rmSync(settings)
  await untilRemembered(made, 'words')
  rmSync(join(cwd, 'out'), { recursive: true })
  expect(await again()).toMatchObject({ code: 0, stderr: expect.stringContaining('fetched again') })
  await untilRemembered(made, 'words')
  appendFileSync(join(cwd, 'm.yaml'), '  more: { model: famb-v3, prompt: A cup }\n')
  expect(await again()).toMatchObject({ code: 0, stderr: expect.stringContaining('1 made') })
})

function withoutTime({ stderr, ...rest }: Awaited<ReturnType<typeof genrun>>) {
  return { ...rest, stderr: stderr.replaceAll(/\+\d+\.\ds/g, '+time') }
}

const patient = { interval: 500, timeout: 20_000 }
