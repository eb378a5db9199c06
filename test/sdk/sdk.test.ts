import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { createGenrun, fromEnv, type Genrun, GenrunError, type RunEvent } from '../../src/index.ts'
import { pixel } from '../verbs/bench.ts'
import { certificate } from '../wire/certificate.ts'
import { proxyServer, secureServer } from '../wire/tunnel.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'genrun-sdk-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function served(options: Partial<GatewayOptions> = {}) {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  const cwd = folder()
  return { gateway, cwd, genrun: createGenrun({ baseUrl: gateway.baseUrl, key: gateway.key, cwd }) }
}

async function thrownBy(work: Promise<unknown>): Promise<GenrunError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof GenrunError) return error
  throw new Error(`not a GenrunError: ${String(error)}`)
}

test('a rehearsal makes a file and leaves the process free to end', async () => {
  const cwd = folder()
  const made = await createGenrun({ rehearse: true, cwd }).generate(
    'fama-imagine-image',
    { prompt: 'Tea' },
    { name: 'tea' },
  )
  expect(made).toMatchObject({
    ending: 'made',
    rehearsal: true,
    warnings: [],
    files: [{ path: join(cwd, 'tea.preview.png'), type: 'image/png', width: 1024, height: 1024 }],
  })
})

test('files are given as paths, URLs and bytes', async () => {
  const { genrun, cwd } = await served()
  writeFileSync(join(cwd, 'a.png'), pixel)
  const imageUrls = ['a.png', pixel, new URL(`data:image/png;base64,${pixel.toString('base64')}`)]
  expect(await genrun.generate('famc-3.0-image', { prompt: 'Tea', imageUrls })).toMatchObject({
    ending: 'made',
  })
})

test('what is wrong is thrown before anything is sent, with its problems', async () => {
  const { genrun, gateway } = await served()
  // @ts-expect-error 7 is not among the values
  const error = await thrownBy(genrun.generate('famc-v3', { prompt: 'Tea', duration: 7 }))
  expect(error).toMatchObject({
    name: 'GenrunError',
    code: 'refused',
    problems: [{ code: 'bad-value', line: 4, column: 15 }],
  })
  expect(error.message).toContain('duration must be one of 3, 5, 8, 10, 12, 15')
  expect(gateway.requests()).toMatchObject({ submit: 0 })
})

