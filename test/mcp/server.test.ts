import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { Ajv } from 'ajv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { serveHttp } from '../../src/mcp/http.ts'
import { openServing } from '../../src/mcp/server.ts'
import { openModelSet } from '../../src/workspace/read/model-set.ts'
import { openSessionBudget } from '../../src/workspace/session-budget.ts'
import { startGenrun } from '../e2e/executable.ts'
import { pixel } from '../verbs/bench.ts'
import { clientOf, connected, folder, overStdio, started, textOf, transportTo, ways } from './bench.ts'

test('the tools of the specification are listed; read-only has none that makes anything', async () => {
  const { client } = await connected()
  const { tools } = await client.listTools()
  expect(tools.map(tool => tool.name)).toEqual([
    'service_generate',
    'service_result',
    'service_models',
    'service_model_info',
    'service_pricing',
    'service_validate',
    'service_plan',
    'service_status',
    'service_run',
    'service_redo',
    'service_pick',
  ])
  const generate = tools[0]?.inputSchema.properties as { [name: string]: object }
  expect(generate.imageUrls).toMatchObject({ type: 'array', items: { type: 'string' } })
  const { client: reader } = await connected({ readOnly: true })
  expect((await reader.listTools()).tools.map(tool => tool.name)).toEqual([
    'service_models',
    'service_model_info',
    'service_pricing',
    'service_validate',
    'service_plan',
    'service_status',
  ])
  expect(
    await reader.callTool({ name: 'service_generate', arguments: { model: 'famb-v4', prompt: 'Tea' } }),
  ).toMatchObject({
    isError: true,
  })
})

test('clients hear what becomes of a call that breaks or is cancelled, and what one more costs', async () => {
  const { client } = await connected()
  const told = client.getInstructions()
  expect(told).toContain('one that you cancel orders nothing more; what either ordered is kept.')
  expect(told).toContain('service_redo orders once more each time')
})

test('every tool says what it is for, and its schema is one that strict validators take', async () => {
  const { client } = await connected()
  const { tools } = await client.listTools()
  const ajv = new Ajv({ strict: true })
  for (const { name, description, inputSchema, outputSchema = {}, annotations } of tools) {
    expect(outputSchema).toMatchObject({ type: 'object', required: expect.any(Array) })
    expect(() => ajv.compile(outputSchema as object), name).not.toThrow()
    expect(name).toMatch(/^service_[a-z_]+$/)
    expect(description?.length).toBeGreaterThan(20)
    expect(inputSchema.type).toBe('object')
    expect(() => ajv.compile(inputSchema), name).not.toThrow()
    const silent = Object.entries(inputSchema.properties ?? {}).filter(
      ([, each]) => !('description' in (each as object)),
    )
    expect(silent, name).toEqual([])
    // Whoever asks a person before anything that costs goes by these.
    expect(annotations?.readOnlyHint, name).toBe(
      !['service_generate', 'service_result', 'service_run', 'service_redo', 'service_pick'].includes(name),
    )
  }
})

describe.each(ways)('over %s', way => {
  test('a generation tells its progress and gives its file as a link and a picture', async () => {
    const { client, cwd } = await connected({ way })
    expect((await client.listTools()).tools).toHaveLength(11)
    const heard: (string | undefined)[] = []
    const result = await client.callTool(
      { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } },
      { onprogress: ({ message }) => void heard.push(message) },
    )
    expect(result.isError).toBeUndefined()
    expect(result.content).toMatchObject([
      { type: 'text', text: expect.stringContaining(`fama-imagine-image: made\n${cwd}/tea-`) },
      { type: 'resource_link', mimeType: 'image/png', uri: expect.stringContaining('file://') },
      { type: 'image', mimeType: 'image/png' },
    ])
    expect(heard[0]).toBe('1 to make')
    expect(heard.at(-1)).toContain(': done')
  })

  test('bad arguments are one error that lists each of them, and nothing is sent', async () => {
    const { client, gateway } = await connected({ way })
    const result = await client.callTool({
      name: 'service_generate',
      arguments: { model: 'famc-v3', duration: 7, colour: 'red' },
    })
    expect(result.isError).toBe(true)
    const text = textOf(result as never)
    for (const code of ['bad-value', 'missing-param', 'unknown-param']) expect(text).toContain(`[${code}]`)
    expect(gateway.requests()).toMatchObject({ submit: 0 })
  })

  test('a call that is cancelled buys nothing more, and what it paid for is fetched later', async () => {
    const { client, gateway, cwd, serving } = await connected({ way, gateway: { manual: true } })
    const stop = new AbortController()
    const call = client.callTool(
      { name: 'service_generate', arguments: { model: 'famc-t2a', prompt: 'Rain' } },
      { signal: stop.signal, onprogress: ({ message }) => message?.includes(': run ') && stop.abort() },
    )
    await expect(call).rejects.toThrow()
    const run = await gateway.nextRun()
    await serving.settle()
    await run.finish()
    const fetched = await client.callTool({ name: 'service_result', arguments: { run: run.id } })
    expect(fetched.isError).toBeUndefined()
    expect(textOf(fetched as never)).toContain(`famc-t2a: made\n${cwd}/rain-`)
    expect(gateway.ledger().requests.submit).toBe(1)
    expect(textOf((await client.callTool({ name: 'service_result' })) as never)).toContain('nothing was left')
  })
})

