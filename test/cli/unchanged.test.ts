import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { runManifest } from '../../src/verbs/run.ts'
import { fakeSink, fakeSurroundings } from './fake.ts'

vi.mock(import('../../src/verbs/run.ts'), { spy: true })

const manifest = 'jobs:\n  rain: { model: famc-t2a, prompt: Rain on a roof, duration: 3 }\n'
const folder = mkdtempSync(join(tmpdir(), 'genrun-cli-'))
const memory = join(folder, '.genrun/m/nothing-to-do')
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  writeFileSync(join(folder, 'm.yaml'), manifest)
  writeFileSync(join(folder, 'genrun'), 'the executable')
  await genrun([])
})

afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

/** What a user sees, and whether everything was looked at for it. */
async function genrun(words: readonly string[], { columns, env = {} }: Given = {}) {
  vi.mocked(runManifest).mockClear()
  const [stdout, stderr] = [fakeSink(columns), fakeSink(columns)]
  const around = fakeSurroundings({
    cwd: folder,
    stdout,
    stderr,
    env: { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key, ...env },
  })
  const program = { node: process.execPath, script: join(folder, 'genrun') }
  const code = await main(['m.yaml', ...words], { ...around, program })
  const looked = vi.mocked(runManifest).mock.calls.length > 0
  // The time since the beginning is the machine's, and may reach the next minute.
  const told = stderr.text().replaceAll(/\+\d+h\d+m/g, '+time')
  return { looked, said: { code, stdout: stdout.text(), stderr: told } }
}

interface Given {
  readonly columns?: number
  readonly env?: { readonly [name: string]: string }
}

/** As if it were a while later: what changed a moment ago is not remembered. */
async function remember(words: readonly string[], given: Given): Promise<void> {
  rmSync(memory, { force: true })
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000)
  await genrun(words, given)
  clock.mockRestore()
  expect(existsSync(memory)).toBe(true)
}

test.each<[string, readonly string[], Given?]>([
  ['as usual', []],
  ['quietly', ['--quiet']],
  ['at length', ['--verbose']],
  ['on a terminal', [], { columns: 80, env: { TERM: 'xterm' } }],
  ['in CI', [], { env: { CI: 'true', GENRUN_MAX_PAID: '9' } }],
  ['for one job', ['rain']],
])('told %s, what is remembered reads as if everything had been looked at', async (_, words, given = {}) => {
  await remember(words, given)
  const short = await genrun(words, given)
  rmSync(memory)
  const long = await genrun(words, given)
  expect([short.looked, long.looked]).toEqual([false, true])
  expect(short.said).toEqual(long.said)
  expect(short.said.code).toBe(0)
})

test.each<[string, readonly string[], Given?]>([
  ['as JSON', ['--json']],
  ['in a report', ['--junit', 'report.xml']],
  ['in GitHub Actions', [], { env: { GITHUB_ACTIONS: 'true' } }],
])('where every job is told, %s, everything is looked at', async (_, words, given = {}) => {
  await remember(words, given)
  expect(await genrun(words, given)).toMatchObject({ looked: true, said: { code: 0 } })
})

test('a run that orders again, and one after a build of genrun, look at everything', async () => {
  await remember([], {})
  expect((await genrun([])).looked).toBe(false)
  expect((await genrun(['--rebuy'])).looked).toBe(true)
  writeFileSync(join(folder, 'genrun'), 'another executable')
  expect((await genrun([])).looked).toBe(true)
})