test('a run is ordered, looked at and waited for, by plain data', async () => {
  const { genrun, gateway, cwd } = await served({ manual: true })
  const run = await genrun.submit('famc-t2a', { prompt: 'Rain', duration: 3 })
  expect(run).toEqual({
    model: 'famc-t2a',
    workflow: 'famc-t2a',
    id: expect.any(String),
    params: { prompt: 'Rain', duration: 3 },
  })
  const handle = await gateway.nextRun()
  expect(await genrun.result(run)).toMatchObject({ is: 'pending' })
  await handle.finish()
  const later = JSON.parse(JSON.stringify(run))
  const done = await genrun.wait(later, { name: 'rain' })
  expect(done).toMatchObject({ ending: 'made', paid: 0, files: [{ seconds: 3 }] })
  expect(readdirSync(cwd)).toContain(done.files[0]?.path.split('/').at(-1))
  expect(gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
})

test('a file can be read as a stream, as bytes and by its link, and a result is still plain data', async () => {
  const made = await createGenrun({ rehearse: true, cwd: folder() }).generate('fama-tts', { prompt: 'Tea' })
  const [file] = made.files
  if (!file) throw new Error('no file')
  let streamed = 0
  for await (const piece of file.stream()) streamed += piece.byteLength
  const whole = readFileSync(fileURLToPath(file.url))
  expect([streamed, (await file.read()).byteLength, whole.byteLength]).toEqual(Array(3).fill(file.bytes))
  expect(structuredClone(made)).toEqual(made)
  expect(file.seconds).toBeGreaterThan(0)
})

test('links of the service come without a file', async () => {
  const { genrun, gateway, cwd } = await served({ manual: true })
  const run = await genrun.submit('famc-t2a', { prompt: 'Rain', duration: 3 })
  const handle = await gateway.nextRun()
  expect(await genrun.links(run)).toMatchObject({ is: 'pending' })
  await handle.finish()
  const links = await genrun.links(run)
  if (links.is !== 'made') throw new Error('it is not done')
  expect((await fetch(links.links[0] ?? '')).headers.get('content-type')).toBe('audio/wav')
  expect(readdirSync(cwd).filter(name => name.startsWith('rain'))).toEqual([])
})

test('what an aborted call paid for is collected', async () => {
  const { genrun, gateway } = await served({ manual: true })
  const stop = new AbortController()
  const onEvent = (event: RunEvent) => {
    if (event.event === 'accepted') stop.abort()
  }
  await thrownBy(genrun.generate('famc-t2a', { prompt: 'Rain' }, { signal: stop.signal, onEvent }))
  await (await gateway.nextRun()).finish()
  const collected = await genrun.collect()
  expect(collected).toMatchObject({ made: [{ ending: 'made', paid: 0 }], failed: [], open: [], problems: [] })
  expect(await genrun.collect()).toMatchObject({ made: [] })
  const unsent = { signal: AbortSignal.abort() }
  await thrownBy(genrun.generate('famc-t2a', { prompt: 'Rain' }, unsent))
  expect(gateway.ledger().requests.submit).toBe(1)
})

test('in a rehearsal too a run can be waited for', async () => {
  const genrun: Genrun = createGenrun({ rehearse: true, cwd: folder() })
  const run = await genrun.submit('fama-imagine-image', { prompt: 'Tea' })
  expect(await genrun.result(run)).toMatchObject({ is: expect.stringMatching(/made|pending/) })
})

test('an abort buys nothing more and names the run', async () => {
  const { genrun } = await served({ manual: true })
  const stop = new AbortController()
  const onEvent = (event: RunEvent) => {
    if (event.event === 'accepted') stop.abort()
  }
  const error = await thrownBy(
    genrun.generate('famc-t2a', { prompt: 'Rain' }, { signal: stop.signal, onEvent }),
  )
  expect(error).toMatchObject({
    code: 'failed',
    failure: { why: 'stopped' },
    generation: { run: { workflow: 'famc-t2a' } },
  })
})

test('a wrong key is a failure', async () => {
  const { gateway, cwd } = await served()
  const genrun = createGenrun({ baseUrl: gateway.baseUrl, key: 'wrong', cwd })
  expect(await thrownBy(genrun.generate('fama-imagine-image', { prompt: 'Tea' }))).toMatchObject({
    code: 'failed',
    failure: { why: 'unauthorized' },
  })
})

test('a manifest runs with a stream of events and a report', async () => {
  const { genrun, cwd } = await served()
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n')
  expect(genrun.validate('tea.yaml')).toEqual({ ok: true, jobs: 1, problems: [] })
  expect(genrun.plan('tea.yaml')).toMatchObject({ paid: 1, steps: [{ do: 'buy', address: 'hero' }] })
  const run = genrun.run('tea.yaml')
  const events: RunEvent['event'][] = []
  for await (const event of run) events.push(event.event)
  expect(events[0]).toBe('planned')
  expect(events).toContain('settled')
  expect(await run.report).toMatchObject({ counts: { made: 1 }, paid: 1, exit: 0 })
  expect(existsSync(join(cwd, 'out/tea/hero.png'))).toBe(true)
  expect(await genrun.run('tea.yaml').report).toMatchObject({ counts: { kept: 1 }, paid: 0 })
})

test('looks of the program’s own are asked, and what is none is refused', async () => {
  const { cwd, gateway } = await served()
  const at = { baseUrl: gateway.baseUrl, key: gateway.key }
  writeFileSync(
    join(cwd, 'tea.yaml'),
    'jobs: { hero: { model: fama-imagine-image, prompt: Tea, gate: { brand: fail } } }\n',
  )
  writeFileSync(join(cwd, 'check'), `#!/bin/sh\necho '{ "verdict": "fail", "why": "no logo" }'\n`, {
    mode: 0o755,
  })
  const genrun = createGenrun({ ...at, cwd, gates: { brand: './check' } })
  expect(genrun.validate('tea.yaml')).toMatchObject({ ok: true })
  expect(genrun.plan('tea.yaml')).toMatchObject({ paid: 1 })
  const { jobs, paid } = await genrun.run('tea.yaml').report
  expect({ jobs, paid }).toMatchObject({ jobs: [{ message: expect.stringContaining('no logo') }], paid: 1 })
  expect(createGenrun({ ...at, cwd }).validate('tea.yaml')).toMatchObject({ ok: false })
  const wrong = createGenrun({ ...at, cwd, gates: { brand: 'http://host/check' } })
  expect(await thrownBy(wrong.run('tea.yaml').report)).toMatchObject({
    code: 'refused',
    problems: [{ message: expect.stringContaining('must begin with https://') }],
  })
})

test('a manifest with a mistake rejects, for listeners too', async () => {
  const { genrun, cwd } = await served()
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-imag, prompt: Tea } }\n')
  const run = genrun.run('tea.yaml')
  const listening = (async () => {
    for await (const _ of run);
  })()
  expect(await thrownBy(listening)).toMatchObject({ code: 'refused', problems: [{ code: 'unknown-model' }] })
})

