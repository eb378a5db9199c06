import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { main } from '../../../src/cli/main.ts'

const good =
  'vars: { season: summer }\njobs: { a: { model: famc-t2a, prompt: "Rain in ${{ vars.season }}" } }\n'
const bad = 'jobs: { a: { model: famc-t2a, promt: Rain } }\n'

async function genrun(
  words: readonly string[],
  env = {},
  piped?: string,
  look: (folder: string) => void = () => undefined,
  settings?: string,
) {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-validate-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, 'jobs'))
  writeFileSync(join(cwd, 'jobs', 'a.yaml'), good)
  writeFileSync(join(cwd, 'jobs', 'b.yaml'), bad)
  if (settings !== undefined) writeFileSync(join(cwd, 'genrun.config.yaml'), settings)
  const said = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => void (said[name] += text),
    isTerminal: false,
    columns: undefined,
    rows: undefined,
  })
  const code = await main(['validate', ...words], {
    env,
    cwd,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    ...(piped !== undefined && { stdin: () => new TextEncoder().encode(piped) }),
    clock: systemClock,
    onSignal: () => () => undefined,
    leave: () => undefined,
  })
  look(cwd)
  return { code, ...said }
}

test('several manifests and globs are checked at once', async () => {
  const { code, stdout } = await genrun(['jobs/*.yaml', 'jobs/a.yaml'])
  expect(code).toBe(2)
  expect(stdout).toContain('jobs/b.yaml:1:31: error: famc-t2a has no parameter promt [unknown-param]')
  expect(stdout.match(/jobs\/a\.yaml is valid: 1 job/g)).toHaveLength(1)
})

test('a glob that nothing fits is told', async () => {
  expect(await genrun(['none/*.yaml'])).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('none/*.yaml:1:1: error: there is no such file'),
  })
})

test('what is piped in is a manifest in the current folder', async () => {
  expect(await genrun(['-'], {}, good)).toMatchObject({ code: 0, stdout: '<stdin> is valid: 1 job\n' })
  expect(await genrun(['-'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing is piped in'),
  })
})

test('--sarif - prints a log, and in Actions places are marked on the other stream', async () => {
  const { code, stdout, stderr } = await genrun(['jobs/b.yaml', '--sarif', '-'], { GITHUB_ACTIONS: 'true' })
  expect(code).toBe(2)
  const [first] = JSON.parse(stdout).runs[0].results
  expect(first).toMatchObject({ ruleId: 'unknown-param', level: 'error' })
  expect(stderr).toContain('::error file=jobs/b.yaml,line=1,col=31,')
})

test('--sarif writes a log beside what is printed, and never over a manifest', async () => {
  const written = await genrun(['jobs/b.yaml', '--sarif', 'log.sarif'], {}, undefined, folder => {
    const log = JSON.parse(readFileSync(join(folder, 'log.sarif'), 'utf8'))
    expect(log.runs[0].results).toMatchObject([{ ruleId: 'unknown-param', level: 'error' }])
  })
  expect(written).toMatchObject({ code: 2, stdout: expect.stringContaining('has no parameter promt') })
  // As it was meant when the flag took no file.
  const meant = await genrun(['--sarif', 'jobs/b.yaml', 'jobs/a.yaml'], {}, undefined, folder =>
    expect(readFileSync(join(folder, 'jobs', 'b.yaml'), 'utf8')).toBe(bad),
  )
  expect(meant).toMatchObject({ code: 2, stderr: expect.stringContaining('it is named like a manifest') })
})

test('variables are set by flags and by the environment', async () => {
  const { stdout } = await genrun(['jobs/a.yaml', '--var', 'seazon=winter'], { GENRUN_VAR_OTHER: 'x' })
  expect(stdout).toContain('--var:1:1: error: the manifest declares no variable seazon [unknown-name]')
  expect(await genrun(['jobs/a.yaml', '--var', 'season=winter'])).toMatchObject({ code: 0 })
})

test('wrong settings are in the log, in its file and on stdout', async () => {
  const wrong = 'limits: { maxPaid: x }\n'
  const resultsIn = (text: string) => JSON.parse(text).runs[0].results
  const printed = await genrun(['jobs/a.yaml', '--sarif', '-'], {}, undefined, undefined, wrong)
  expect([printed.code, resultsIn(printed.stdout)]).toMatchObject([2, [{ ruleId: 'bad-setting' }]])
  let log = ''
  const look = (cwd: string) => {
    log = readFileSync(join(cwd, 'v.sarif'), 'utf8')
  }
  expect((await genrun(['jobs/a.yaml', '--sarif', 'v.sarif'], {}, undefined, look, wrong)).code).toBe(2)
  expect(resultsIn(log)).toMatchObject([{ ruleId: 'bad-setting' }])
  const plain = await genrun(['jobs/a.yaml'], { GITHUB_ACTIONS: 'true' }, undefined, undefined, wrong)
  expect([plain.code, plain.stdout]).toEqual([2, ''])
})
