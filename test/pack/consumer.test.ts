import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { executable } from '../e2e/executable.ts'
import { importsOf } from '../floors.ts'
import { consumer, nodeOf, type Packed, pack } from './package.ts'

/** As strict as TypeScript can be, the library's own types included. */
const tsconfig = JSON.stringify({
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    outDir: 'out',
  },
  files: ['esm.mts', 'cjs.cts'],
})

const body = `
const genrun = createGenrun({ rehearse: true })
const params: ParamsOf<'fama-imagine-image'> = { prompt: 'Tea', count: 2 }
// @ts-expect-error 3 is not among the values
const wrong: ParamsOf<'fama-imagine-image'> = { prompt: 'Tea', count: 3 }
const told: string[] = []
async function work(name: string): Promise<void> {
  const made: Generated = await genrun.generate('fama-imagine-image', params, { name, onEvent: each => told.push(each.event) })
  const types: string[] = made.files.map(file => \`\${file.type} \${file.width ?? 0}x\${file.height ?? 0}\`)
  const problems = genrun.check('fama-imagine-image', wrong).map(each => each.code)
  const failure = await genrun.generate('fama-imagine-image', wrong).catch((error: unknown) =>
    error instanceof GenrunError ? error.code : 'none',
  )
  console.log(JSON.stringify({ types, problems, failure, told: told.includes('settled') }))
}
`
const files = {
  'package.json': '{ "type": "module", "private": true }',
  'tsconfig.json': tsconfig,
  'esm.mts': `import { createGenrun, GenrunError, type Generated, type ParamsOf } from 'genrun'\n${body}\nawait work('esm')\n`,
  'cjs.cts': `import genrunModule = require('genrun')
import type { Generated, ParamsOf } from 'genrun' with { 'resolution-mode': 'import' }
const { createGenrun, GenrunError } = genrunModule
${body}
void work('cjs')
`,
  'plain.cjs': `const { createGenrun } = require('genrun')
console.log(createGenrun({ rehearse: true }).models().length)
`,
}

const expected = {
  types: ['image/png 1024x1024', 'image/png 1024x1024'],
  problems: ['bad-value'],
  failure: 'refused',
  told: true,
}

const root = dirname(dirname(executable))
const place = mkdtempSync(join(tmpdir(), 'genrun-pack-'))
let packed: Packed

beforeAll(() => {
  packed = pack(place)
}, 60_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

test('a project with the packed tarball compiles strictly, and runs by import and by require on every Node', ({
  annotate,
}) => {
  const folder = consumer(packed, files)
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  expect(ended(() => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }))).toBe('')
  const absent: number[] = []
  for (const major of [20, 22, 24]) {
    const node = nodeOf(major)
    if (!node) {
      absent.push(major)
      continue
    }
    const run = (script: string) =>
      execFileSync(node, [script], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    for (const script of ['out/esm.mjs', 'out/cjs.cjs']) expect(JSON.parse(run(script))).toEqual(expected)
    for (const name of readdirSync(folder).filter(each => each.endsWith('.png'))) rmSync(join(folder, name))
    expect(run('plain.cjs')).toBe('25\n')
    const { version: own } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const name of ['bin.cjs', 'bin.js']) expect(version(node, folder, name)).toBe(own)
  }
  if (absent.length > 0)
    void annotate(`not run on Node ${absent.join(', ')}: GENRUN_NODES names the paths of other Nodes`)
}, 60_000)

test('a program that has no types of Node compiles strictly, as a new project does', () => {
  const folder = consumer(packed, {
    'package.json': '{ "type": "module", "private": true }',
    'bare.ts': bare,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        types: [],
        module: 'NodeNext',
        strict: true,
        skipLibCheck: false,
        noEmit: true,
      },
      files: ['bare.ts'],
    }),
  })
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  expect(ended(() => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }))).toBe('')
}, 60_000)

