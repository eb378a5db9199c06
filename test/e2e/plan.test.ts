import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { executable, filesIn, freshFolder, genrun } from './executable.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
})

afterAll(() => gateway.close())

const manifest = `jobs:
  rain: { model: famc-t2a, prompt: Rain, duration: 3 }
  hero: { model: fama-imagine-image, prompt: Tea }
  edit: { model: famb-character, prompt: In blue, imageUrls: '\${{ jobs.hero.output }}' }
`

const paid = () => gateway.ledger().requests.submit + gateway.ledger().requests.execute

function everything(folder: string): string[] {
  return ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].toSorted()
}

function setModes(folder: string, isWritable: boolean): void {
  for (const name of everything(folder)) {
    const path = join(folder, name)
    const isFolder = statSync(path).isDirectory()
    chmodSync(path, isFolder ? (isWritable ? 0o755 : 0o555) : isWritable ? 0o644 : 0o444)
  }
}

function snapshot(folder: string): string[] {
  return everything(folder).map(name => {
    const { size, mtimeMs } = statSync(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
}

/** As somebody who may not write: rights mean nothing to root. */
function asReader(words: readonly string[], cwd: string, env: { readonly [name: string]: string }) {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const ended = spawnSync(process.execPath, [executable, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    encoding: 'utf8',
    ...nobody,
  })
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr }
}

test('plan, why, graph, verify and validate send nothing and work where nothing may be written', async () => {
  const cwd = freshFolder({ 'm.yaml': manifest })
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  expect((await genrun(['m.yaml', '-q'], { cwd, env })).code).toBe(0)
  writeFileSync(join(cwd, 'm.yaml'), manifest.replace('Rain', 'Storm'))
  setModes(cwd, false)
  onTestFinished(() => setModes(cwd, true))
  const [requests, files] = [JSON.stringify(gateway.requests()), snapshot(cwd)]

  const plan = asReader(['plan', 'm.yaml', '--json'], cwd, env)
  expect(plan).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(plan.stdout)).toMatchObject({ paid: 1, counts: { buy: 1, keep: 2 } })
  expect(asReader(['plan', 'm.yaml', '--max-paid', '0'], cwd, env).code).toBe(6)
  expect(asReader(['why', 'm.yaml', 'rain'], cwd, env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('prompt Rain → Storm (m.yaml:2)'),
  })
  expect(asReader(['graph', 'm.yaml'], cwd, env).code).toBe(0)
  // Without any service: neither key nor network is needed.
  expect(asReader(['verify', 'm.yaml'], cwd, {})).toMatchObject({
    code: 8,
    stdout: expect.stringContaining('m.yaml:2:3: error: rain is not what the manifest asks for'),
  })
  expect(asReader(['run', 'm.yaml', '--frozen'], cwd, {}).code).toBe(8)
  expect(asReader(['verify', 'm.yaml', '--allow', 'stale'], cwd, { CI: 'true' }).code).toBe(0)
  expect(asReader(['validate', 'm.yaml'], cwd, {}).code).toBe(0)

  expect(JSON.stringify(gateway.requests())).toBe(requests)
  expect(snapshot(cwd)).toEqual(files)

  // And the run that follows makes as many paid requests as the plan has said.
  setModes(cwd, true)
  const before = paid()
  expect((await genrun(['m.yaml', '-q'], { cwd, env })).code).toBe(0)
  expect(paid() - before).toBe(1)
}, 60_000)

test('a plan tells that a run would stop where a link stands for what is genrun’s own', async () => {
  const cwd = freshFolder({ 'm.yaml': manifest, 'else/keep': '' })
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  symlinkSync('else', join(cwd, '.genrun'))
  const plan = await genrun(['plan', 'm.yaml'], { cwd, env })
  expect(plan.stderr).toContain('a run would stop: could not open')
  expect((await genrun(['m.yaml'], { cwd, env })).code).toBe(7)
  expect(filesIn(join(cwd, 'else'))).toEqual(['keep'])
})

test('what may not be entered is told as such: the home of another, a folder of the project, a manifest in one', async () => {
  const cwd = freshFolder({
    'm.yaml': manifest,
    'closed/m.yaml': manifest,
    'closed/in/rows.csv': 'text\nRain\n',
  })
  setModes(cwd, false)
  chmodSync(join(cwd, 'closed'), 0o000)
  onTestFinished(() => {
    chmodSync(join(cwd, 'closed'), 0o755)
    setModes(cwd, true)
  })
  const env = { HOME: join(cwd, 'closed'), GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  // Nobody's settings lie in a home that is another's, and closed; in one's own they may, and a cap in them.
  const isOwn = process.getuid?.() !== 0
  for (const words of [['plan', 'm.yaml'], ['settings']]) {
    const { code, stderr } = asReader(words, cwd, env)
    expect([code, /^closed:1:1: error: the settings cannot be read/m.test(stderr)]).toEqual([
      isOwn ? 2 : 0,
      isOwn,
    ])
  }
  env.HOME = cwd
  const refused = (words: readonly string[]) => {
    const { code, stdout, stderr } = asReader(words, cwd, env)
    expect([words, code]).toEqual([words, 2])
    return stdout + stderr
  }
  const unread = 'closed/m.yaml:1:1: error: the file cannot be read: permission denied'
  for (const verb of ['run', 'plan', 'validate', 'verify'])
    expect(refused([verb, 'closed/m.yaml'])).toContain(unread)
  expect(refused(['run', 'm.yaml', '--local', '--events', 'closed/in/e.jsonl'])).toContain(
    'cannot be written: permission denied',
  )
  expect(refused(['import', 'closed/in/rows.csv'])).toContain('closed/in/rows.csv cannot be read')
  expect(refused(['init', '--from', 'closed/in'])).toContain('closed/in cannot be read: permission denied')
})

test('where nothing may be written a page and a sheet are, elsewhere; a result that may not be read is told', async () => {
  const [cwd, away] = [freshFolder({ 'm.yaml': manifest }), freshFolder({})]
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  expect((await genrun(['m.yaml', '-q'], { cwd, env })).code).toBe(0)
  chmodSync(away, 0o777)
  setModes(cwd, false)
  chmodSync(join(cwd, 'out/m/hero.png'), 0o000)
  onTestFinished(() => setModes(cwd, true))
  const files = ['page.html', 'sheet.png'].map(name => join(away, name))
  const [page = '', sheet = ''] = files
  const both = asReader(['report', 'm.yaml', '--single-file', page, '--sheet', sheet], cwd, env)
  const unread = 'hero.png cannot be read: permission denied\n'
  expect(both).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`3 results, 2 files, 1 without a file\n${unread}`),
  })
  expect(both.stderr).toContain('out/m/report.html: permission denied')
  expect(
    both.stdout
      .trim()
      .split('\n')
      .map(path => basename(path)),
  ).toEqual(['page.html', 'sheet.png'])
  expect(files.map(path => statSync(path).size > 1000)).toEqual([true, true])
  const json = asReader(['report', 'm.yaml', 'hero', '--single-file', page, '--json'], cwd, env)
  const told = JSON.parse(json.stdout)
  expect([told.ok, told.page, told.single]).toEqual([true, undefined, page])
  expect(told.jobs).toMatchObject([{ files: [], missing: [], unread: [unread.trim()] }])
  expect(json.stderr).toContain(`1 result, 0 files, 1 without a file\n${unread}`)
  // Named by nobody, the page is all that was asked for.
  expect(asReader(['report', 'm.yaml'], cwd, env)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('out/m/report.html: permission denied'),
  })
  expect(asReader(['plan', 'm.yaml', '-o', 'saved.plan'], cwd, env)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('saved.plan cannot be written: permission denied'),
  })
  expect(asReader(['plan', 'm.yaml', '-o', 'none/saved.plan'], cwd, env).stderr).toContain(
    'none/saved.plan cannot be written: its folder is not there',
  )
}, 60_000)
