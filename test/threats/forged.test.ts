import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { decodeJournal, encodeJournal, type JournalEntry } from '../../src/store/journal/journal-text.ts'
import { fakeSink, fakeSurroundings } from '../cli/fake.ts'
import { freshFolder } from '../e2e/executable.ts'
import { pixel } from '../verbs/bench.ts'

// A checkout can hold a journal with a right chain, in which somebody wrote what they liked, and settings that name what is theirs to call.

/** Makes everything that is ordered; links lead nowhere until it is told. */
async function service() {
  const it = { delivers: false, origin: '', asked: [] as string[] }
  const server = createServer((request, response) => {
    it.asked.push(`${request.url} ${JSON.stringify(request.headers)}`)
    const outputs = [`${it.origin}/files/a.png`]
    if (request.method === 'POST') response.end(JSON.stringify({ id: 'r1', status: 'queued' }))
    else if (!request.url?.endsWith('.png'))
      response.end(JSON.stringify({ id: 'r1', status: 'succeeded', outputs }))
    else if (!it.delivers) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'image/png', etag: '"x"' }).end(pixel)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  it.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return it
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test.each<[string, (outside: string, origin: string) => object]>([
  [
    'the beginning of a download, of which one byte is known',
    (part, origin) => {
      const resource = `${origin}/files/a.png`
      return {
        kind: 'PART',
        part,
        beginning: { resource, etag: '"x"', bytes: 1, sha256: sha256(pixel.subarray(0, 1)) },
      }
    },
  ],
  [
    'a whole download, of which all is known',
    part => {
      const file = {
        path: 'tea.png',
        digest: `sha256:${sha256(pixel)}`,
        bytes: pixel.length,
        type: 'image/png',
      }
      return { kind: 'SAVED', part, file }
    },
  ],
])('a file outside that a journal calls %s stays where it is', async (_, forge) => {
  const it = await service()
  const home = freshFolder({
    'outside/mine.png': pixel,
    'repo/.git/HEAD': '',
    'repo/m.yaml': 'jobs:\n  tea: { model: fama-imagine-image, mode: submit, prompt: Tea }\n',
  })
  const cwd = join(home, 'repo')
  const run = async () => {
    const [stdout, stderr] = [fakeSink(), fakeSink()]
    const env = { HOME: home, GENRUN_BASE_URL: `${it.origin}/gw-v2`, GENRUN_API_KEY: 'a-key-of-mine' }
    return main(['run', 'm.yaml'], fakeSurroundings({ cwd, stdout, stderr, env }))
  }
  expect(await run()).toBe(4)
  const journals = join(cwd, '.genrun/m/journal')
  const path = join(journals, readdirSync(journals)[0] ?? expect.fail('no journal'))
  const read = decodeJournal(readFileSync(path))
  if (read.got !== 'records') return expect.fail(read.got)
  const entries = read.entries.filter(({ kind }) => kind !== 'CLOSE')
  const bought = entries.find(entry => entry.kind === 'INTENT') ?? expect.fail('nothing was ordered')
  const outside = join(home, 'outside/mine.png')
  const forged = { at: 1, purchase: bought.purchase, nth: 0, ...forge(outside, it.origin) }
  writeFileSync(path, encodeJournal([...entries, forged as JournalEntry]).whole)
  it.delivers = true
  expect(await run()).toBe(0)
  expect(existsSync(outside)).toBe(true)
  expect(readFileSync(join(cwd, 'out/m/tea.png')).equals(pixel)).toBe(true)
})

/** A checkout with gates that leave traces, and a home beside it. */
async function gated(files: (gates: object) => { readonly [name: string]: string }) {
  const it = await service()
  it.delivers = true
  const home = freshFolder({})
  const gates = { brand: `${it.origin}/check`, faces: './check' }
  const program = `#!/bin/sh\ntouch ${home}/started\n`
  const written = {
    'repo/.git/HEAD': '',
    'repo/m.yaml': JSON.stringify(looked),
    'repo/check': program,
    '.config/genrun/check': program,
    ...files(gates),
  }
  for (const [name, text] of Object.entries(written)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text, { mode: 0o755 })
  }
  const env = { HOME: home, GENRUN_BASE_URL: `${it.origin}/gw-v2`, GENRUN_API_KEY: 'a-key-of-mine' }
  return {
    home,
    asked: () => it.asked.filter(request => request.includes('/check')),
    isStarted: () => existsSync(join(home, 'started')),
    async run(line: string, more: object = {}) {
      const [stdout, stderr] = [fakeSink(), fakeSink()]
      const around = fakeSurroundings({
        cwd: join(home, 'repo'),
        stdout,
        stderr,
        env: { ...env, ...more },
      })
      const code = await main(line.split(' '), around)
      return { code, said: `${stdout.text()}${stderr.text()}` }
    },
  }
}