test('no file outside the folder leaves it', async () => {
  const { client } = await connected()
  const other = folder()
  writeFileSync(join(other, 'private.png'), pixel)
  const args = { model: 'fama-imagine-image', prompt: 'Tea', imageUrls: [join(other, 'private.png')] }
  const result = await client.callTool({ name: 'service_generate', arguments: args })
  expect(textOf(result as never)).toContain('[outside-file]')
})

test('the cap counts for the whole session, runs of manifests included', async () => {
  const { client, gateway, cwd } = await connected({ maxPaid: 2 })
  writeFileSync(
    join(cwd, 'two.yaml'),
    'jobs: { a: { model: fama-imagine-image, prompt: A }, b: { model: fama-imagine-image, prompt: B } }\n',
  )
  const call = () =>
    client.callTool({ name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } })
  expect((await call()).isError).toBeUndefined()
  const run = await client.callTool({ name: 'service_run', arguments: { manifest: 'two.yaml' } })
  expect(run.isError).toBe(true)
  expect((await call()).isError).toBe(true)
  expect(gateway.ledger().requests.execute).toBeLessThanOrEqual(2)
})

test('what a run at work has reserved is not told as spent', async () => {
  const { client, gateway, cwd } = await connected({
    maxPaid: 3,
    gateway: { faults: { rules: [{ fault: { does: 'delay', ms: { from: 1500, to: 1500 } } }] } },
  })
  for (const name of ['one', 'two'])
    writeFileSync(join(cwd, `${name}.yaml`), `jobs: { a: { model: fama-imagine-image, prompt: ${name} } }\n`)
  const call = (name: string, given: { [name: string]: unknown }) =>
    client.callTool({ name, arguments: given })
  const running = call('service_run', { manifest: 'one.yaml' })
  await expect.poll(() => gateway.ledger().requests.execute).toBe(1)
  const kept = 'a run at work has reserved 3 paid requests; what it does not spend is free when it is over'
  const others = [
    await call('service_generate', { model: 'fama-imagine-image', prompt: 'Tea' }),
    await call('service_run', { manifest: 'two.yaml' }),
    await call('service_plan', { manifest: 'two.yaml' }),
  ]
  for (const other of others) expect(textOf(other)).toContain(kept)
  expect((await running).isError).toBeUndefined()
  const after = await call('service_plan', { manifest: 'two.yaml' })
  expect(textOf(after)).not.toContain('reserved')
  expect(gateway.ledger().requests.execute).toBe(1)
})

test('a manifest is checked and run, models and prices are told', async () => {
  const { client, cwd } = await connected()
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n')
  const say = async (name: string, args: { [name: string]: unknown }) =>
    JSON.parse(textOf((await client.callTool({ name, arguments: args })) as never))
  expect(await say('service_validate', { manifest: 'tea.yaml' })).toMatchObject({ ok: true, jobs: 1 })
  expect(await say('service_run', { manifest: 'tea.yaml' })).toMatchObject({ counts: { made: 1 }, paid: 1 })
  expect(await say('service_models', {})).toHaveLength(25)
  expect(await say('service_model_info', { model: 'famc-v3' })).toMatchObject({ id: 'famc-v3' })
  expect(await say('service_pricing', { model: 'famc-v3', duration: 10 })).toMatchObject({
    quantities: { perSecond: 10 },
  })
})