test('the catalog, checks and prices need no service', () => {
  const genrun = createGenrun({ rehearse: true })
  expect(genrun.models()).toHaveLength(25)
  expect(genrun.check('famc-v3', { prompt: ' ' })).toMatchObject([{ severity: 'error' }])
  expect(genrun.price('famc-v3', { duration: 10 })).toMatchObject({
    model: 'famc-v3',
    quantities: { perSecond: 10 },
  })
})

test('the environment is read only when it is asked for', () => {
  expect(fromEnv({ GENRUN_BASE_URL: 'https://a.example/gw-v2', GENRUN_API_KEY: 'k' })).toEqual({
    baseUrl: 'https://a.example/gw-v2',
    key: 'k',
  })
  expect(() => fromEnv({})).toThrow('GENRUN_BASE_URL is not set')
})

test('caps hold over all that one program orders: calls, calls with a lock, runs of a manifest', async () => {
  const { gateway, cwd } = await served()
  const prices = join(cwd, 'prices.yaml')
  writeFileSync(prices, 'currency: USD\nmodels:\n  "*": { perRun: 1 }\n')
  writeFileSync(
    join(cwd, 'tea.yaml'),
    'jobs:\n  a: { model: fama-imagine-image, prompt: A }\n  b: { model: fama-imagine-image, prompt: B }\n',
  )
  const at = { baseUrl: gateway.baseUrl, key: gateway.key, cwd, prices }
  const make = (genrun: Genrun, name: string, more = {}) =>
    genrun.generate('fama-imagine-image', { prompt: name }, { name, ...more })
  const genrun = createGenrun({ ...at, caps: { maxPaid: 3, maxCost: 10 } })
  await make(genrun, 'one')
  await make(genrun, 'two', { lock: 'art.lock.json' })
  // What was bought before counts for nothing.
  expect(await make(genrun, 'two', { lock: 'art.lock.json' })).toMatchObject({ paid: 0 })
  const { counts, exit, paid } = await genrun.run('tea.yaml', { caps: { maxPaid: 2 } }).report
  expect({ counts, exit, paid }).toEqual({ counts: expect.objectContaining({ made: 1 }), exit: 6, paid: 1 })
  for (const more of [{}, { lock: 'art.lock.json' }])
    expect(await thrownBy(make(genrun, 'three', more))).toMatchObject({ failure: { why: 'budget' } })
  expect(gateway.ledger().requests.execute).toBe(3)
  // A call's own cap holds besides, and a run gives back what it did not spend.
  const other = createGenrun({ ...at, caps: { maxCost: 2 } })
  expect(await thrownBy(make(other, 'dear', { maxCost: 0.5 }))).toMatchObject({ failure: { why: 'budget' } })
  await other.run('tea.yaml').report
  await make(other, 'four')
  expect(await thrownBy(make(other, 'five'))).toMatchObject({ failure: { why: 'budget' } })
  expect(gateway.ledger().requests.execute).toBe(5)
})

