import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { executable, filesIn, freshFolder, genrun, startGenrun } from './executable.ts'

const three = `jobs:
  hero:
    model: fama-imagine-image
    prompt: A celadon teapot on wet slate
  clip:
    model: famc-v3
    prompt: Slow push-in, steam rising
    startFrame: \${{ jobs.hero.output }}
    duration: 3
  voice:
    model: fama-tts
    prompt: Morning begins with water.
`
const single = 'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam rising\n    duration: 3\n'

async function served(
  options: Partial<GatewayOptions> = {},
): Promise<{ gateway: Gateway; env: { [name: string]: string } }> {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  return {
    gateway,
    env: {
      GENRUN_BASE_URL: gateway.baseUrl,
      GENRUN_API_KEY: gateway.key,
      CI: '1',
      GENRUN_UNTRUSTED: 'false',
    },
  }
}

/** What is there besides genrun's own state. */
function outputsIn(folder: string): string[] {
  return filesIn(folder).filter(name => !name.includes('.genrun/'))
}

function text(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

describe('a rehearsal', () => {
  test('leaves real files apart from the real ones, says so, and does nothing the second time', async () => {
    const cwd = freshFolder({ 'tea.yaml': three })
    const first = await genrun(['tea.yaml'], { cwd })
    expect(first.code).toBe(0)
    expect(first.stderr).toContain(
      'rehearsal: no service is configured, so the embedded gateway makes placeholders; nothing is paid\n',
    )
    expect(first.stderr).toMatch(
      /3 jobs: 3 made; .* s, files in out\/tea\.preview\nrehearsal: the files are placeholders/,
    )
    const paths = first.stdout.trim().split('\n')
    expect(paths).toEqual([
      'out/tea.preview/hero.png',
      'out/tea.preview/clip.mp4',
      expect.stringContaining('voice.'),
    ])
    for (const path of paths) expect(existsSync(join(cwd, path))).toBe(true)
    const lock = text(cwd, 'tea.preview.lock.json')
    const second = await genrun(['tea.yaml'], { cwd })
    expect(second).toMatchObject({ code: 0, stdout: '' })
    expect(second.stderr).toMatch(/nothing to do: 3 jobs are up to date, no request was made\n$/)
    expect(text(cwd, 'tea.preview.lock.json')).toBe(lock)
  })

  test('needs no name of its user: in a container that runs as somebody else there is none', async () => {
    const cwd = freshFolder({ 't.yaml': single })
    const nameless = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'
      os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT') }; syncBuiltinESMExports()`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(nameless)}` }
    expect((await genrun(['t.yaml', '--local'], { cwd, env })).code).toBe(0)
  })

  test('is allowed in CI when it is asked for, and reports as JSON', async () => {
    const cwd = freshFolder({ 'tea.yaml': three })
    const ended = await genrun(['tea.yaml', '--local', '--json', '--output', 'media'], {
      cwd,
      env: { CI: '1' },
    })
    const report = JSON.parse(ended.stdout)
    expect(ended.code).toBe(0)
    expect(report).toMatchObject({ ok: true, exit: 0, rehearsal: true, counts: { made: 3 }, problems: [] })
    expect(report.jobs.map((job: { address: string }) => job.address)).toEqual(['hero', 'clip', 'voice'])
    expect(filesIn(cwd).filter(name => name.endsWith('.png'))).toEqual(['media.preview/hero.png'])
    expect(ended.stderr).toContain('genrun')
  })
})

describe('a run over HTTP', () => {
  test('pays for each job once, and an unchanged second run makes no request', async () => {
    const { gateway, env } = await served()
    const cwd = freshFolder({ 'tea.yaml': three })
    const first = await genrun(['tea.yaml'], { cwd, env })
    expect(first).toMatchObject({ code: 0 })
    expect(first.stderr).toMatch(/3 jobs: 3 made; .* s, 3 paid requests, files in out\/tea\n$/)
    expect(first.stderr).not.toContain('rehearsal')
    const requests = gateway.requests()
    expect(requests).toMatchObject({ execute: 1, submit: 2 })
    const files = outputsIn(cwd)
    const lock = text(cwd, 'tea.lock.json')
    const second = await genrun(['tea.yaml'], { cwd, env })
    expect(second).toMatchObject({ code: 0, stdout: '' })
    expect(second.stderr).toMatch(/nothing to do: 3 jobs are up to date, no request was made\n$/)
    expect(gateway.requests()).toEqual(requests)
    expect([outputsIn(cwd), text(cwd, 'tea.lock.json')]).toEqual([files, lock])
  })

  test('shows and stores the key nowhere', async () => {
    const { gateway, env } = await served()
    const cwd = freshFolder({ 'tea.yaml': three })
    const { stdout, stderr } = await genrun(['tea.yaml', '--verbose', '--json'], { cwd, env })
    expect(stdout + stderr).not.toContain(gateway.key)
    for (const name of filesIn(cwd)) expect(readFileSync(join(cwd, name)).includes(gateway.key)).toBe(false)
  })

  test('takes the key from a file as well', async () => {
    const { gateway } = await served()
    const cwd = freshFolder({ 'tea.yaml': three, 'service.key': `${gateway.key}\n` })
    const env = {
      GENRUN_BASE_URL: gateway.baseUrl,
      GENRUN_API_KEY_FILE: 'service.key',
      CI: '1',
      GENRUN_UNTRUSTED: 'false',
    }
    expect(await genrun(['tea.yaml', '--quiet'], { cwd, env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('can be read by other users'),
    })
  })

  test('that loses a job goes on with the others, exit 1, and tells what to do', async () => {
    const { gateway, env } = await served({ manual: true })
    const cwd = freshFolder({ 'tea.yaml': single + single.slice(6).replace('clip', 'other') })
    const running = startGenrun(['tea.yaml'], { cwd, env })
    const first = await gateway.nextRun()
    await first.fail('no steam today')
    const second = await gateway.nextRun()
    await second.finish()
    const ended = await running.ended
    expect(ended.code).toBe(1)
    expect(ended.stdout.trim().split('\n')).toHaveLength(1)
    expect(ended.stderr).toMatch(
      /failed: (clip|other) \(famc-v3\)\n {2}the run failed at the service: .*no steam today/,
    )
  })

  test('survives a reader that goes away', async () => {
    const { env } = await served()
    const cwd = freshFolder({ 'tea.yaml': three })
    const running = startGenrun(['tea.yaml', '--json'], { cwd, env })
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    expect((await running.ended).code).toBe(0)
    expect(existsSync(join(cwd, 'out/tea/hero.png'))).toBe(true)
  })
})

describe('a stop', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'by %s keeps what runs, exits %d, and the next run goes on without paying',
    async (signal, code) => {
      const { gateway, env } = await served({ manual: true })
      const cwd = freshFolder({ 'tea.yaml': single })
      const running = startGenrun(['tea.yaml'], { cwd, env })
      const run = await gateway.nextRun()
      await running.shows('stderr', `accepted  run ${run.id}`)
      running.child.kill(signal)
      const ended = await running.ended
      expect(ended.code).toBe(code)
      expect(ended.stderr).toContain('stopping: no more is bought, what runs is kept')
      expect(ended.stderr).toMatch(/unfinished: clip \(famc-v3\)/)
      await run.finish()
      const second = await genrun(['tea.yaml'], { cwd, env })
      expect(second).toMatchObject({ code: 0, stdout: 'out/tea/clip.mp4\n' })
      expect(second.stderr).toContain(`resumed  run ${run.id}`)
      expect(gateway.requests()).toMatchObject({ execute: 0, submit: 1 })
    },
  )
})