test('a manifest names looks of the person’s own, and no others', async () => {
  const program = join(folder(), 'check')
  writeFileSync(program, `#!/bin/sh\necho '{ "verdict": "fail", "why": "no logo" }'\n`, { mode: 0o755 })
  const { client, cwd } = await connected({ gates: [{ name: 'brand', program }] })
  const tea = (look: string) =>
    `jobs: { hero: { model: fama-imagine-image, prompt: Tea, gate: { ${look}: fail } } }\n`
  writeFileSync(join(cwd, 'tea.yaml'), tea('brand'))
  writeFileSync(join(cwd, 'other.yaml'), tea('other'))
  const say = async (name: string, manifest: string) =>
    textOf((await client.callTool({ name, arguments: { manifest } })) as never)
  expect(await say('service_validate', tea('brand'))).toContain('"ok": true')
  expect(await say('service_plan', 'tea.yaml')).toContain('"paid": 1')
  for (const name of ['service_validate', 'service_plan', 'service_run'])
    expect(await say(name, 'other.yaml')).toContain('there is no look other')
  expect(await say('service_run', 'tea.yaml')).toContain('no logo')
  expect(await say('service_status', 'tea.yaml')).toContain('"done": 1')
})

test('what a tool says holds no key, wherever it comes from', async () => {
  const { client, cwd, gateway } = await connected()
  writeFileSync(
    join(cwd, 'tea.yaml'),
    `jobs: { hero: { model: ${gateway.key}, prompt: "${gateway.key}" } }\n`,
  )
  const call = async (name: string, args: { [name: string]: unknown }) =>
    JSON.stringify(await client.callTool({ name, arguments: args }))
  for (const said of [
    await call('service_validate', { manifest: 'tea.yaml' }),
    await call('service_plan', { manifest: 'tea.yaml' }),
    await call('service_run', { manifest: 'tea.yaml' }),
    await call('service_generate', { model: 'fama-imagine-image', prompt: gateway.key }),
  ]) {
    expect(said).toMatch(/\[secret\]|holds the key/)
    expect(said).not.toContain(gateway.key)
  }
  expect(gateway.ledger().requests).toEqual({ execute: 0, submit: 0 })
})

test('an unknown tool is an error of the protocol, which names the tools there are', async () => {
  const { client } = await connected()
  const call = (name: string) => client.callTool({ name, arguments: {} })
  await expect(call('paint')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('there is no tool paint; there are service_generate, '),
  })
  await expect(call('service_modls')).rejects.toThrow('did you mean service_models?')
})

test('a manifest is planned, looked at, made again, and a take of it picked', async () => {
  const { client, gateway, cwd } = await connected()
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n')
  // The client checks each of these against the schema of its tool.
  const ask = async (name: string, args = {}) =>
    (await client.callTool({ name, arguments: { manifest: 'tea.yaml', ...args } })).structuredContent
  expect(await ask('service_plan')).toMatchObject({
    steps: [{ do: 'buy', address: 'hero' }],
    paid: 1,
    obstacles: [],
  })
  expect(gateway.ledger().requests.execute).toBe(0)
  expect(await ask('service_run')).toEqual({
    rehearsal: false,
    counts: { made: 1 },
    paid: 1,
    output: join(cwd, 'out/tea'),
    jobs: [{ address: 'hero', ending: 'made', files: [join(cwd, 'out/tea/hero.png')] }],
    trouble: [],
  })
  expect(await ask('service_status')).toMatchObject({ jobs: 1, done: 1, toBuy: 0, open: [] })
  expect(await ask('service_redo', { jobs: ['hero'] })).toMatchObject({ paid: 1 })
  expect(await ask('service_pick', { take: 'hero#1' })).toMatchObject({ address: 'hero', stale: [] })
  expect(gateway.ledger().requests.execute).toBe(2)
})

test('the cap of a session counts for what is ordered again', async () => {
  const { client, gateway, cwd } = await connected({ maxPaid: 1 })
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n')
  await client.callTool({ name: 'service_run', arguments: { manifest: 'tea.yaml' } })
  const again = { name: 'service_redo', arguments: { manifest: 'tea.yaml', jobs: ['hero'] } }
  expect((await client.callTool(again)).isError).toBe(true)
  expect(gateway.ledger().requests.execute).toBe(1)
})

