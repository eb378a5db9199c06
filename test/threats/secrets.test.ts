import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { finderOf, redactor } from '../../src/base/redact.ts'
import { main } from '../../src/cli/main.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'

const key = 'sk-9F3d2c/7a"Qx+canary'
const bytes = Buffer.from(key)
const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0'))

/** How a service may say it back. */
const forms: { readonly [name: string]: string } = {
  plain: key,
  'in capitals': key.toUpperCase(),
  'as JSON': JSON.stringify(key).slice(1, -1),
  'as JSON in JSON': JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
  'in an address': encodeURIComponent(key),
  'in an address, every byte': hex.map(byte => `%${byte}`).join(''),
  'in HTML': [...key].map(letter => `&#${letter.codePointAt(0)};`).join(''),
  'as hexadecimal digits': hex.join(''),
  'as bytes with blanks between': hex.join(' ').toUpperCase(),
  'in base64': bytes.toString('base64'),
  'in base64 of an address': bytes.toString('base64url'),
  'in base64, one byte later': Buffer.concat([Buffer.from('B'), bytes, Buffer.from('zz')]).toString('base64'),
  'in base64, two bytes later': Buffer.concat([Buffer.from('Be'), bytes, Buffer.from('zz')]).toString(
    'base64',
  ),
  'split by what nobody sees': [...key].join('\u200b'),
  'split by what nobody sees, of other planes': [...key].join('\u{e0020}'),
  'split by colours': [...key].join('\u001b[0m'),
  'split by zeros': [...key].join('\0'),
  'split by lines': [...key].join('\n'),
  'in base64, in lines': (bytes.toString('base64').match(/.{1,8}/g) ?? []).join('\n'),
  'as escapes of bytes': hex.map(byte => `\\x${byte}`).join(''),
  'as escapes of letters': hex.map(byte => `\\u{${byte}}`).join(''),
  'as numbers': hex.map(byte => `0x${byte}`).join(', '),
  'in an address, twice': hex.map(byte => `%25${byte}`).join(''),
}

/** What of a form tells the key: the inner part of base64, whose ends mix with what stands around it. */
function telltale(form: string): string {
  return form.slice(6, -6)
}

test.each(Object.entries(forms))('a secret is taken out %s', (_, form) => {
  const redact = redactor([key])
  for (const text of [`the key ${form} is not valid`, JSON.stringify({ message: form }), `${form}${form}`])
    expect(redact(text)).not.toContain(telltale(form))
  expect(redact('a teapot on wet slate: c2stOUYz, sk-9F3d')).toBe('a teapot on wet slate: c2stOUYz, sk-9F3d')
})

test.each<[string, string]>([
  ['the first byte, and lines', `73${'\n'.repeat(60_000)}`],
  ['the first byte, and commas', `73${', '.repeat(60_000)}`],
  ['the first letter, and backslashes', `s${'\\'.repeat(60_000)}`],
  ['half of it, and backslashes', `${key.slice(0, 12)}${'\\'.repeat(60_000)}`],
  ['the first letter, and colours that never end', `s${'\u001b[0;'.repeat(20_000)}`],
  ['the first letter, and a number without an end', `s\u001b[${'0'.repeat(60_000)}`],
])('%s: the redactor takes no longer than the text is long', (_, text) => {
  const began = performance.now()
  expect(redactor([key])(text)).toBe(text)
  expect(finderOf(key)(text)).toBe(undefined)
  expect(performance.now() - began).toBeLessThan(2000)
})

test('a short secret is taken out as it stands, and nothing that only looks like it', () => {
  expect(redactor(['k3y9'])('k3y9 K3Y9 6b337939')).toBe('[secret] K3Y9 6b337939')
})

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
