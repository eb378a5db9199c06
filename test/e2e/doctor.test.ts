import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { filesIn, freshFolder, genrun } from './executable.ts'

async function gateway() {
  const served = await startGateway({ outputs: 'memory', ledger: true })
  onTestFinished(() => served.close())
  return served
}

const locale = { LANG: 'C.UTF-8' }

test('a good set-up: everything is looked at, nothing is paid, nothing is left behind, the key is not shown', async () => {
  const served = await gateway()
  const cwd = freshFolder({ 'c.yaml': 'jobs: { hero: { model: fama-imagine-image, prompt: A } }\n' })
  const env = { ...locale, GENRUN_BASE_URL: served.baseUrl, GENRUN_API_KEY: served.key }
  const { code, stdout, stderr } = await genrun(['doctor', 'c.yaml'], { cwd, env })
  expect(code).toBe(0)
  const checks = stdout.split('\n').flatMap(line => /^([✓!✗]) (\S+)/u.exec(line)?.slice(1).join(' ') ?? [])
  expect(checks).toEqual([
    '✓ genrun',
    '✓ node',
    '✓ settings',
    '✓ key',
    '✓ profile',
    '✓ service',
    '✓ manifest',
    '✓ disk',
    '✓ disk',
    '✓ locale',
    '✓ terminal',
    '✓ pictures',
    '✓ fonts',
    expect.stringMatching(/^[✓!] speech$/u),
    '✓ ffmpeg',
    '✓ ffprobe',
  ])
  expect(`${stdout}${stderr}`).not.toContain(served.key)
  expect(served.ledger().billed).toEqual({ execute: 0, submit: 0 })
  expect(filesIn(cwd)).toEqual(['c.yaml'])
})

test.each([
  ['a wrong key', 'wrong', (url: string) => url, 'does not take the key', 2],
  ['nobody at the address', 'k', () => 'http://127.0.0.1:9/gw-v2', 'cannot be reached', 2],
  ['an address that is none', 'k', () => 'ftp://host/gw-v2', 'is not an http or https address', 2],
])('%s is in the way, and there is something to do', async (_, key, address, says, exit) => {
  const served = await gateway()
  const env = { ...locale, GENRUN_BASE_URL: address(served.baseUrl), GENRUN_API_KEY: key }
  const { code, stdout } = await genrun(['doctor', '--json'], { cwd: freshFolder(), env })
  expect(code).toBe(exit)
  const { ok, findings } = JSON.parse(stdout)
  expect(ok).toBe(false)
  const bad = findings.filter((each: { is: string }) => each.is === 'bad')
  expect(bad).toEqual([
    { check: 'service', is: 'bad', says: expect.stringContaining(says), hint: expect.any(String) },
  ])
})

test('an address where only something else answers is no tick', async () => {
  const served = await gateway()
  const baseUrl = served.baseUrl.replace('/gw-v2', '/api/gw-v2')
  const env = { ...locale, GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: served.key }
  const { code, stdout } = await genrun(['doctor'], { cwd: freshFolder(), env })
  expect(code).toBe(0)
  expect(stdout).toContain(`! service   whether ${baseUrl} is the service could not be told: it `)
})

test('without a service and without a request a run can begin, as a rehearsal', async () => {
  const { code, stdout, stderr } = await genrun(['doctor', '--offline'], { cwd: freshFolder(), env: locale })
  expect(code).toBe(0)
  expect(stdout).toContain('! service   none is set, so runs rehearse\n')
  expect(stderr).toBe('a run can begin; what is marked ! could be better\n')
})

test('catalogs of the settings are looked at, with a manifest and without', async () => {
  const cwd = freshFolder({
    'genrun.config.yaml': 'catalog: own.yaml\n',
    'own.yaml': 'models:\n  acme-paint: { kind: nothing }\n',
    'c.yaml': 'jobs: { a: { model: fama-imagine-image, prompt: Tea } }\n',
  })
  for (const words of [['doctor'], ['doctor', 'c.yaml']]) {
    const { code, stdout } = await genrun([...words, '--offline'], { cwd, env: locale })
    expect([code, stdout]).toEqual([2, expect.stringMatching(/✗ catalog {3}own\.yaml:2: /)])
  }
})

test('wrong settings and a wrong manifest are in the way', async () => {
  const cwd = freshFolder({ 'genrun.config.yaml': 'baseUrl: x\n', 'c.yaml': 'jobs: { a: {} }\n' })
  const { code, stdout, stderr } = await genrun(['doctor', 'c.yaml'], { cwd, env: locale })
  expect(code).toBe(2)
  expect(stdout).toContain('✗ settings  genrun.config.yaml: `baseUrl` decides where the key is sent')
  expect(stdout).toContain(
    '✗ manifest  c.yaml has problems\n            → `genrun validate c.yaml` shows them\n',
  )
  expect(stderr).toBe('2 things in the way of a run\n')
})