test('a rehearsal of a manifest says so, pays nothing, and names its files', async () => {
  const cwd = folder()
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n')
  const client = await overStdio(cwd)
  const run = await client.callTool({ name: 'service_run', arguments: { manifest: 'tea.yaml' } })
  const files = [join(cwd, 'out/tea.preview/hero.png')]
  const expected = { rehearsal: true, paid: 0, jobs: [{ address: 'hero', ending: 'made', files }] }
  expect(run.structuredContent).toMatchObject(expected)
  expect(textOf(run as never)).toContain('a rehearsal: placeholders, nothing was paid')
  const one = { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } }
  expect((await client.callTool(one)).structuredContent).toMatchObject({
    results: [{ model: 'fama-imagine-image', rehearsal: true, paid: 0, files: [{ type: 'image/png' }] }],
  })
})

test('the settings around a manifest are heeded in each call that names it, as a run heeds them', async () => {
  const gateway = await startGateway({ outputs: 'memory' })
  onTestFinished(() => gateway.close())
  const cwd = folder()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const job = (of: string) => `{ model: fama-imagine-image, prompt: ${of} }`
  write('proj/genrun.config.yaml', 'limits: { maxPaid: 1 }\noutput: media\n')
  write('proj/sub/tea.yaml', `jobs:\n  a: ${job('a')}\n  b: ${job('b')}\n`)
  write('free/tea.yaml', `jobs:\n  a: ${job('c')}\n  b: ${job('d')}\n`)
  write('wrong/package.json', '{ "genrun": { "limits": { "maxPaid": 0 }, } }')
  write('wrong/tea.yaml', `jobs:\n  a: ${job('e')}\n`)
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const client = await overStdio(cwd, env, [])
  const call = async (name: string, manifest: string) =>
    textOf((await client.callTool({ name, arguments: { manifest } })) as never)
  expect(await call('service_plan', 'proj/sub/tea.yaml')).toContain(
    'this run may make 1 paid request at most',
  )
  expect(JSON.parse(await call('service_run', 'proj/sub/tea.yaml'))).toMatchObject({
    paid: 1,
    output: join(cwd, 'proj/media/tea'),
  })
  expect(JSON.parse(await call('service_status', 'proj/sub/tea.yaml'))).toMatchObject({ done: 1 })
  // The settings of one project are none of another's.
  expect(JSON.parse(await call('service_run', 'free/tea.yaml'))).toMatchObject({ paid: 2 })
  const said = /^wrong\/package\.json:1:43: error: the settings cannot be read: it is no JSON/
  for (const name of ['service_validate', 'service_plan', 'service_status', 'service_run'])
    expect(await call(name, 'wrong/tea.yaml')).toMatch(said)
  expect(gateway.ledger().requests.execute).toBe(3)
})

test('a manifest is checked as a text', async () => {
  const { client } = await connected()
  const manifest = 'jobs:\n  hero: { model: fama-imagine-image, prompt: Tea }\n'
  const checked = await client.callTool({ name: 'service_validate', arguments: { manifest } })
  expect(checked.structuredContent).toEqual({ ok: true, jobs: 1, warnings: [] })
  const line = { manifest: 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }' }
  expect((await client.callTool({ name: 'service_validate', arguments: line })).structuredContent).toEqual(
    checked.structuredContent,
  )
})