const inSettings = (gates: object) => ({ 'repo/genrun.config.yaml': JSON.stringify({ gates }) })

test.each<[string, (gates: object) => { readonly [name: string]: string }, boolean]>([
  ['settings', inSettings, false],
  ['settings without an ending', gates => ({ 'repo/.genrunrc': JSON.stringify({ gates }) }), false],
  ['package', gates => ({ 'repo/package.json': JSON.stringify({ genrun: { gates } }) }), false],
  ['manifest', gates => ({ 'repo/m.yaml': JSON.stringify({ gates, ...looked }) }), false],
  ['manifest that knows of none', () => ({}), false],
  ["person's own settings", gates => ({ '.config/genrun/config.yaml': JSON.stringify({ gates }) }), true],
])('programs and addresses that the %s names as gates', async (_, files, isAsked) => {
  const it = await gated(files)
  // Every way to a file that could be looked at.
  for (const line of ['run m.yaml', 'run m.yaml --local', 'watch m.yaml --rehearse'].slice(
    0,
    isAsked ? 1 : 2,
  ))
    await it.run(line)
  expect(it.isStarted()).toBe(isAsked)
  expect(it.asked()).toHaveLength(isAsked ? 1 : 0)
  expect(it.asked().filter(request => request.includes('a-key'))).toEqual([])
})

test('gates of a project are asked once somebody has read them, and no more when a byte of them changes', async () => {
  const it = await gated(inSettings)
  const refusedFor = await it.run('run m.yaml')
  expect(refusedFor).toMatchObject({ code: 2, said: expect.stringContaining('untrusted-gates') })
  expect(await it.run('plan m.yaml')).toMatchObject({
    code: 0,
    said: expect.stringContaining('untrusted-gates'),
  })
  const [digest = ''] = refusedFor.said.match(/sha256:[0-9a-f]{64}/) ?? []
  // Nothing of the checkout says so itself.
  writeFileSync(join(it.home, 'repo/.genrunrc'), `trust: ['${digest}']\n`)
  expect((await it.run('run m.yaml --max-paid 1')).code).toBe(2)
  rmSync(join(it.home, 'repo/.genrunrc'))
  expect([it.isStarted(), it.asked()]).toEqual([false, []])
  expect((await it.run('run m.yaml --local', { GENRUN_TRUST: digest })).code).toBe(0)
  expect([it.isStarted(), it.asked().length]).toEqual([true, 1])
  rmSync(join(it.home, 'started'))
  expect((await it.run('run m.yaml --trust')).code).toBe(0)
  expect([it.isStarted(), it.asked().length]).toEqual([true, 2])
  rmSync(join(it.home, 'started'))
  for (const change of [
    () => writeFileSync(join(it.home, 'repo/check'), `#!/bin/sh\ntouch ${it.home}/started # again\n`),
    () => writeFileSync(join(it.home, 'repo/genrun.config.yaml'), 'gates: { other: ./check }\n'),
  ]) {
    change()
    expect((await it.run('redo m.yaml tea --yes')).code).toBe(2)
    expect((await it.run('redo m.yaml tea --local --yes')).said).toContain('untrusted-gates')
  }
  expect([it.isStarted(), it.asked().length]).toEqual([false, 2])
})

const looked = {
  jobs: {
    tea: {
      model: 'fama-imagine-image',
      mode: 'submit',
      prompt: 'Tea',
      gate: { brand: 'fail', faces: 'fail' },
    },
  },
}
