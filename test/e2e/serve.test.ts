import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { probe } from '../../src/media/probe.ts'
import { filesIn, freshFolder, genrun, type Running, type Start, startGenrun } from './executable.ts'

interface Served extends Running {
  readonly baseUrl: string
  readonly key: string
  /** Answers are looked at by tests, which know their shape. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests know the shape
  post(path: string, params: object, headers?: Record<string, string>): Promise<{ status: number; body: any }>
  get(path: string): Promise<Response>
}

function serve(cwd: string, ...options: string[]): Promise<Served> {
  return serveAt({ cwd }, ...options)
}

async function serveAt(place: Start, ...options: string[]): Promise<Served> {
  const running = startGenrun(['serve', '--port', '0', ...options], place)
  const settings = await running.shows('stdout', 'GENRUN_API_KEY=')
  const [, baseUrl = '', key = ''] = /GENRUN_BASE_URL=(\S+)\nGENRUN_API_KEY=(\S+)\n/.exec(settings) ?? []
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    ...running,
    baseUrl,
    key,
    async post(path, params, more = {}) {
      const body = JSON.stringify({ params })
      const response = await fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body,
      })
      return { status: response.status, body: await response.json() }
    },
    get: path => fetch(new URL(path, `${baseUrl}/`), { headers }),
  }
}

/** The variables that were printed, as one pastes them. */
function settingsIn(printed: string): Record<string, string> {
  return Object.fromEntries(
    [...printed.matchAll(/^(\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** A picture of one pixel. */
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

const still = '/workflows/fama-imagine-image/execute'
const film = '/workflows/famc-v3/execute'

describe('genrun serve', () => {
  // Where a thread is comes from Node's own report, which a signal asks for; how quick the answers are is measured in
  // test/bench/gateway.mjs.
  test('renders on other threads and answers meanwhile', async () => {
    const cwd = freshFolder()
    const reports = '--report-on-signal --report-signal=SIGUSR2 --report-exclude-network --report-directory=.'
    const gateway = await serveAt({ cwd, env: { NODE_OPTIONS: reports } })
    const submit = '/workflows/famc-v3/submit'
    const long = { duration: 15, renderingSpeed: '4k' }
    const runs: string[] = []
    for (const prompt of ['a', 'b']) runs.push((await gateway.post(submit, { prompt, ...long })).body.id)

    const threads = async () => {
      gateway.child.kill('SIGUSR2')
      await (await gateway.get('openapi.json')).text()
      return renderingThreads(cwd)
    }
    await expect.poll(threads, { timeout: 60_000 }).toContain(2)
    for (const run of runs) {
      const { status } = await gateway.get(`/gw-v2/workflows/famc-v3/${run}/result`)
      expect(status, 'still under way').toBe(202)
    }
  })

  test('keeps at most what it may, in the format it is told, with links that expire', async () => {
    const cwd = freshFolder()
    const limits = ['--outputs', 'kept', '--max-store', '100kB', '--format', 'jpeg', '--link-seconds', '0.05']
    const gateway = await serve(cwd, ...limits)
    const runs: string[] = []
    for (const prompt of ['one', 'two', 'three', 'four']) {
      const { body } = await gateway.post(still, { prompt })
      expect(body.outputs[0].type).toBe('image/jpeg')
      runs.push(body.id)
      await expect.poll(async () => (await fetch(body.outputs[0].url)).status).toBe(410)
    }
    const left = readdirSync(join(cwd, 'kept'))
    expect(left).toContain(runs[3])
    expect(left.length).toBeLessThan(4)
  })

  test('tells what runs cost by the prices that it is given', async () => {
    const cwd = freshFolder()
    writeFileSync(join(cwd, 'p.yaml'), 'currency: USD\nmodels:\n  fama-imagine-image: { perImage: 0.25 }\n')
    const gateway = await serve(cwd, '--prices', 'p.yaml', '--s3', 'results')
    expect((await fetch(new URL('/s3/results/a', gateway.baseUrl))).status).toBe(403)
    const priced = await gateway.post(still, { prompt: 'Tea', count: 2 })
    expect(priced).toMatchObject({ status: 200, body: { credits: 0.5 } })
    const unknown = await gateway.post('/workflows/fama-tts/execute', { prompt: 'Tea' })
    expect(unknown.status).toBe(200)
    expect(JSON.stringify(unknown.body)).not.toContain('credits')

    // A run reports estimate and actual side by side.
    writeFileSync(join(cwd, 'm.yaml'), 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea, count: 2 }\n')
    const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
    const run = await genrun(['run', 'm.yaml', '--prices', 'p.yaml', '--json'], { cwd, env })
    expect(JSON.parse(run.stdout)).toMatchObject({ exit: 0, cost: { estimated: 0.5, credits: 0.5 } })
  })

  test('forgets results when it is told to', async () => {
    const gateway = await serve(freshFolder(), '--result-seconds', '0.05')
    const { body } = await gateway.post('/workflows/fama-imagine-image/submit', { prompt: 'one' })
    const result = () => gateway.get(`/gw-v2/workflows/fama-imagine-image/${body.id}/result`)
    await expect.poll(async () => (await result()).status, { timeout: 30_000 }).toBe(410)
    const expired = (await (await result()).json()) as object
    expect(expired).toMatchObject({ error: { code: 'result_expired' } })
    const odd = await genrun(['serve', '--result-seconds', 'soon'], { cwd: freshFolder() })
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('soon is no number of seconds')])
  })

  test('does wrong what it is told to, and counts it', async () => {
    const gateway = await serve(
      freshFolder(),
      '--fault',
      'refuse=429 first=1',
      '--fault',
      'html on=file',
      '--ledger',
    )
    expect((await gateway.post(still, { prompt: 'one' })).status).toBe(429)
    const { body } = await gateway.post(still, { prompt: 'one' })
    expect((await fetch(body.outputs[0].url)).headers.get('content-type')).toMatch(/^text\/html/)
    const ledger = await (await gateway.get('/__ledger')).json()
    expect(ledger).toMatchObject({ requests: { execute: 2 }, billed: { execute: 1 } })
  })

  test('has a bucket from which a second machine takes what the first paid for, down to what is made from it', async () => {
    const manifest =
      'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n' +
      '  clip: { model: famc-v3, prompt: Steam, startFrame: "${{ jobs.hero.output }}" }\n'
    const [one, other] = [freshFolder({ 'm.yaml': manifest }), freshFolder({ 'm.yaml': manifest })]
    const gateway = await serve(freshFolder(), '--ledger', '--s3', 'results')
    const printed = await gateway.shows('stdout', 'AWS_SECRET_ACCESS_KEY=')
    const env: Record<string, string> = { ...settingsIn(printed), GENRUN_CACHE: 's3://results/team' }
    const in_ = (cwd: string, ...words: string[]) => genrun(words, { cwd, env })
    const paid = async () => (await (await gateway.get('/__ledger')).json()) as { readonly requests: object }
    const withoutKey = await genrun(['m.yaml'], { cwd: one, env: { ...env, AWS_ACCESS_KEY_ID: '' } })
    expect(withoutKey).toMatchObject({ code: 2, stderr: expect.stringContaining('[cache-unreachable]') })
    expect(await in_(one, 'm.yaml', '--quiet')).toMatchObject({ code: 0 })
    expect(await paid()).toMatchObject({ requests: { execute: 1, submit: 1 } })
    const plan = await in_(other, 'plan', 'm.yaml')
    expect(plan.stdout).toContain('0 paid requests; 2 from the cache')
    expect(await in_(other, 'm.yaml', '--quiet')).toMatchObject({ code: 0 })
    expect(await paid()).toMatchObject({ requests: { execute: 1, submit: 1 } })
    for (const name of ['out/m/hero.png', 'out/m/clip.mp4'])
      expect(readFileSync(join(other, name))).toEqual(readFileSync(join(one, name)))
    expect(await in_(other, 'verify', 'm.yaml')).toMatchObject({ code: 0 })
    expect(filesIn(join(other, '.genrun')).some(name => name.includes('fetched'))).toBe(false)
  })

  test('prints all that a client of its bucket has to set, and nothing of a key of yours', async () => {
    const cwd = freshFolder({ 'm.yaml': 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n' })
    const own = { GENRUN_API_KEY: 'a-key-of-my-own' }
    const gateway = startGenrun(['serve', '--port', '0', '--s3', 'results'], { cwd, env: own })
    const printed = await gateway.shows('stdout', 'AWS_SECRET_ACCESS_KEY=')
    const told = await gateway.shows('stderr', 'set these for genrun')
    expect(`${printed}${told}`).not.toContain(own.GENRUN_API_KEY)
    expect(told).toContain('the bucket is s3://results\n')
    const env: Record<string, string> = { ...own, ...settingsIn(printed) }
    const run = await genrun(['m.yaml', '--quiet', '--cache', 's3://results/team'], { cwd, env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const other = freshFolder({ 'm.yaml': readFileSync(join(cwd, 'm.yaml'), 'utf8') })
    const plan = (secret: string) =>
      genrun(['plan', 'm.yaml', '--cache', 's3://results/team'], {
        cwd: other,
        env: { ...env, AWS_SECRET_ACCESS_KEY: secret },
      })
    expect((await plan(env.AWS_SECRET_ACCESS_KEY ?? '')).stdout).toContain('1 from the cache')
    expect(await plan(own.GENRUN_API_KEY)).toMatchObject({
      stderr: expect.stringContaining('[cache-unreachable]'),
    })
  })

  test('hands models to commands of the user', async () => {
    const cwd = freshFolder({
      'backend.yaml': `famc-v3: ./film.mjs\nfamb-v3: [${process.execPath}, paint.mjs, two words]\nfama-tts: exit 3\n`,
      'film.mjs': `#!${process.execPath}
import { copyFileSync, readFileSync } from 'node:fs'
const { params, inputs, outputs, seconds } = JSON.parse(readFileSync(0, 'utf8'))
if (params.prompt !== 'Steam' || seconds !== 5 || params.startFrame !== inputs[0].path) process.exit(1)
copyFileSync(inputs[0].path, outputs + '/not-a-clip.png')`,
      'paint.mjs': `
import { readFileSync, writeFileSync } from 'node:fs'
const { count, outputs } = JSON.parse(readFileSync(0, 'utf8'))
const gif = Buffer.from('${gif}', 'base64')
for (let k = 1; k <= count; k++) writeFileSync(outputs + '/' + k + '.gif', gif)
if (process.argv[2] !== 'two words') throw new Error('words')`,
    })
    chmodSync(join(cwd, 'film.mjs'), 0o755)
    const gateway = await serve(cwd, '--backend', 'backend.yaml')

    const painted = await gateway.post('/workflows/famb-v3/execute', { prompt: 'A fox', count: 2 })
    expect(painted.body).toMatchObject({
      status: 'completed',
      outputs: [{ type: 'image/gif' }, { width: 1, height: 1 }],
    })
    const url = painted.body.outputs[1].url
    expect(await probe(new Uint8Array(await (await fetch(url)).arrayBuffer()))).toMatchObject({
      got: 'media',
    })

    const startFrame = (await gateway.post(still, { prompt: 'A built-in one' })).body.outputs[0].url
    expect((await gateway.post(film, { prompt: 'Steam', startFrame })).body).toMatchObject({
      status: 'failed',
      error: { message: 'the backend of famc-v3 left not-a-clip.png: it is image/png' },
    })
    expect((await gateway.post('/workflows/fama-tts/execute', { prompt: 'Hello' })).body).toMatchObject({
      status: 'failed',
      error: { code: 'backend_failed', message: 'the backend ended with 3' },
    })
  })

  test('ends a command of the user that takes too long, and those under way when it is stopped', async () => {
    const cwd = freshFolder({ 'backend.yaml': 'famb-v3: sleep 300\nfamc-v3: echo $$ > group; sleep 300\n' })
    const limits = ['--backend', 'backend.yaml', '--backend-seconds', '0.2']
    const brief = await serve(cwd, ...limits)
    const { body } = await brief.post('/workflows/famb-v3/execute', { prompt: 'A fox' })
    expect(body.error).toEqual({ code: 'backend_timeout', message: 'the backend was ended after 0.2 s' })

    const env = { TMPDIR: freshFolder() }
    const patient = await serveAt({ cwd, env }, '--backend', 'backend.yaml')
    await patient.post('/workflows/famc-v3/submit', { prompt: 'Steam' })
    await expect
      .poll(() => existsSync(join(cwd, 'group')) && readFileSync(join(cwd, 'group'), 'utf8'), {
        timeout: 30_000,
      })
      .toMatch(/\n/)
    const group = Number(readFileSync(join(cwd, 'group'), 'utf8'))
    patient.child.kill('SIGTERM')
    expect((await patient.ended).code).toBe(0)
    await expect.poll(() => hasMembers(group), { timeout: 10_000 }).toBe(false)
    expect(readdirSync(env.TMPDIR)).toEqual([])
  })

  test('serves and renders the models of a catalog file, and hands them to commands', async () => {
    const cwd = freshFolder({
      'models.yaml': paints,
      'backend.yaml': 'acme/clip: exit 7\n',
      'broken.yaml': paints.replace('enum', 'enumm'),
    })
    const gateway = await serve(cwd, '--catalog', 'models.yaml', '--backend', 'backend.yaml')
    const painted = await gateway.post('/workflows/acme-paint/execute', {
      prompt: 'A fox',
      resolution: '640x480',
    })
    expect(painted.body).toMatchObject({ status: 'completed', outputs: [{ type: 'image/png' }] })
    const wrong = await gateway.post('/workflows/acme-paint/execute', { prompt: 'A fox', resolution: '1x1' })
    expect([wrong.status, wrong.body.error.problems[0].path]).toEqual([422, '/params/resolution'])
    const clip = await gateway.post('/workflows/acme/clip/execute', { prompt: 'A fox' })
    expect(clip.body.error.message).toBe('the backend ended with 7')
    expect((await gateway.post('/workflows/famb-v3/execute', { prompt: 'A fox' })).body.status).toBe(
      'completed',
    )
    const { paths } = (await (await gateway.get('openapi.json')).json()) as { paths: object }
    expect(Object.keys(paths)).toContain('/workflows/acme/clip/submit')

    const refused = await genrun(['serve', '--port', '0', '--catalog', 'broken.yaml'], { cwd })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('broken.yaml:5')])
  })

  test('says what it has to say about files', async () => {
    const gateway = await serve(freshFolder())
    const startFrame = 'https://pictures.example/fox.png'
    for (const prompt of ['one', 'two']) await gateway.post(film, { prompt, startFrame, duration: 3 })
    gateway.child.kill('SIGTERM')
    const { code, stderr } = await gateway.ended
    expect(code).toBe(0)
    expect(stderr.match(/made without startFrame/g)).toHaveLength(1)
    expect(stderr).toMatch(
      /genrun: warning: made without startFrame: links to elsewhere are not fetched here\nclosing\nclosed; 2 runs served\n$/,
    )
  })

  test('ends while it renders, and leaves nothing behind', async () => {
    const cwd = freshFolder()
    const gateway = await serve(cwd, '--outputs', 'kept')
    const submit = '/workflows/famc-v3/submit'
    for (const prompt of ['one', 'two', 'three'])
      await gateway.post(submit, { prompt, duration: 15, renderingSpeed: '4k' })
    gateway.child.kill('SIGINT')
    const { code, stderr } = await gateway.ended
    expect([code, stderr.split('\n').at(-2)]).toEqual([0, 'closed; 3 runs served'])
    expect(existsSync(join(cwd, 'kept')) ? readdirSync(join(cwd, 'kept')) : []).toEqual([])
  })
})

/** How many threads beside the main one were rendering, by each report of Node in a folder. */
function renderingThreads(folder: string): number[] {
  const texts = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  // The last may be half written: its end is missing.
  const whole = texts.filter(text => text.trimEnd().endsWith('\n}'))
  return whole.map(text => {
    const { workers } = JSON.parse(text) as { workers: { javascriptStack?: { stack?: string[] } }[] } // as Node documents it
    const stacks = workers.map(({ javascriptStack }) => javascriptStack?.stack ?? [])
    // One that waits has no frame of ours.
    return stacks.filter(stack => stack.some(frame => frame.includes('/dist/'))).length
  })
}

/** A picture and a clip of the user's own. */
const paints = `models:
  acme-paint:
    inputType: t2i
    params:
      resolution: { type: enum, values: ['640x480', '800x600'], default: '800x600' }
      prompt: { type: text, required: true }
  acme/clip:
    inputType: t2v
    sound: native
    params:
      prompt: { type: text, required: true }
      duration: { type: enum, values: [1, 2], default: 1 }
`

test('a rehearsal makes what models of the user own would, whatever the workflows are called', async () => {
  const cwd = freshFolder({
    'models.yaml': paints,
    'm.yaml':
      'catalog: models.yaml\njobs:\n  fox: { model: acme-paint, prompt: A fox }\n' +
      '  clip: { model: acme/clip, prompt: Steam, workflow: team-clips }\n',
  })
  const { code, stderr } = await genrun(['m.yaml', '--local'], { cwd })
  expect([code, stderr]).toEqual([0, expect.stringContaining('2')])
  const made = filesIn(cwd).filter(name => /preview.*\.(png|mp4)$/.test(name))
  const media = await Promise.all(made.map(name => probe(readFileSync(join(cwd, name)))))
  expect(media).toMatchObject([
    { media: { type: 'video/mp4', seconds: 1, sound: true } },
    { media: { type: 'image/png', width: 800, height: 600 } },
  ])
})

/** Whether anybody lives in a process group. */
function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

test('a rehearsal says what it made without', async () => {
  const cwd = freshFolder({
    'clip.yaml':
      'jobs:\n  clip:\n    model: famc-v3\n    prompt: Steam\n    duration: 3\n    startFrame: https://pictures.example/fox.png\n',
  })
  const { code, stderr } = await genrun(['clip.yaml', '--local'], { cwd })
  expect(code).toBe(0)
  expect(stderr).toContain(
    'genrun: warning: made without startFrame: links to elsewhere are not fetched here\n',
  )
})