test.each<[string, { [name: string]: unknown }, string]>([
  ['service_model_info', {}, 'service_model_info needs model'],
  ['service_model_info', { model: 'famc-v33' }, 'there is no model famc-v33'],
  ['service_models', { words: 'video' }, 'words must be a list of texts'],
  [
    'service_validate',
    { manifst: 'a.yaml', model: 3 },
    'service_validate needs manifest\nservice_validate has no argument manifst; did you mean manifest?\nservice_validate has no argument model; it takes manifest',
  ],
  ['service_validate', { manifest: '../a.yaml' }, '../a.yaml lies outside the folder of this server'],
  ['service_validate', { manifest: '/etc/hosts' }, '/etc/hosts lies outside the folder of this server'],
  ['service_run', { manifest: 'link.yaml' }, 'link.yaml lies outside the folder of this server'],
  ['service_validate', { manifest: 'no.yaml' }, 'no.yaml'],
  ['service_pricing', {}, 'no model is given; service_models lists them'],
  ['service_generate', { model: 5, prompt: 'Tea' }, 'model must be a text; service_models lists them'],
  ['service_pricing', { model: 'famc-v3', duration: 7 }, 'duration must be one of'],
  ['service_result', { run: 'r_1' }, 'nothing is known here of the run r_1'],
  ['service_run', { manifest: 'jobs:\n  a: {}\n' }, 'its lock lies beside it'],
  ['service_plan', { manifest: '../a.yaml' }, '../a.yaml lies outside the folder of this server'],
  ['service_status', { manifest: 'link.yaml' }, 'link.yaml lies outside the folder of this server'],
  ['service_pick', { manifest: 'link.yaml', take: 'a#2' }, 'link.yaml lies outside'],
  ['service_redo', { manifest: 'link.yaml', jobs: ['a'] }, 'link.yaml lies outside'],
  ['service_redo', { manifest: 'a.yaml', jobs: [] }, 'needs the jobs that are ordered again'],
  ['service_validate', { manifest: 'jobs:\n  a: { model: famb-v4 }\n' }, 'manifest:2:'],
])('%s with %j is told what is wrong', async (name, args, expected) => {
  const { client, cwd } = await connected()
  const outside = join(folder(), 'b.yaml')
  writeFileSync(outside, 'jobs: {}\n')
  symlinkSync(outside, join(cwd, 'link.yaml'))
  const result = await client.callTool({ name, arguments: args })
  expect(result.isError).toBe(true)
  expect(textOf(result as never)).toContain(expected)
})