test('jobs of a manifest go to services that the program names, each with its key and its caps', async () => {
  const { gateway, cwd } = await served()
  const other = await startGateway({ outputs: 'memory', key: 'key-of-the-studio' })
  onTestFinished(() => other.close())
  writeFileSync(
    join(cwd, 'tea.yaml'),
    `jobs:
  a: { model: fama-imagine-image, prompt: A }
  b: { model: fama-imagine-image, prompt: B, service: studio }
  c: { model: fama-imagine-image, prompt: C, service: studio }
`,
  )
  const at = { baseUrl: gateway.baseUrl, key: gateway.key, cwd }
  const studio = { baseUrl: other.baseUrl, key: other.key, limits: { maxPaid: 1 } }
  const { exit, paid } = await createGenrun({ ...at, services: { studio } }).run('tea.yaml').report
  expect({ exit, paid }).toEqual({ exit: 6, paid: 2 })
  expect([gateway, other].map(each => each.ledger().requests.execute)).toEqual([1, 1])
  const lame = { baseUrl: other.baseUrl } as typeof studio
  const run = createGenrun({ ...at, services: { studio: lame } }).run('tea.yaml')
  expect((await thrownBy(run.report)).message).toContain('has no `key`')
  expect((await thrownBy(createGenrun(at).run('tea.yaml').report)).message).toContain(
    'no service is called studio',
  )
})

test('the environment caps what is ordered, and a cap that cannot be read is refused', () => {
  const named = { GENRUN_BASE_URL: 'https://a.example/gw-v2', GENRUN_API_KEY: 'k' }
  expect(fromEnv({ ...named, GENRUN_MAX_PAID: '20', GENRUN_MAX_COST: '1.5' }).caps).toEqual({
    maxPaid: 20,
    maxCost: 1.5,
  })
  for (const env of [{ GENRUN_MAX_PAID: '1.5' }, { GENRUN_MAX_COST: 'ten' }, { GENRUN_MAX_COST: '-1' }])
    expect(() => fromEnv({ ...named, ...env })).toThrow(/GENRUN_MAX_\w+ is a number from 0/)
})