describe('other commands', () => {
  test('models info --json prints the record of a model', async () => {
    const { stdout, code } = await genrun(['models', 'info', 'famb-v3', '--json'], { cwd: freshFolder() })
    const info = JSON.parse(stdout)
    expect([code, Object.keys(info)]).toEqual([
      0,
      expect.arrayContaining(['id', 'name', 'family', 'inputType', 'modes', 'mode', 'params']),
    ])
    expect(info).toMatchObject({
      id: 'famb-v3',
      name: 'v3',
      family: 'famb',
      inputType: 't2i',
      mode: 'execute',
    })
    expect(info.params.find((param: { name: string }) => param.name === 'imageWeight')).toEqual({
      name: 'imageWeight',
      flag: '--weight',
      longFlag: '--image-weight',
      type: 'integer',
      required: false,
      default: 50,
      minimum: 1,
      maximum: 100,
      step: 5,
      note: expect.any(String),
    })
  })

  test('validate --json prints a verdict', async () => {
    const cwd = freshFolder({ 'tea.yaml': three, 'bad.yaml': three.replace('duration: 3', 'duration: 4') })
    expect(await genrun(['validate', 'tea.yaml', '--json'], { cwd })).toEqual({
      code: 0,
      stdout: '{\n  "ok": true,\n  "jobs": 3,\n  "problems": []\n}\n',
      stderr: '',
    })
    const bad = await genrun(['validate', 'bad.yaml', '--json'], { cwd })
    expect([bad.code, JSON.parse(bad.stdout)]).toEqual([
      2,
      {
        ok: false,
        jobs: expect.any(Number),
        problems: [
          {
            code: 'bad-value',
            severity: 'error',
            message: 'duration must be one of 3, 5, 8, 10, 12, 15',
            file: 'bad.yaml',
            line: 9,
            column: 15,
            endLine: 9,
            endColumn: 16,
            hint: expect.any(String),
          },
        ],
      },
    ])
    expect(filesIn(cwd)).toEqual(['bad.yaml', 'tea.yaml'])
  })

  test('--version is the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    const cwd = freshFolder()
    for (const flag of ['--version', '-V'])
      expect(await genrun([flag], { cwd })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('--version loads next to nothing', () => {
    const loaded = loadedBy(executable)
    const bytes = [...loaded].reduce((sum, path) => sum + readFileSync(path).length, 0)
    expect(bytes).toBeLessThan(10_000)
  })

  test('serve serves until it is told to stop, with what a client must set on stdout', async () => {
    const cwd = freshFolder({ 'tea.yaml': three })
    const serving = startGenrun(['serve', '--port', '0'], { cwd })
    const settings = await serving.shows('stdout', 'GENRUN_API_KEY=')
    const env = Object.fromEntries(
      settings
        .trim()
        .split('\n')
        .map(line => line.split('=') as [string, string]),
    )
    expect(Object.keys(env)).toEqual(['GENRUN_BASE_URL', 'GENRUN_API_KEY'])
    expect(await genrun(['tea.yaml', '--quiet'], { cwd, env })).toMatchObject({ code: 0, stderr: '' })
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toEqual({
      code: 0,
      stdout: settings,
      stderr: expect.stringMatching(
        /^serving until Ctrl-C; set these .*\nwhat is made can be seen at http:\S+\nclosing\nclosed; 3 runs served\n$/,
      ),
    })
  })

  test('serve does not show a key that it was given', async () => {
    const serving = startGenrun(['serve', '--port', '0'], {
      cwd: freshFolder(),
      env: { GENRUN_API_KEY: 'k3y-of-mine' },
    })
    await serving.shows('stderr', 'serving')
    serving.child.kill('SIGINT')
    const { code, stdout, stderr } = await serving.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^GENRUN_BASE_URL=\S+\n$/)
    expect(stdout + stderr).not.toContain('k3y-of-mine')
  })

  test('serve says when its port is taken', async () => {
    const { gateway } = await served()
    const { port } = new URL(gateway.baseUrl)
    expect(await genrun(['serve', '--port', port], { cwd: freshFolder() })).toEqual({
      code: 2,
      stdout: '',
      stderr: `genrun: error: 127.0.0.1:${port} is taken by another program [port-taken]\n  = hint: --port 0 takes a free port\n`,
    })
  })
})

/** A built file with everything it imports before it runs. */
function loadedBy(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, to = ''] of readFileSync(path, 'utf8').matchAll(
    /^(?:import|export|\}) ?[^;()]*?"(\.[^"]+)"/gm,
  )) {
    loadedBy(join(dirname(path), to), seen)
  }
  return seen
}