describe('over HTTP', () => {
  test.each<[string, RequestInit & { path?: string }, number]>([
    ['no token', { headers: {} }, 401],
    ['another token', { headers: { authorization: 'Bearer other' } }, 401],
    ['a page from elsewhere', { headers: { origin: 'https://evil.example' } }, 403],
    ['a page without an origin', { headers: { origin: 'null' } }, 403],
    ['a name that was bound to this machine', { headers: { host: 'evil.example' } }, 403],
    ['another path', { path: '/', headers: { authorization: 'Bearer right' } }, 404],
    [
      'a session that is not open',
      { headers: { authorization: 'Bearer right', 'mcp-session-id': 'none' } },
      404,
    ],
  ])('%s is refused', async (_, { path = '/mcp', headers }, status) => {
    const { serving } = await started()
    const server = await serveHttp(serving, { port: 0, token: 'right' })
    onTestFinished(() => server.close())
    const { port } = new URL(server.url)
    const { request } = await import('node:http')
    // fetch sets the Host header itself.
    const got = await new Promise<number | undefined>((resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
        },
        answer => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      call.once('error', reject)
      call.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    })
    expect(got).toBe(status)
  })

  test('a body that is too large is refused, and without the token it is not even read', async () => {
    const { serving } = await started()
    const server = await serveHttp(serving, { port: 0, token: 'right' })
    onTestFinished(() => server.close())
    const post = (body: string, token: string, session?: string) =>
      fetch(server.url, {
        method: 'POST',
        body,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
      })
    const client = new Client({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode: 'legacy' } })
    const transport = transportTo(server)
    await client.connect(transport)
    onTestFinished(() => client.close())
    const most = 14 * 1024 ** 2
    const call = (prompt: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'none', arguments: { prompt } },
      })
    const statuses = await Promise.all([
      post(call('a'.repeat(most - 200)), 'right', transport.sessionId).then(({ status }) => status),
      post(call('a'.repeat(most)), 'right', transport.sessionId).then(({ status }) => status),
      post(call('a'.repeat(most)), 'right').then(({ status }) => status),
      // The connection may be closed before all of it was sent.
      post(call('a'.repeat(most)), 'wrong').then(
        ({ status }) => status,
        () => 401,
      ),
    ])
    expect(statuses).toEqual([200, 413, 413, 401])
  })

  test('what others in the process answer with is left as it is', async () => {
    const own = [globalThis.Request, globalThis.Response]
    const { serving } = await started()
    const server = await serveHttp(serving, { port: 0 })
    onTestFinished(() => server.close())
    expect([globalThis.Request, globalThis.Response]).toEqual(own)
  })

  test('each client has a session, and all of them one purse', async () => {
    const { serving, gateway } = await started({ maxPaid: 1 })
    const server = await serveHttp(serving, { port: 0 })
    onTestFinished(() => server.close())
    const args = { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } }
    const ends: boolean[] = []
    for (const mode of ['legacy', 'legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode } })
      await client.connect(transportTo(server))
      ends.push((await client.callTool(args)).isError === true)
      await client.close()
    }
    expect(ends).toEqual([false, true, true])
    expect(gateway.ledger().requests.execute).toBe(1)
  })

  test('each session has its own cap, runs of manifests included, and all have one above them', async () => {
    const { serving, gateway, cwd } = await started({ maxPaid: 3, perSession: 2 })
    const server = await serveHttp(serving, { port: 0 })
    onTestFinished(() => server.close())
    writeFileSync(join(cwd, 'one.yaml'), 'jobs: { a: { model: fama-imagine-image, prompt: A } }\n')
    const opened = async () => {
      const client = new Client({ name: 'test', version: '0.0.0' })
      await client.connect(transportTo(server))
      onTestFinished(() => client.close())
      return client
    }
    const args = { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } }
    const run = { name: 'service_run', arguments: { manifest: 'one.yaml' } }
    const [first, second] = [await opened(), await opened()]
    const ends: boolean[] = []
    for (const [client, call] of [
      [first, run],
      [first, args],
      [first, args],
      [second, args],
      [second, args],
    ] as const)
      ends.push((await client.callTool(call)).isError === true)
    // The first may buy two; of three in all, one is left for the second.
    expect(ends).toEqual([false, false, true, false, true])
    expect(gateway.ledger().requests.execute).toBe(3)
  })

  test('calls of two sessions at once never go over what both may spend together', async () => {
    const { serving, gateway } = await started({ maxPaid: 3, perSession: 2 })
    const server = await serveHttp(serving, { port: 0 })
    onTestFinished(() => server.close())
    const args = { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } }
    const calls: Promise<boolean>[] = []
    for (let nth = 0; nth < 2; nth++) {
      const client = new Client({ name: 'test', version: '0.0.0' })
      await client.connect(transportTo(server))
      onTestFinished(() => client.close())
      for (let each = 0; each < 3; each++)
        calls.push(client.callTool(args).then(({ isError }) => isError === true))
    }
    const ends = await Promise.all(calls)
    expect(ends.filter(isError => !isError)).toHaveLength(3)
    expect(gateway.ledger().requests.execute).toBe(3)
  })

  test('a session that was ended by its client is not open any more', async () => {
    const { serving } = await started()
    const server = await serveHttp(serving, { port: 0 })
    onTestFinished(() => server.close())
    const client = new Client({ name: 'test', version: '0.0.0' })
    const transport = transportTo(server)
    await client.connect(transport)
    const { sessionId } = transport
    await transport.terminateSession()
    const again = await fetch(server.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId ?? '',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect([sessionId?.length, again.status]).toEqual([32, 404])
    await client.close()
  })

  test('the oldest of too many sessions is closed', async () => {
    const { serving } = await started()
    const server = await serveHttp(serving, { port: 0 })
    onTestFinished(() => server.close())
    const clients: Client[] = []
    for (let nth = 0; nth < 33; nth++) {
      const client = new Client({ name: 'test', version: '0.0.0' })
      await client.connect(transportTo(server))
      clients.push(client)
    }
    await expect(clients[0]?.listTools()).rejects.toThrow()
    expect((await clients[32]?.listTools())?.tools).toHaveLength(11)
    await Promise.all(clients.map(client => client.close()))
  })
})

test('the executable serves a client over stdio', async () => {
  const client = await overStdio(folder())
  expect((await client.listTools()).tools).toHaveLength(11)
  const heard: (string | undefined)[] = []
  const result = await client.callTool(
    { name: 'service_generate', arguments: { model: 'famb-v4', prompt: 'Tea' } },
    { onprogress: ({ message }) => void heard.push(message) },
  )
  expect(textOf(result as never)).toContain('a rehearsal: placeholders, nothing was paid')
  expect(heard).toContain('1 to make')
  const bad = await client.callTool({ name: 'service_generate', arguments: { model: 'famb-v4', size: 3 } })
  expect(textOf(bad as never)).toMatch(/\[missing-param\][^]*\[unknown-param\]/)
})

