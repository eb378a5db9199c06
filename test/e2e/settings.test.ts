import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun } from './executable.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
})

afterAll(() => gateway.close())

const service = () => ({ GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key })
const paid = () => gateway.ledger().requests.submit + gateway.ledger().requests.execute
const two = (of: string) => `jobs:
  a: { model: fama-imagine-image, prompt: ${of} one }
  b: { model: fama-imagine-image, prompt: ${of} two }
`
const cap = 'limits: { maxPaid: 1 }\n'

/** All of it belongs to whoever runs the commands, and is opened again at the end. */
function own(cwd: string): void {
  if (process.getuid?.() === 0)
    for (const name of ['.', ...readdirSync(cwd, { recursive: true, encoding: 'utf8' })])
      chownSync(join(cwd, name), 65_534, 65_534)
}

function close(path: string): void {
  chmodSync(path, 0o000)
  onTestFinished(() => chmodSync(path, 0o755))
}

test.each<[what: string, at: string, make: (cwd: string) => void, why: string]>([
  ['a file', 'genrun.config.yaml', cwd => close(join(cwd, 'genrun.config.yaml')), 'permission denied'],
  ['a package.json', 'package.json', cwd => close(join(cwd, 'package.json')), 'permission denied'],
  ['a folder', '.config', cwd => close(join(cwd, '.config')), 'permission denied'],
  [
    "one's own file",
    '~/.config/genrun/config.yaml',
    cwd => close(join(cwd, 'home/.config/genrun/config.yaml')),
    'permission denied',
  ],
  ["one's own folder", '~/.config', cwd => close(join(cwd, 'home/.config')), 'permission denied'],
])('%s of settings that is closed stops what it could cap: %s', async (_, at, make, why) => {
  const cwd = freshFolder({ 'm.yaml': two('closed'), [at.replace('~', 'home')]: '', 'home/x': '' })
  if (at.endsWith('.config')) {
    rmSync(join(cwd, at.replace('~', 'home')))
    mkdirSync(join(cwd, at.replace('~', 'home'), 'genrun'), { recursive: true })
  }
  own(cwd)
  make(cwd)
  const env = { HOME: join(cwd, 'home'), ...service() }
  const before = paid()
  for (const words of [['m.yaml'], ['plan', 'm.yaml'], ['validate', 'm.yaml'], ['settings']]) {
    const { code, stderr } = await genrun(words, { cwd, env, asNobody: true })
    expect([words, code, stderr]).toEqual([
      words,
      2,
      expect.stringContaining(`${at}:1:1: error: the settings cannot be read: ${why} [unreadable-settings]`),
    ])
  }
  const doctor = await genrun(['doctor', '--offline', 'm.yaml'], { cwd, env, asNobody: true })
  expect([doctor.code, doctor.stdout]).toEqual([
    2,
    expect.stringContaining(`✗ settings  ${at}: the settings cannot be read: ${why}`),
  ])
  expect(paid()).toBe(before)
})

test('a package.json that is closed is no matter where other settings stand beside it', async () => {
  const cwd = freshFolder({ 'm.yaml': two('beside'), 'package.json': '{}', '.genrunrc': cap })
  own(cwd)
  close(join(cwd, 'package.json'))
  const { code } = await genrun(['plan', 'm.yaml'], { cwd, env: service(), asNobody: true })
  expect(code).toBe(6)
})

test('the cap of a project counts wherever one stands, and every one of its files', async () => {
  const cwd = freshFolder({
    'proj/.git/HEAD': '',
    'proj/genrun.config.yaml': cap,
    'proj/tea.yaml': two('outside'),
    'proj/sub/genrun.config.yaml': '# nothing\n',
    'proj/sub/cup.yaml': two('nearer'),
    'elsewhere/x': '',
  })
  symlinkSync(join(cwd, 'proj/tea.yaml'), join(cwd, 'proj/sub/link.yaml'))
  const env = service()
  const bought = async (words: readonly string[], at: string) => {
    const before = paid()
    const { code } = await genrun(words, { cwd: join(cwd, at), env })
    return [code, paid() - before]
  }
  expect(await bought(['proj/tea.yaml'], '.')).toEqual([6, 1])
  // Jobs that are done do not count against the cap of the next run.
  for (const name of ['tea.lock.json', '.genrun', 'out'])
    rmSync(join(cwd, 'proj', name), { recursive: true, force: true })
  expect(await bought(['cup.yaml'], 'proj/sub')).toEqual([6, 1])
  expect(await bought([join(cwd, 'proj/sub/link.yaml')], 'elsewhere')).toEqual([6, 1])
  writeFileSync(join(cwd, 'proj/bowl.yaml'), two('saved'))
  const saved = join(cwd, 'elsewhere/saved.plan')
  rmSync(join(cwd, 'proj/genrun.config.yaml'))
  expect(await bought(['plan', 'proj/bowl.yaml', '-o', saved], '.')).toEqual([0, 0])
  writeFileSync(join(cwd, 'proj/genrun.config.yaml'), cap)
  expect(await bought(['apply', saved], 'elsewhere')).toEqual([6, 1])
}, 60_000)

test('a run that has nothing to do sees what changed in settings above', async () => {
  const cwd = freshFolder({ 'repo/.git/HEAD': '', 'repo/sub/m.yaml': two('upper') })
  const start = { cwd: dirname(join(cwd, 'repo')), env: service() }
  const words = ['repo/sub/m.yaml', '-q']
  const files = () => readdirSync(join(cwd, 'repo'), { recursive: true, encoding: 'utf8' })
  for (const _ of ['bought', 'remembered']) expect((await genrun(words, start)).code).toBe(0)
  writeFileSync(join(cwd, 'repo/genrun.config.yaml'), 'output: media\n')
  const before = paid()
  expect((await genrun(words, start)).code).toBe(0)
  expect(paid()).toBe(before)
  expect(files()).toContain('media/m/a.png')
})

test('a result that may not be read counts as made, and plan and run say that nobody has looked at it', async () => {
  const cwd = freshFolder({ 'm.yaml': two('closed result') })
  own(cwd)
  const run = (...words: string[]) => genrun(words, { cwd, env: service(), asNobody: true })
  // What changed a moment ago is not remembered.
  const isRemembered = async () =>
    (await run('m.yaml')).code === 0 && existsSync(join(cwd, '.genrun/m/nothing-to-do'))
  await expect.poll(isRemembered, { interval: 500, timeout: 20_000 }).toBe(true)
  close(join(cwd, 'out/m/a.png'))
  const before = paid()
  const said = 'a.png cannot be read (permission denied): by name and size it counts as made'
  for (const words of [['m.yaml'], ['plan', 'm.yaml']]) {
    const { code, stderr } = await run(...words)
    expect([code, stderr]).toEqual([0, expect.stringContaining(said)])
  }
  chmodSync(join(cwd, 'out/m/a.png'), 0o600)
  expect((await run('plan', 'm.yaml')).stderr).not.toContain('cannot be read')
  expect(paid()).toBe(before)
}, 60_000)
