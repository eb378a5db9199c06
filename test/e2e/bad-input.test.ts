import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { filesIn, freshFolder, genrun } from './executable.ts'

const good = 'jobs:\n  hero:\n    model: fama-imagine-image\n    prompt: A teapot\n'

/** What is wrong with a manifest: its text, and the first line that is printed. */
const manifests: readonly (readonly [name: string, text: string | Uint8Array, message: string])[] = [
  ['is not YAML', 'jobs: [\n', 'm.yaml:1:7: error: this bracket is never closed with `]` [yaml-bracket]'],
  ['is empty', '', 'm.yaml:1:1: error: there is nothing in this file [empty-file]'],
  ['is not text', Uint8Array.from([0xff, 0xfe, 0x00]), 'm.yaml:1:1: error: the file is not UTF-8 text'],
  ['has an unknown key', `${good}output-dir: x\n`, 'm.yaml:5:1: error: '],
  ['has a job with an unknown parameter', `${good}    aspectratio: '1:1'\n`, 'm.yaml:5:5: error: '],
  [
    'names an unknown model',
    'jobs:\n  hero:\n    model: fama-imagin-image\n    prompt: A teapot\n',
    'm.yaml:3:12: error: there is no model fama-imagin-image [unknown-model]',
  ],
  [
    'lacks a parameter',
    'jobs:\n  hero:\n    model: fama-imagine-image\n',
    'm.yaml:2:3: error: fama-imagine-image needs a prompt [missing-param]',
  ],
  [
    'has a wrong parameter',
    'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam\n    duration: 7\n',
    'm.yaml:5:15: error: duration must be one of 3, 5, 8, 10, 12, 15 [bad-value]',
  ],
  [
    'has two jobs of one id',
    `${good}  hero:\n    model: fama-imagine-image\n    prompt: A cup\n`,
    'm.yaml:5:3: error: ',
  ],
  [
    'has two outputs of one name',
    'jobs:\n  a: { model: fama-imagine-image, prompt: x, output: same }\n  b: { model: fama-imagine-image, prompt: x, output: same }\n',
    'm.yaml:3:54: error: b and a would both write same [same-output]',
  ],
  ['needs an unknown job', `${good}    needs: [herro]\n`, 'm.yaml:5:13: error: '],
  [
    'needs in a circle',
    'jobs:\n  a: { model: fama-imagine-image, prompt: x, needs: [b] }\n  b: { model: fama-imagine-image, prompt: x, needs: [a] }\n',
    'error: ',
  ],
  [
    'names a local file that is missing',
    'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam\n    startFrame: frames/nowhere.png\n',
    'm.yaml:5:17: error: ',
  ],
]

describe('a manifest that', () => {
  test.each(manifests)('%s is told at its place, exit 2, nothing is written', async (_, text, message) => {
    const cwd = freshFolder({ 'm.yaml': text })
    const ended = await genrun(['m.yaml'], { cwd })
    expect(ended.stderr).toContain(message)
    expectCalm(ended, 2)
    expect(filesIn(cwd)).toEqual(['m.yaml'])
  })

  test('is not given at all', async () => {
    const ended = await genrun([], { cwd: freshFolder() })
    expect(ended.stderr).toMatch(/^genrun: error: no manifest is given \[usage\]\n {2}= hint: /)
    expectCalm(ended, 2)
  })

  test.each([
    ['nowhere.yaml', 'nowhere.yaml:1:1: error: there is no such file [unreadable-manifest]'],
    ['folder/', 'folder:1:1: error: this is a folder, not a manifest [unreadable-manifest]'],
  ])('cannot be one is told: %s', async (path, message) => {
    const ended = await genrun([path], { cwd: freshFolder({ 'folder/m.yaml': good }) })
    expect(ended.stderr).toContain(message)
    expectCalm(ended, 2)
  })

  // The superuser can read everything.
  test.skipIf(process.getuid?.() === 0)('cannot be read is told', async () => {
    const cwd = freshFolder({ 'm.yaml': good })
    chmodSync(join(cwd, 'm.yaml'), 0)
    const ended = await genrun(['m.yaml'], { cwd })
    expect(ended.stderr).toContain('m.yaml:1:1: error: the file cannot be read: permission denied')
    expectCalm(ended, 2)
  })

  test('has several problems is told all of them in one pass, in their order, by validate too', async () => {
    const cwd = freshFolder({
      'm.yaml':
        'jobs:\n  hero:\n    model: fama-imagin-image\n    promt: A teapot\n  clip:\n    model: famc-v3\n    prompt: x\n    duration: 7\n',
    })
    const run = await genrun(['m.yaml'], { cwd })
    const verdict = await genrun(['validate', 'm.yaml'], { cwd })
    expect(verdict.stdout).toBe(run.stderr)
    expect(run.stderr.match(/^m\.yaml:\d+/gm)).toEqual(['m.yaml:3', 'm.yaml:4', 'm.yaml:8'])
    expect(run.stderr).toMatch(/\n\n3 problems in m\.yaml: 3 errors\n$/)
    expectCalm(verdict, 2)
  })
})

