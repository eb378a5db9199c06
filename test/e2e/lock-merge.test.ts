import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun } from './executable.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
})

afterAll(() => gateway.close())

const manifest = (...jobs: string[]) => `jobs:\n${jobs.map(job => `  ${job}\n`).join('')}`
const rain = 'b_rain: { model: famc-t2a, prompt: Rain, duration: 3 }'
const ours = 'a_wind: { model: famc-t2a, prompt: Wind, duration: 3 }'
const theirs = 'c_sea: { model: famc-t2a, prompt: Sea, duration: 3 }'

const paid = () => gateway.ledger().requests.submit

/** A repository whose lock is merged by genrun, with one job made and committed. */
async function repository() {
  const cwd = freshFolder({ 'm.yaml': manifest(rain), '.gitignore': 'out\n.genrun\n' })
  // Nothing of the user's own git counts, and genrun is not on git's PATH.
  const env = { PATH: '/usr/bin:/bin', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', words, { cwd, env, encoding: 'utf8' })
    return { status, text: stdout + stderr }
  }
  const service = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const make = async (...words: string[]) => {
    const ended = await genrun([...words, '-q'], { cwd, env: service })
    return ended.code
  }
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'tester')
  git('config', 'user.email', 'tester@example.invalid')
  expect((await genrun(['lock', 'merge', '--install'], { cwd })).code).toBe(0)
  expect(await make('m.yaml')).toBe(0)
  const commit = (message: string) => {
    git('add', '-A')
    git('commit', '-qm', message)
  }
  commit('one')
  const write = (text: string) => writeFileSync(join(cwd, 'm.yaml'), text)
  const lock = () => readFileSync(join(cwd, 'm.lock.json'), 'utf8')
  return { cwd, git, make, commit, write, lock, service }
}

describe('git merges locks', () => {
  test('of two branches that made neighbouring jobs, and nothing is bought again', async () => {
    const { cwd, git, make, commit, write, lock, service } = await repository()
    git('switch', '-qc', 'other')
    write(manifest(rain, theirs))
    expect(await make('m.yaml')).toBe(0)
    commit('theirs')
    git('switch', '-q', 'main')
    write(manifest(ours, rain))
    expect(await make('m.yaml')).toBe(0)
    commit('ours')
    const before = paid()

    // The manifest itself is merged by its own lines.
    expect(git('merge', '--no-edit', 'other')).toMatchObject({ status: 0 })
    const addresses = [...lock().matchAll(/"address":"(\w+)"/g)].map(match => match[1])
    expect(addresses).toEqual(['a_wind', 'b_rain', 'c_sea'])
    expect(JSON.parse(lock())).toMatchObject({ manifest: 'm.yaml' })
    const plan = await genrun(['plan', 'm.yaml', '--json'], { cwd, env: service })
    expect(JSON.parse(plan.stdout)).toMatchObject({ paid: 0, counts: { keep: 3 } })
    expect(await make('m.yaml')).toBe(0)
    expect(paid()).toBe(before)
  }, 60_000)

  test('and a job that changed on both sides was bought twice: whichever is asked for is there', async () => {
    const { cwd, git, make, commit, write, lock, service } = await repository()
    git('switch', '-qc', 'other')
    write(manifest(rain.replace('Rain', 'Drizzle')))
    expect(await make('m.yaml')).toBe(0)
    commit('theirs')
    git('switch', '-q', 'main')
    write(manifest(rain.replace('Rain', 'Storm')))
    expect(await make('m.yaml')).toBe(0)
    commit('ours')
    const before = paid()
    // The manifest is merged by its own lines, and these do conflict; the lock does not.
    const merged = git('merge', '--no-edit', 'other')
    expect(merged.status).toBe(1)
    expect(merged.text).not.toMatch(/CONFLICT.*lock/)
    const prompts = [...lock().matchAll(/"prompt":"(\w+)/g)].map(match => match[1])
    expect(new Set(prompts)).toEqual(new Set(['Rain', 'Drizzle', 'Storm']))
    for (const prompt of ['Drizzle', 'Storm', 'Rain']) {
      write(manifest(rain.replace('Rain', prompt)))
      expect(await make('m.yaml')).toBe(0)
      expect((await genrun(['verify', 'm.yaml'], { cwd, env: service })).code).toBe(0)
    }
    expect(paid()).toBe(before)
  }, 60_000)

  test('line by line where genrun is gone, or where a file is no lock', async () => {
    const { cwd, git, commit, lock } = await repository()
    const driver = git('config', 'merge.genrun-lock.driver').text
    git('config', 'merge.genrun-lock.driver', driver.trim().replaceAll('bin.cjs', 'gone.js'))
    const text = lock()
    git('switch', '-qc', 'other')
    writeFileSync(join(cwd, 'm.lock.json'), text.replace('Rain', 'Sea'))
    writeFileSync(join(cwd, 'other.lock.json'), '{\n"a": 1\n}\n')
    commit('theirs')
    git('switch', '-q', 'main')
    writeFileSync(join(cwd, 'm.lock.json'), text.replace('Rain', 'Wind'))
    writeFileSync(join(cwd, 'other.lock.json'), '{\n"a": 2\n}\n')
    commit('ours')
    expect(git('merge', '--no-edit', 'other').status).toBe(1)
    expect(lock()).toContain('<<<<<<<')
    git('merge', '--abort')
    git('config', 'merge.genrun-lock.driver', driver.trim())
    expect(git('merge', '--no-edit', 'other').status).toBe(1)
    expect(readFileSync(join(cwd, 'other.lock.json'), 'utf8')).toContain('<<<<<<< ours')
  }, 60_000)
})

test.each([
  ['theirs', ''],
  ['theirs', 'hello\n'],
  ['ours', ''],
  ['ours', 'hello\n'],
])(
  'what is no lock is refused where its lines would merge, and ours stays as it was: %s %j',
  async (side, none) => {
    const lock =
      '{"genrun":2,"lineage":"0123456789abcdef0123456789abcdef","manifest":"m.yaml","jobs":[\nnull]}\n'
    const files = { base: lock, ours: lock, theirs: lock, [side]: none }
    const cwd = freshFolder(files)
    const { code, stderr } = await genrun(['lock', 'merge', 'base', 'ours', 'theirs'], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringMatching(`the lock \\(${side}\\): .*\\[lock-merge\\]`)])
    expect(readFileSync(join(cwd, 'ours'), 'utf8')).toBe(files.ours)
  },
)

test('without a repository it says so', async () => {
  const cwd = freshFolder()
  const { code, stderr } = await genrun(['lock', 'merge', '--install'], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain('run it inside a git repository')
})

test('attributes that a checkout leads elsewhere by a link are not added to', async () => {
  const home = freshFolder({ 'others/attributes': 'mine', 'repo/m.yaml': '' })
  const cwd = join(home, 'repo')
  spawnSync('git', ['init', '-q'], { cwd })
  symlinkSync(join(home, 'others/attributes'), join(cwd, '.gitattributes'))
  const { code, stderr } = await genrun(['lock', 'merge', '--install'], { cwd })
  expect([code, stderr]).toEqual([2, expect.stringContaining('a link that leads out of the project')])
  expect(readFileSync(join(home, 'others/attributes'), 'utf8')).toBe('mine')
})