test('without the package that speaks with buckets everything works but that, and it is said how to install it', () => {
  const folder = consumer(packed, { 'm.yaml': 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n' })
  const env = {
    PATH: process.env.PATH,
    TMPDIR: process.env.TMPDIR,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
  const bin = join(folder, 'node_modules/genrun/dist/bin.cjs')
  const plan = (...more: string[]) =>
    spawnSync(process.execPath, [bin, 'plan', 'm.yaml', ...more], { cwd: folder, env, encoding: 'utf8' })
  expect(plan().status).toBe(0)
  const asked = plan('--cache', 's3://results')
  expect([asked.status, asked.stderr]).toEqual([
    2,
    expect.stringContaining('s3mini, which speaks with buckets, is not installed'),
  ])
  expect(asked.stderr).toContain('npm install s3mini')
}, 60_000)

const bare = `import { createGenrun } from 'genrun'
const { files } = await createGenrun({ rehearse: true }).generate('famc-t2a', { prompt: 'Tea' })
for (const file of files) for await (const piece of file.stream()) piece.byteLength satisfies number
`

/** By the executable, or by the path that it had once. */
function version(node: string, folder: string, name: string): string {
  const words = [`node_modules/genrun/dist/${name}`, '--version']
  return execFileSync(node, words, { cwd: folder, encoding: 'utf8' }).trim()
}

/** What a command printed when it failed, and nothing when it did not. */
function ended(call: () => string): string {
  try {
    return call()
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout)
  }
}

/** What these files come to in a tarball. */
function compressed(names: readonly string[]): number {
  return gzipSync(Buffer.concat(names.map(name => readFileSync(join(root, name))))).length
}

describe('the tarball', () => {
  test('holds what is run, its types, the schemas, the manual and the examples, and nothing else', () => {
    const { files: names } = packed
    const kinds = new Set(
      names.map(name =>
        /^(dist|schemas|docs|examples)\//.test(name)
          ? name.replace(/^([^/]+)\/.*?(\.d\.ts|\.[^./]+)$/, '$1 $2')
          : name,
      ),
    )
    expect([...kinds].toSorted()).toEqual([
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist .br',
      'dist .cjs',
      'dist .css',
      'dist .d.ts',
      'dist .js',
      'dist .txt',
      'docs .1',
      'docs .md',
      'examples .csv',
      'examples .jpg',
      'examples .mjs',
      'examples .png',
      'examples .sh',
      'examples .svg',
      'examples .yaml',
      'package.json',
      'schemas .json',
    ])
    // Neither the command line's sources nor their types: the executable is a bundle.
    expect(names.filter(name => /^dist\/(cli|mcp|report)\//.test(name))).toEqual([])
    const isRead = (name: string) =>
      /^(docs|examples)\/|^(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/.test(name)
    expect(compressed(names.filter(name => !isRead(name)))).toBeLessThan(1_250_000)
    expect(compressed(names.filter(isRead))).toBeLessThan(400_000)
  })

  test('tells the licence of everything that is bundled or installed with it', () => {
    const notices = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8')
    const told = new Set(
      [...notices.matchAll(/^(\S+) \S+ \((.+)\)$/gm)].map(([, name, licence]) => `${name} ${licence}`),
    )
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: { readonly [folder: string]: { readonly dev?: true; readonly license?: string } }
    }
    const installed = Object.entries(packages).filter(([folder, { dev }]) => folder !== '' && !dev)
    expect(installed.length).toBeGreaterThan(50)
    const untold = installed
      .map(([folder, { license }]) => `${folder.replace(/^.*node_modules\//, '')} ${license}`)
      .filter(line => !told.has(line))
    expect(untold).toEqual([])
    // argparse comes with cosmiconfig, and the typeface stands in pictures.
    const kinds = new Set(installed.map(([, { license = 'none' }]) => license))
    expect([...kinds].toSorted()).toEqual([
      'Apache-2.0',
      'BSD-3-Clause',
      'ISC',
      'MIT',
      'MPL-2.0',
      'OFL-1.1',
      'Python-2.0',
    ])
  })

  test('is published from a clean clone, without scripts of others, with its provenance and a bill of its parts', () => {
    const text = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
    const { on, jobs } = parse(text) as {
      on: object
      jobs: { release: { permissions: object; steps: { run?: string }[] } }
    }
    expect(on).toEqual({ push: { tags: ['v*'] } })
    expect(jobs.release.permissions).toEqual({ contents: 'write', 'id-token': 'write' })
    const runs = jobs.release.steps.flatMap(({ run }) => run ?? [])
    expect(runs.slice(1, 4)).toEqual(['npm ci --ignore-scripts', 'npm run build', 'npm test'])
    // npm warns of a script that an install may run, wherever it installs the tarball from.
    expect(runs.indexOf('npm pkg delete scripts.prepare')).toBe(
      runs.findIndex(run => run.startsWith('npm pack')) - 1,
    )
    expect(runs.find(run => run.startsWith('npm publish'))).toMatch(/--ignore-scripts --provenance/)
    expect(runs.find(run => run.startsWith('npm sbom'))).toMatch(/--omit dev --sbom-format cyclonedx/)
  })

  test('has nothing that publint would have otherwise', async () => {
    const { messages, pkg } = await publint({ pkgDir: root, strict: true, pack: 'npm' })
    expect(messages.map(message => formatMessage(message, pkg))).toEqual([])
  })

  test('is what the lock says of it, by which npm finds its executable in a clone', () => {
    const [own, lock] = ['package.json', 'package-lock.json'].map(name =>
      JSON.parse(readFileSync(join(root, name), 'utf8')),
    )
    for (const [key, value] of Object.entries(lock.packages['']))
      expect([key, own[key]]).toEqual([key, value])
  })

  test('names every package that it imports as a dependency', () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, object>
    const known = new Set(Object.keys({ ...dependencies, ...peerDependencies }))
    const imported = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(js|d\.ts)$/.test(name) && !name.startsWith('chunks'))
      .flatMap(name => importsOf(readFileSync(join(root, 'dist', name), 'utf8')))
      .filter(name => !name.startsWith('.'))
      .map(name =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter(name => !name.startsWith('node:'))
    expect([...new Set(imported)].filter(name => !known.has(name))).toEqual([])
  })
})
