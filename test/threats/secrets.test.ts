import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { createGenrun, GenrunError } from '../../src/index.ts'
import { openServing } from '../../src/mcp/server.ts'
import { openSessionBudget } from '../../src/workspace/session-budget.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'
import { clientOf } from '../mcp/bench.ts'
import { forms, key, telltale } from './echoes.ts'

/** A service that answers every order so. */
async function refusing(message: string, status = 400) {
  const orders: string[] = []
  const server = createServer((request, response) => {
    if (request.method === 'POST') orders.push(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { orders, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gw-v2` }
}

const tea = 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea }\n'

function checkout(files: { readonly [path: string]: string }) {
  const home = freshFolder({ 'repo/.git/HEAD': '', key: `${key}\n` })
  const repo = join(home, 'repo')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    writeFileSync(join(repo, path), text)
  }
  const run = async (line: string, env: { readonly [name: string]: string }) => {
    const [stdout, stderr] = [fakeSink(), fakeSink()]
    const around = fakeSurroundings({ cwd: repo, stdout, stderr, env: { HOME: home, ...env } })
    const code = await main(line.split(' '), around)
    return { code, said: `${stdout.text()}${stderr.text()}` }
  }
  return { home, repo, run }
}

function everyText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

test.each(Object.entries(forms))(
  'what a service says back %s is in no output and in no file',
  async (_, form) => {
    const { orders, baseUrl } = await refusing(`the key ${form} is not valid`)
    const { repo, run } = checkout({ 'm.yaml': tea })
    const env = { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key }
    const reports = '--events e.jsonl --junit j.xml --sarif s.sarif --summary s.md'
    const lines = [
      `run m.yaml -v ${reports}`,
      'run m.yaml --json',
      'status m.yaml',
      'why m.yaml tea',
      'journal m.yaml',
      'report m.yaml',
    ]
    for (const line of lines) expect((await run(line, env)).said, line).not.toContain(telltale(form))
    expect(orders.length).toBeGreaterThan(0)
    for (const name of ['e.jsonl', 'j.xml', 's.sarif', 's.md', 'm.lock.json', 'out/m/report.html'])
      if (existsSync(join(repo, name)))
        expect(readFileSync(join(repo, name), 'utf8'), name).not.toContain(telltale(form))
  },
)

/** A checkout of somebody who has declared two services beside the usual one; it is the first that knows the second's key. */
async function severalServices(manifest: string) {
  const told = Object.values(forms)
  const orders: string[] = []
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      orders.push(request.url ?? '')
      response.end(JSON.stringify({ id: `r${orders.length}`, status: 'queued' }))
      return
    }
    const [id, nth] = /r(\d+)/.exec(request.url ?? '') ?? []
    const error = { message: `the key ${told[Number(nth) - 1]} is not valid` }
    response.end(JSON.stringify({ id, status: 'failed', error }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gw-v2`
  const first = { baseUrl, apiKeyVariable: 'FIRST_KEY' }
  const second = { baseUrl, apiKeyFile: '~/key' }
  const placed = checkout({ 'm.yaml': manifest })
  mkdirSync(join(placed.home, '.config/genrun'), { recursive: true })
  writeFileSync(
    join(placed.home, '.config/genrun/config.yaml'),
    JSON.stringify({ services: { first, second } }),
  )
  const env = {
    GENRUN_BASE_URL: baseUrl,
    GENRUN_API_KEY: 'the-usual-key-of-it',
    FIRST_KEY: 'the-first-key-of-it',
  }
  return { ...placed, orders, baseUrl, run: (line: string) => placed.run(line, env) }
}

describe('a key of one of several services', () => {
  test('that another one says back, in every form, is in no output and in no file', async () => {
    const jobs = Object.keys(forms).map(
      (_, nth) =>
        `  j${nth}: { model: fama-imagine-image, mode: submit, service: first, prompt: Tea ${nth} }\n`,
    )
    const { repo, orders, run } = await severalServices(`jobs:\n${jobs.join('')}`)
    const lines = [
      'run m.yaml --json --max-useless 99 --events e.jsonl --junit j.xml',
      'status m.yaml --json',
      'journal m.yaml --json',
      'why m.yaml j0',
    ]
    const said = []
    for (const line of lines) said.push((await run(line)).said)
    expect(orders.length).toBe(jobs.length)
    const all = [...said, everyText(repo)].join('\n')
    expect(Object.keys(forms).filter(name => all.includes(telltale(forms[name] ?? '')))).toEqual([])
  })

  const escapedOnce = ['plain', 'as JSON in JSON', 'split by colours', 'as escapes of letters', 'in base64']
  test.each(escapedOnce)('stands in no manifest and no call that is sent: %s', async name => {
    const form = JSON.stringify(forms[name])
    const tea = `jobs: { tea: { model: fama-imagine-image, prompt: ${form} } }\n`
    const { orders, run, home, baseUrl, repo } = await severalServices(tea)
    const service = { baseUrl, key: 'the-usual-key-of-it', rehearsal: false }
    const others = { second: { baseUrl, key: readFileSync(join(home, 'key'), 'utf8').trim() } }
    const tools = openServing(
      {
        service: { ...service, others },
        cwd: repo,
        readOnly: false,
        budget: openSessionBudget({}, undefined, repo),
      },
      '0',
    )
    const client = await clientOf(tools, 'memory')
    const call = (tool: string, args: object) => client.callTool({ name: tool, arguments: { ...args } })
    const said = JSON.stringify([
      await run('run m.yaml --json'),
      await run('plan m.yaml --json'),
      await call('service_run', { manifest: 'm.yaml' }),
      await call('service_validate', { manifest: 'm.yaml' }),
      await call('service_generate', { model: 'fama-imagine-image', prompt: forms[name] }),
      await call('service_generate', { model: forms[name], prompt: 'Tea' }),
    ])
    await client.close()
    expect(orders).toEqual([])
    expect(said).not.toContain(telltale(form))
  })
})

/** A service that answers orders, and whatever else is asked, so. */
async function answering(order: object | string, result: object = {}) {
  const server = createServer((request, response) => {
    const told = request.method === 'POST' ? order : result
    response.end(typeof told === 'string' ? told : JSON.stringify(told))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/gw-v2`
}

const sent = 'jobs:\n  tea: { model: fama-imagine-image, mode: submit, prompt: Tea }\n'
const direct = 'jobs:\n  tea: { model: fama-imagine-image, mode: execute, prompt: Tea }\n'

describe('what a service says is in no file', () => {
  test.each<[string, string, object | string, object, number]>([
    ['a run that is called by the key', sent, { id: key, status: 'queued' }, {}, 3],
    ['an answer with the key and a run called by it', direct, { id: key, status: 'queued' }, {}, 3],
    [
      'an answer that names a run, with the key',
      direct,
      { id: 'r1', said: key },
      { id: 'r1', status: 'failed' },
      1,
    ],
    ['an answer that cannot be read', direct, { said: `with ${key}` }, {}, 3],
    ['a text that is no answer', direct, `Authorization: Bearer ${key}`, {}, 3],
    ['an answer cut short in its JSON', direct, `{"said":"${forms['as JSON']}"`, {}, 3],
    ['a failure called by the key', direct, { id: key, status: 'failed', error: { message: key } }, {}, 1],
    [
      'a long word that ends with the key',
      sent,
      { id: 'r1', status: 'queued' },
      { id: 'r1', status: 'failed', error: { message: `${'no '.repeat(130)}${key}` } },
      1,
    ],
    [
      'a state that is called by the key',
      sent,
      { id: 'r1', status: 'queued' },
      { id: 'r1', status: 'failed', error: { message: `${'o'.repeat(390)}${key}` } },
      1,
    ],
  ])('%s', async (_, manifest, order, result, code) => {
    const baseUrl = await answering(order, result)
    const { repo, run } = checkout({ 'm.yaml': manifest })
    const env = { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key }
    const end = await run('run m.yaml --events e.jsonl', env)
    expect(end.code, end.said).toBe(code)
    // Half of it is too much as well.
    for (const text of [end.said, everyText(repo)]) {
      expect(text).not.toContain(key.slice(0, 9))
      expect(text).not.toContain(key.slice(-9))
    }
  })

  test('and what is kept of it is kept whole', async () => {
    const baseUrl = await answering({ said: `with ${key}`, more: 'the rest' })
    const { repo, run } = checkout({ 'm.yaml': direct })
    await run('run m.yaml', { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key })
    const spool = join(repo, '.genrun/m/spool')
    const kept = readdirSync(spool).map(name => readFileSync(join(spool, name), 'utf8'))
    expect(kept).toEqual(['{"said":"with [secret]","more":"the rest"}'])
  })
})

test('where the key stands in a long manifest is told, and nothing of what stands around it', async () => {
  const filler = Array.from({ length: 300 }, (_, nth) => `# 🫖 line ${nth} of the rest\n`)
  const told = `  cup: { model: fama-imagine-image, prompt: "🫖 of ${'x'.repeat(20)} sk-plain-canary-0123456789" }\n`
  const { run } = checkout({ 'm.yaml': `${filler.join('')}${tea}${told}` })
  const { code, said } = await run('validate m.yaml', { GENRUN_API_KEY: 'sk-plain-canary-0123456789' })
  const line = 300 + tea.trimEnd().split('\n').length + 1
  const column = [...(told.split('sk-')[0] ?? '')].length + 1
  expect([code, said]).toEqual([
    2,
    expect.stringContaining(`m.yaml:${line}:${column}: error: line ${line} holds`),
  ])
  expect(said).not.toMatch(/sk-plain|xxx|line \d+ of the rest/)
})

describe('one call with the key in its words is not sent', () => {
  test('by the command line', async () => {
    const { orders, baseUrl } = await refusing('no')
    const { repo, run } = checkout({ 'm.yaml': tea })
    const env = { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key }
    const end = await run(`generate -m fama-imagine-image -p ${key}`, env)
    expect([end.code, end.said]).toEqual([2, expect.stringContaining('[key-in-manifest]')])
    expect(end.said).not.toContain(key)
    expect(orders).toEqual([])
    expect(everyText(repo)).not.toContain(key)
  })

  test('by a program; and whatever it throws or tells has no key in it', async () => {
    const { orders, baseUrl } = await refusing(`no ${key}`)
    const { repo } = checkout({
      'o.yaml': tea.replace('Tea', JSON.stringify(key)),
      'm.yaml': `# ${key}\n${tea}`,
      'n.yaml': tea.replace('Tea', `[${key}, ]`),
    })
    const genrun = createGenrun({ baseUrl, key, cwd: repo })
    const params = { prompt: `a ${key}` }
    const thrown = await Promise.all(
      [
        () => genrun.generate('fama-imagine-image', params),
        () => genrun.submit('fama-imagine-image', params),
        () => genrun.generate('fama-imagine-image', { prompt: 'Tea', [key]: 1 } as { prompt: string }),
        () => genrun.generate('fama-imagine-image', { prompt: 'Tea' }),
        () => genrun.run('m.yaml').report,
        async () => genrun.plan('n.yaml'),
        async () => genrun.price(key as 'fama-imagine-image', {}),
      ].map(work => work().catch((error: unknown) => error)),
    )
    for (const error of thrown) {
      expect(error).toBeInstanceOf(GenrunError)
      expect(
        JSON.stringify({ ...(error as GenrunError) }) + String(error) + (error as GenrunError).stack,
      ).not.toContain(key.slice(0, 9))
    }
    const told = [
      [genrun.plan('o.yaml')],
      genrun.check('fama-imagine-image', { [key]: 1 } as never),
      genrun.validate('n.yaml').problems,
    ]
    expect(told.every(problems => problems.length > 0)).toBe(true)
    expect(JSON.stringify(told)).not.toContain(key.slice(0, 9))
    expect(orders.length).toBe(1)
  })
})

const quoted = JSON.stringify(key)
const lines = [
  'validate m.yaml',
  'plan m.yaml',
  'run m.yaml',
  'status m.yaml',
  'why m.yaml tea',
  'verify m.yaml',
]

describe('a manifest that holds the key is refused, and the key is shown by nobody', () => {
  test.each<[string, { readonly [path: string]: string }]>([
    ['in a prompt', { 'm.yaml': `jobs:\n  tea: { model: fama-imagine-image, prompt: ${quoted} }\n` }],
    ['in a comment', { 'm.yaml': `# ${key}\n${tea}` }],
    ['where the manifest has other errors', { 'm.yaml': `# ${key}\n${tea.replace('prompt', 'promt')}` }],
    [
      'in a file that it takes in',
      { 'm.yaml': `include: part.yaml\n${tea}`, 'part.yaml': `vars: { k: ${quoted} }\n` },
    ],
    [
      'put together',
      {
        'm.yaml': `vars: { a: ${JSON.stringify(key.slice(0, 9))}, b: ${JSON.stringify(key.slice(9))} }\n${tea.replace('Tea', '"${{ vars.a }}${{ vars.b }}"')}`,
      },
    ],
  ])('%s', async (_, files) => {
    const { orders, baseUrl } = await refusing('no')
    const { repo, home, run } = checkout(files)
    const named: { readonly [name: string]: string }[] = [
      { GENRUN_API_KEY: key },
      { GENRUN_API_KEY_FILE: join(home, 'key') },
    ]
    for (const env of named) {
      for (const line of lines) {
        const { code, said } = await run(line, { GENRUN_BASE_URL: baseUrl, ...env })
        expect(said, line).not.toContain(key)
        if (line.startsWith('validate') || line.startsWith('run')) {
          expect([line, code, said]).toEqual([
            line,
            2,
            expect.stringContaining('holds the key of the service'),
          ])
        }
      }
    }
    expect(orders).toEqual([])
    expect(existsSync(join(repo, 'm.lock.json'))).toBe(false)
    if (existsSync(join(repo, '.genrun'))) expect(everyText(join(repo, '.genrun'))).not.toContain(key)
  })
})

test('a lock that holds the key is refused as well', async () => {
  const { orders, baseUrl } = await refusing('later', 503)
  const { repo, run } = checkout({ 'm.yaml': tea })
  const env = { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: 'another-key-of-old' }
  await run('run m.yaml', env)
  const lock = join(repo, 'm.lock.json')
  writeFileSync(lock, readFileSync(lock, 'utf8').replace('"prompt":"Tea"', '"prompt":"another-key-of-old"'))
  const before = orders.length
  const { code, said } = await run('run m.yaml --failed', env)
  expect([code, said]).toEqual([2, expect.stringContaining('[key-in-lock]')])
  expect(said).not.toContain('another-key-of-old')
  expect(orders.length).toBe(before)
})

test.each(['plain', 'split by what nobody sees', 'as hexadecimal digits', 'in base64'])(
  'a run that failed with the key in its words, %s, leaves it in no record',
  async name => {
    const form = forms[name] ?? ''
    const server = createServer((request, response) => {
      const error = { message: `bad key ${form}` }
      const told =
        request.method === 'POST' ? { id: 'r1', status: 'queued' } : { id: 'r1', status: 'failed', error }
      response.end(JSON.stringify(told))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gw-v2`
    const { repo, run } = checkout({ 'm.yaml': tea.replace('prompt', 'mode: submit, prompt') })
    const env = { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key }
    expect((await run('run m.yaml', env)).code).toBe(1)
    expect((await run('run m.yaml', env)).code).toBe(4)
    for (const folder of ['.genrun', 'out'])
      expect(everyText(join(repo, folder))).not.toContain(telltale(form))
    expect(readFileSync(join(repo, 'm.lock.json'), 'utf8')).not.toContain(telltale(form))
  },
)
