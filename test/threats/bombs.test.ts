import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { executable, freshFolder } from '../e2e/executable.ts'

const tea = 'jobs:\n  a: { model: fama-imagine-image, prompt: tea }\n'
const withRows =
  'jobs:\n  a: { model: fama-imagine-image, prompt: "tea ${{ r }}", matrix: { r: { rows: rows.csv } } }\n'
const withInput = 'jobs:\n  a: { model: famb-v3, prompt: tea, imageUrls: in.png }\n'

/** Ends, with a word, long before somebody wonders; nothing here may wait for a writer or read for ever. */
function ended(line: string, cwd: string) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [executable, ...line.split(' ')], {
    cwd,
    timeout: 20_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cwd },
  })
  return { code: status, signal, said: `${stdout}${stderr}` }
}

describe.skipIf(process.platform === 'win32')('a pipe is not waited for where a file should be', () => {
  test.each<[string, { readonly [path: string]: string }, string, string]>([
    ['the lock', {}, 'm.lock.json', 'plan m.yaml'],
    ['the lock, by status', {}, 'm.lock.json', 'status m.yaml'],
    ['the lock of a rehearsal', {}, 'm.preview.lock.json', 'run m.yaml --local'],
    ['the journal', {}, '.genrun/m/journal/000001.jnl', 'status m.yaml'],
    ['the journal of a rehearsal', {}, '.genrun/m.preview/journal/000001.jnl', 'run m.yaml --local'],
    ['the manifest', {}, 'n.yaml', 'validate n.yaml'],
    ['an include', { 'm.yaml': `include: part.yaml\n${tea}` }, 'part.yaml', 'validate m.yaml'],
    ['a table', { 'm.yaml': withRows }, 'rows.csv', 'validate m.yaml'],
    ['an input', { 'm.yaml': withInput }, 'in.png', 'run m.yaml --local'],
    ['a profile', {}, 'p.yaml', 'profile check p.yaml'],
    ['prices', {}, 'p.yaml', 'pricing fama-imagine-image --prices p.yaml'],
    ['a catalog', {}, 'p.yaml', 'models --catalog p.yaml'],
    ['a saved plan', {}, 'saved.plan', 'apply saved.plan --local'],
    ['settings', {}, 'genrun.config.yaml', 'plan m.yaml'],
    ['a table to import', {}, 'x.csv', 'import x.csv'],
    ['prices of the gateway', {}, 'p.yaml', 'serve --prices p.yaml --port 0'],
    ['a backend of the gateway', {}, 'p.yaml', 'serve --backend p.yaml --port 0'],
  ])('%s', (_, files, pipe, line) => {
    const cwd = freshFolder({ 'm.yaml': tea, ...files })
    mkdirSync(dirname(join(cwd, pipe)), { recursive: true })
    execFileSync('mkfifo', [join(cwd, pipe)])
    const { code, signal, said } = ended(line, cwd)
    expect([signal, said]).toEqual([null, expect.any(String)])
    expect([2, 7], said).toContain(code)
  })
})

describe('a text that only looks small is refused', () => {
  test.each<[string, string, string, number]>([
    ['a lock of a terabyte', 'm.lock.json', 'plan m.yaml', 7],
    ['prices of a terabyte', 'p.yaml', 'pricing fama-imagine-image --prices p.yaml', 2],
    ['a manifest of a terabyte', 'n.yaml', 'validate n.yaml', 2],
    ['a plan of a terabyte', 'saved.plan', 'apply saved.plan --local', 2],
  ])('%s', (_, path, line, code) => {
    const cwd = freshFolder({ 'm.yaml': tea })
    writeFileSync(join(cwd, path), '')
    truncateSync(join(cwd, path), 2 ** 40)
    const end = ended(line, cwd)
    expect([end.signal, end.code], end.said).toEqual([null, code])
    expect(end.said).not.toContain('internal error')
  })
})

test.each<[string, string]>([
  [
    'nested calls',
    `jobs:\n  a: { model: fama-imagine-image, prompt: "\${{ ${"format('{0}', ".repeat(3000)}vars.x${')'.repeat(3000)} }}" }\n`,
  ],
  [
    'nested lists',
    `jobs:\n  a: { model: fama-imagine-image, prompt: ${'['.repeat(20_000)}${']'.repeat(20_000)} }\n`,
  ],
  [
    'a glob of nested repetitions',
    `jobs:\n  a: { model: fama-imagine-image, prompt: "\${{ item }}", forEach: '${'*(a*)'.repeat(9)}b.png' }\n`,
  ],
  [
    'many alternatives',
    `jobs:\n  a: { model: fama-imagine-image, prompt: "\${{ item }}", forEach: '${'{a,b}'.repeat(40)}.png' }\n`,
  ],
])('%s come to an end, with a word', (_, text) => {
  const cwd = freshFolder({ 'm.yaml': text, [`${'a'.repeat(120)}.png`]: '' })
  const { code, signal, said } = ended('validate m.yaml', cwd)
  expect([signal, code], said.slice(0, 400)).toEqual([null, 2])
  expect(said).not.toContain('internal error')
})

test('a folder called package.json holds no settings', () => {
  const cwd = freshFolder({ 'm.yaml': tea, 'package.json/x': '' })
  expect(ended('validate m.yaml', cwd)).toMatchObject({ code: 0 })
})

test.each<[string, (plan: { [name: string]: unknown }) => unknown]>([
  [
    'a selection that is none',
    plan => ({ ...plan, asked: { ...(plan.asked as object), select: { tags: 7 } } }),
  ],
  ['variables that are none', plan => ({ ...plan, asked: { ...(plan.asked as object), vars: [5] } })],
  ['a manifest that no disk knows', plan => ({ ...plan, manifest: 'a\0b' })],
  ['an output that no disk knows', plan => ({ ...plan, means: { output: 'a\0b' } })],
])('a saved plan with %s is refused', (_, edit) => {
  const cwd = freshFolder({ 'm.yaml': tea })
  expect(ended('plan m.yaml --local -o saved.plan', cwd).code).toBe(0)
  const plan = JSON.parse(readFileSync(join(cwd, 'saved.plan'), 'utf8'))
  writeFileSync(join(cwd, 'saved.plan'), JSON.stringify(edit(plan)))
  expect(ended('apply saved.plan --local', cwd)).toMatchObject({
    code: 2,
    said: expect.stringContaining('no whole plan'),
  })
})