describe('the environment says how the service is reached', () => {
  const named = { GENRUN_BASE_URL: 'https://a.example/gw-v2', GENRUN_API_KEY: 'k' }

  test('by proxy, authority, and places for files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'genrun-env-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const pem = join(folder, 'own.pem')
    writeFileSync(pem, certificate)
    const env = {
      ...named,
      HTTPS_PROXY: 'proxy.example:3128',
      NO_PROXY: 'files.example',
      GENRUN_CA: pem,
      GENRUN_UPLOAD_ORIGINS: 'https://files.example',
      GENRUN_ALLOW_HOSTS: 'cdn.lan',
      GENRUN_POLLS_PER_SECOND: '10',
    }
    expect(fromEnv(env)).toEqual({
      baseUrl: 'https://a.example/gw-v2',
      key: 'k',
      proxy: { https: 'proxy.example:3128', no: 'files.example' },
      ca: `${certificate.trim()}\n`,
      uploadOrigins: ['https://files.example'],
      allowHosts: ['cdn.lan'],
      pollsPerSecond: 10,
    })
  })

  test.each([
    [{ GENRUN_CA: '/none.pem' }, '/none.pem, named by GENRUN_CA, cannot be read: there is no such file'],
    [{ HTTPS_PROXY: 'socks5://p.example' }, 'the address of the proxy must look like http://host:port'],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'would send the key to anyone who answers'],
  ])('and is refused where it is wrong: %o', (env, told) => {
    expect(() => fromEnv({ ...named, ...env })).toThrow(told)
  })

  test('and the program goes that way', async () => {
    const service = await secureServer((_, response) =>
      response.writeHead(422).end('{"error":"no such thing"}'),
    )
    const proxy = await proxyServer()
    const cwd = folder()
    writeFileSync(join(cwd, 'own.pem'), certificate)
    const options = fromEnv({
      GENRUN_BASE_URL: `https://service.test:${service.port}/gw-v2`,
      GENRUN_API_KEY: 'k',
      HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
      GENRUN_CA: join(cwd, 'own.pem'),
    })
    const made = createGenrun({ ...options, cwd }).generate('fama-imagine-image', { prompt: 'Tea' })
    expect(await thrownBy(made)).toMatchObject({ failure: { why: 'refused', detail: 'no such thing' } })
    expect(proxy.asked).toHaveLength(1)
    expect(service.seen).toHaveLength(1)
  })
})

test('with a lock one job is bought once, and a damaged lock buys nothing', async () => {
  const { genrun, gateway, cwd } = await served()
  const call = (prompt: string) =>
    genrun.generate('fama-imagine-image', { prompt }, { name: 'tea', lock: 'art.lock.json' })
  expect((await call('Tea')).again).toBeUndefined()
  expect(await call('Tea')).toMatchObject({ again: 'kept', paid: 0, files: [{ path: join(cwd, 'tea.png') }] })
  expect((await call('Coffee')).paid).toBe(1)
  writeFileSync(join(cwd, 'art.lock.json'), '{"genrun":1')
  expect((await thrownBy(call('Tea'))).message).toContain('art.lock.json')
  expect(gateway.ledger().requests.execute).toBe(2)
})

// What programs in JavaScript write: no compiler asks them for a key.
test.each([
  [{}, 'createGenrun was given no baseUrl', 'rehearse'],
  [{ baseUrl: 'U' }, 'createGenrun was given no key', 'fromEnv()'],
  [{ baseUrl: 'U', apiKey: 'k3y' }, 'createGenrun was given no key', 'it is called `key`, not `apiKey`'],
  [{ baseUrl: 'U', key: '' }, 'key must be a text that is not empty', '{ baseUrl, key }'],
  [{ baseUrl: 'U', key: 7 }, 'key must be a text that is not empty', '{ baseUrl, key }'],
  [{ url: 'U', key: 'k3y' }, 'createGenrun was given no baseUrl', 'it is called `baseUrl`, not `url`'],
])('%j names no service: it is refused before a request', async (given, message, hint) => {
  const { gateway, cwd } = await served()
  const options = JSON.parse(
    JSON.stringify({ ...given, cwd }).replaceAll('"U"', JSON.stringify(gateway.baseUrl)),
  )
  const genrun = createGenrun(options)
  const before = gateway.ledger().requests
  const works = [
    genrun.generate('fama-tts', { prompt: 'Tea' }),
    genrun.submit('fama-tts', { prompt: 'Tea' }),
    genrun.run('m.yaml').report,
  ]
  for (const work of works) {
    const thrown = await thrownBy(work)
    expect(thrown).toMatchObject({
      code: 'refused',
      problems: [{ message, hint: expect.stringContaining(hint) }],
    })
    expect(thrown.message).not.toContain('k3y')
  }
  expect(gateway.ledger().requests).toEqual(before)
  expect(readdirSync(cwd)).toEqual([])
})