test('over stdio a call is cancelled, and a client that goes leaves what was paid for', async () => {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const cwd = folder()
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const client = await overStdio(cwd, env, ['--max-paid', '5'])
  const args = { name: 'service_generate', arguments: { model: 'famc-t2a', prompt: 'Rain' } }
  const stop = new AbortController()
  const cancelled = client.callTool(args, {
    signal: stop.signal,
    onprogress: ({ message }) => message?.includes(': run ') && stop.abort(),
  })
  await expect(cancelled).rejects.toThrow()
  const first = await gateway.nextRun()
  const hail = { name: 'service_generate', arguments: { model: 'famc-t2a', prompt: 'Hail' } }
  const cutOff = client.callTool(hail, {
    onprogress: ({ message }) => message?.includes(': run ') && client.close(),
  })
  await expect(cutOff).rejects.toThrow()
  const second = await gateway.nextRun()
  await first.finish()
  await second.finish()
  const other = await overStdio(cwd, env, [])
  const fetched = await other.callTool({ name: 'service_result' })
  expect(fetched.isError).toBeUndefined()
  expect(readdirSync(cwd).filter(name => /^(rain|hail)-.*wav$/.test(name))).toHaveLength(2)
  expect(gateway.ledger().requests).toEqual({ execute: 0, submit: 2 })
})

test('the executable serves a client over HTTP until a signal comes', async () => {
  const cwd = folder()
  const running = startGenrun(['mcp', '--http', '--port', '0', '--local', '--read-only'], { cwd })
  const said = await running.shows('stdout', 'GENRUN_MCP_TOKEN=')
  const [, url = ''] = /GENRUN_MCP_URL=(\S+)/.exec(said) ?? []
  const [, token = ''] = /GENRUN_MCP_TOKEN=([0-9a-f]{32})/.exec(said) ?? []
  const client = new Client({ name: 'test', version: '0.0.0' })
  await client.connect(transportTo({ url, token }))
  expect((await client.listTools()).tools.map(tool => tool.name)).not.toContain('service_generate')
  await client.close()
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('closing') })
})

test('models of your own are in every tool', async () => {
  const { gateway, cwd } = await started()
  writeFileSync(join(cwd, 'acme.yaml'), ownModels)
  writeFileSync(join(cwd, 'shop.yaml'), 'jobs: { fox: { model: acme-paint, prompt: A fox } }')
  const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false }
  const budget = openSessionBudget({}, undefined, cwd)
  const catalog = ['acme.yaml']
  const { value: modelSet } = openModelSet(catalog, cwd)
  if (!modelSet) throw new Error('the catalog is right')
  const serving = openServing({ service, cwd, budget, readOnly: false, catalog, modelSet }, '0.0.0')
  const client = await clientOf(serving, 'memory')
  onTestFinished(() => client.close())
  const call = async (name: string, args: Record<string, unknown>) => {
    const { isError, ...result } = await client.callTool({ name, arguments: args })
    return { isError: isError === true, text: textOf(result as Parameters<typeof textOf>[0]) }
  }
  const { tools } = await client.listTools()
  expect(JSON.stringify(tools[0]?.inputSchema)).toContain('"brush":{"description":"of acme-paint"')
  expect(await call('service_models', { words: ['acme'] })).toMatchObject({
    text: expect.stringContaining('acme-paint'),
  })
  expect(await call('service_model_info', { model: 'acme-paint' })).toMatchObject({ isError: false })
  expect(await call('service_pricing', { model: 'acme-paint' })).toMatchObject({ isError: false })
  expect((await call('service_validate', { manifest: 'shop.yaml' })).text).toContain('"ok": true')
  const wrong = await call('service_generate', { model: 'acme-paint', prompt: 'A fox', brush: 'big' })
  expect(wrong).toMatchObject({ isError: true })
  expect(wrong.text).toContain('brush must be a whole number from 1 to 9')
})

const ownModels = `models:
  acme-paint:
    inputType: t2i
    params:
      prompt: { type: text, required: true }
      brush: { type: integer, minimum: 1, maximum: 9, default: 3 }
`