test('a folder for what is temporary that is not there stands in the way of nothing', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const cwd = freshFolder({ 'm.yaml': good })
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key, TMPDIR: join(cwd, 'gone') }
  expectCalm(await genrun(['m.yaml'], { cwd, env }), 0)
})

test('an output folder that cannot be made is told before anything is sent, exit 2', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const cwd = freshFolder({ 'm.yaml': good, taken: 'a file' })
  const ended = await genrun(['m.yaml', '--output', 'taken'], { cwd, env })
  expect(ended.stderr).toMatch(/error: the output folder cannot be made: .*taken is a file \[output-folder\]/)
  expectCalm(ended, 2)
  const { execute, submit } = gateway.requests()
  expect([execute + submit, readFileSync(join(cwd, 'taken'), 'utf8')]).toEqual([0, 'a file'])
})

describe('a service that', () => {
  test('is not configured in CI is told, exit 2', async () => {
    const cwd = freshFolder({ 'm.yaml': good })
    const ended = await genrun(['m.yaml'], { cwd, env: { CI: 'true' } })
    expect(ended.stderr).toBe(
      'genrun: error: no service is configured, and in CI nothing is rehearsed unasked [no-service]\n' +
        '  = hint: set GENRUN_BASE_URL and GENRUN_API_KEY to make the real files, or give --local to rehearse\n',
    )
    expectCalm(ended, 2)
    expect(filesIn(cwd)).toEqual(['m.yaml'])
  })

  test('does not know the key costs one request for all jobs, exit 2, and the key is not shown', async () => {
    const gateway = await startGateway({ outputs: 'memory' })
    onTestFinished(() => gateway.close())
    const jobs = Array.from(
      { length: 6 },
      (_, nth) => `  a${nth}: { model: fama-imagine-image, prompt: Teapot ${nth} }\n`,
    )
    const cwd = freshFolder({ 'm.yaml': `jobs:\n${jobs.join('')}` })
    const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: 'not-the-right-key' }
    const ended = await genrun(['m.yaml'], { cwd, env })
    expect(ended.stderr).toContain('the service did not accept the key (401)')
    expect(ended.stderr + ended.stdout).not.toContain('not-the-right-key')
    expectCalm(ended, 2)
    const { execute, submit } = gateway.requests()
    expect(execute + submit).toBe(1)
    expect(filesIn(cwd).filter(name => name.endsWith('.png'))).toEqual([])
  })

  test('is not there is told, exit 4', { timeout: 60_000 }, async () => {
    const gateway = await startGateway({ outputs: 'memory' })
    await gateway.close()
    const cwd = freshFolder({ 'm.yaml': good })
    const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
    const ended = await genrun(['m.yaml'], { cwd, env })
    expect(ended.stderr).toContain(`${new URL(gateway.baseUrl).origin} could not be reached`)
    expect(ended.stderr).toContain('check GENRUN_BASE_URL and the network')
    expectCalm(ended, 4)
  })
})

/** The code is right and nobody has to read a stack trace. */
function expectCalm(
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
  wanted: number,
) {
  expect([code, stderr + stdout]).toEqual([wanted, expect.not.stringMatching(/^\s+at .*:\d+/m)])
  expect(stderr).not.toContain('internal error')
}
