import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { askOf, type GivenValue } from '../../src/run/one-shot/ask.ts'
import type { GenerateResult } from '../../src/run/one-shot/generation.ts'
import { takeClaim } from '../../src/store/claim/claim.ts'
import { thisProcess } from '../../src/store/claim/process.ts'
import { adoptRun } from '../../src/verbs/adopt-run.ts'
import { collect, listOpen } from '../../src/verbs/collect.ts'
import { generateLocked, type LockedRequest } from '../../src/verbs/generate-locked.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { pixel } from './bench.ts'

const lock = 'art.lock.json'

async function bench(options: Partial<GatewayOptions> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'genrun-locked-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false }
  return {
    cwd,
    service,
    origin: new URL(gateway.baseUrl).origin,
    at: (path: string) => join(cwd, path),
    paid: () => {
      const { execute, submit } = gateway.ledger().requests
      return execute + submit
    },
    async make(params: { [name: string]: GivenValue }, more: Partial<LockedRequest> = {}, model = image) {
      const { ask } = askOf(model, params)
      if (!ask) throw new Error('the parameters can be read')
      return generateLocked({ ask, cwd, service, lock, name: 'hero', ...more })
    },
  }
}

const image = 'fama-imagine-image'

function madeIn(result: GenerateResult) {
  if (result.got !== 'generation') throw new Error(JSON.stringify(result))
  return result.generation
}

function problemIn(result: GenerateResult): string {
  if (result.got === 'damaged') return result.message
  if (result.got !== 'refused') throw new Error(`it was not refused: ${JSON.stringify(result)}`)
  return result.problems.map(({ code, message }) => `${code}: ${message}`).join('\n')
}

test('the same call twice is one paid request, and the lock and the file stay as they are', async () => {
  const { make, paid, at } = await bench()
  const first = madeIn(await make({ prompt: 'Tea' }))
  expect(first).toMatchObject({ ending: 'made', paid: 1, exit: 0, files: [{ path: at('hero.png') }] })
  expect(first.again).toBeUndefined()
  const [text, bytes] = [readFileSync(at(lock), 'utf8'), readFileSync(at('hero.png'))]
  // Spelled out, a default is the default.
  const second = madeIn(await make({ prompt: 'Tea', count: 1 }))
  expect(second).toMatchObject({
    ending: 'made',
    again: 'kept',
    paid: 0,
    requests: 0,
    files: first.files,
    exit: 0,
  })
  expect([readFileSync(at(lock), 'utf8'), readFileSync(at('hero.png'))]).toEqual([text, bytes])
  expect(paid()).toBe(1)
})

test('another parameter is ordered anew, and what was paid before is not lost', async () => {
  const { make, paid, at } = await bench()
  await make({ prompt: 'Tea' })
  const before = readFileSync(at('hero.png'))
  const second = madeIn(await make({ prompt: 'Coffee' }))
  expect(second).toMatchObject({ ending: 'made', paid: 1, files: [{ path: at('hero.png') }] })
  expect(paid()).toBe(2)
  const kept = at(`.genrun/generate-${lock}/kept`)
  expect(readdirSync(kept).map(name => readFileSync(join(kept, name)))).toEqual([before])
})

test('other names in one lock stay, and the same order under another name is another one', async () => {
  const { make, paid, at } = await bench()
  await make({ prompt: 'Tea' })
  expect(madeIn(await make({ prompt: 'Tea' }, { name: 'other' }))).toMatchObject({ ending: 'made', paid: 1 })
  expect([existsSync(at('hero.png')), existsSync(at('other.png'))]).toEqual([true, true])
  expect(madeIn(await make({ prompt: 'Tea' }))).toMatchObject({ again: 'kept' })
  expect(madeIn(await make({ prompt: 'Tea' }, { name: 'other' }))).toMatchObject({ again: 'kept' })
  expect(paid()).toBe(2)
})

test('calls at once with one lock wait for each other', async () => {
  const { make, paid } = await bench()
  const made = await Promise.all([make({ prompt: 'Tea' }), make({ prompt: 'Tea' }), make({ prompt: 'Tea' })])
  expect(made.map(result => madeIn(result).again)).toEqual([undefined, 'kept', 'kept'])
  expect(paid()).toBe(1)
})

test.each<[string, string]>([
  ['cut', '{"genrun":1,"lin'],
  ['empty', ''],
  ['in conflict', '<<<<<<< a\n=======\n>>>>>>> b\n'],
  ['of a manifest', `{"genrun":1,"lineage":"${'a'.repeat(32)}","manifest":"tea.yaml","jobs":[\nnull]}\n`],
])('with a lock that is %s nothing is bought', async (_, text) => {
  const { make, paid, at } = await bench()
  writeFileSync(at(lock), text)
  expect(problemIn(await make({ prompt: 'Tea' }))).toContain(lock)
  expect([paid(), readFileSync(at(lock), 'utf8')]).toEqual([0, text])
})

test('a file that is no lock may be moved away, and one with a result has lost its lock', async () => {
  const { make, paid, at } = await bench()
  writeFileSync(at(lock), '{"jobs":[]}')
  const hintIn = (result: Awaited<ReturnType<typeof make>>) =>
    'problems' in result ? result.problems[0]?.hint : 'hint' in result ? result.hint : undefined
  expect(hintIn(await make({ prompt: 'Tea' }))).toMatch(
    /^if it never was one, move that file away or name another lock; /,
  )
  rmSync(at(lock))
  await make({ prompt: 'Tea' })
  rmSync(at(lock))
  rmSync(at('.genrun'), { recursive: true })
  expect(hintIn(await make({ prompt: 'Tea' }))).toBe(
    'if an earlier call made it, put its lock back, or give another name with `-o`; else move it away',
  )
  expect(paid()).toBe(1)
})

test('a file that is gone is fetched again without paying', async () => {
  const { make, paid, at } = await bench()
  const first = madeIn(await make({ prompt: 'Rain', duration: 3.5 }, {}, 'famc-t2a'))
  const [path] = first.files.map(file => file.path)
  const bytes = readFileSync(path ?? '')
  rmSync(path ?? '')
  expect(madeIn(await make({ prompt: 'Rain', duration: 3.5 }, {}, 'famc-t2a'))).toMatchObject({
    ending: 'made',
    again: 'fetched',
    paid: 0,
  })
  expect(readFileSync(path ?? '')).toEqual(bytes)
  expect(existsSync(at(lock))).toBe(true)
  expect(paid()).toBe(1)
})

test('an input counts by what is in it, as a file and as bytes', async () => {
  const { make, paid, at } = await bench()
  const model = 'famc-3.0-image'
  writeFileSync(at('a.png'), pixel)
  await make({ prompt: 'Tea', imageUrls: ['a.png'] }, {}, model)
  renameSync(at('a.png'), at('b.png'))
  expect(madeIn(await make({ prompt: 'Tea', imageUrls: ['b.png'] }, {}, model))).toMatchObject({
    again: 'kept',
  })
  expect(madeIn(await make({ prompt: 'Tea', imageUrls: [pixel] }, {}, model))).toMatchObject({
    again: 'kept',
  })
  expect(paid()).toBe(1)
})

test('a run that was stopped goes on in the next call, and is not paid again', async () => {
  const { make, paid } = await bench()
  const stop = new AbortController()
  const stopped = await make(
    { prompt: 'Rain' },
    { stop: stop.signal, emit: told => void (told.event === 'accepted' && stop.abort()) },
    'famc-t2a',
  )
  expect(madeIn(stopped)).toMatchObject({ ending: 'detached', run: { workflow: 'famc-t2a' } })
  expect(madeIn(await make({ prompt: 'Rain' }, {}, 'famc-t2a'))).toMatchObject({ ending: 'made', paid: 0 })
  expect(paid()).toBe(1)
})

test('what was stopped is open in the folder of its lock, and collected it is what the same call asks for', async () => {
  const { make, paid, cwd, at, service } = await bench()
  writeFileSync(at('a.png'), pixel)
  const stop = new AbortController()
  const [model, params] = ['famc-3.0-image', { prompt: 'Tea', imageUrls: ['a.png'] }] as const
  const stopped = await make(
    params,
    { mode: 'submit', stop: stop.signal, emit: told => void (told.event === 'accepted' && stop.abort()) },
    model,
  )
  const { run } = madeIn(stopped)
  // As in a fresh clone: the lock alone knows it.
  rmSync(at('.genrun'), { recursive: true })
  expect(listOpen({ cwd })).toMatchObject({
    got: 'open',
    orders: [{ model, name: 'hero', owes: 'run', run: { id: run?.id }, lock: at(lock) }],
  })
  expect(await collect({ cwd, service })).toMatchObject({
    got: 'collected',
    generations: [{ ending: 'made', paid: 0, files: [{ path: at('hero.png') }] }],
    open: [],
  })
  expect(listOpen({ cwd })).toEqual({ got: 'open', orders: [] })
  expect(madeIn(await make(params, { mode: 'submit' }, model))).toMatchObject({ again: 'kept', paid: 0 })
  expect(paid()).toBe(1)
})

test('an order in doubt is adopted by the lock of its call, in a clone without its journal too', async () => {
  const { make, paid, cwd, at } = await bench({
    faults: { rules: [{ fault: { does: 'lose' }, model: image, first: 1 }] },
  })
  expect(madeIn(await make({ prompt: 'Tea' }))).toMatchObject({ ending: 'doubt', exit: 3 })
  rmSync(at('.genrun'), { recursive: true })
  expect(statusOf({ manifest: lock, cwd })).toMatchObject({
    got: 'status',
    status: { isOfCalls: true, open: [{ address: 'hero', is: 'doubt', next: 'leaves it alone' }] },
  })
  const adopt = (address: string) => adoptRun({ manifest: lock, cwd, address, run: 'r_81' })
  expect(await adopt('hera')).toMatchObject({ got: 'refused', problems: [{ code: 'nothing-selected' }] })
  expect(await adopt('hero')).toMatchObject({
    got: 'resolved',
    record: { resolved: [{ address: 'hero', next: 'fetches it, nothing is paid' }] },
  })
  expect(listOpen({ cwd })).toMatchObject({ orders: [{ owes: 'run', run: { workflow: image, id: 'r_81' } }] })
  expect(paid()).toBe(1)
})

test('a call whose order failed is told how to settle it by a command that there is', async () => {
  const { make, paid } = await bench({
    faults: { rules: [{ fault: { does: 'fail' }, model: image, first: 1 }] },
  })
  await make({ prompt: 'Tea' })
  const told: string[] = []
  const emit: LockedRequest['emit'] = each => void (each.event === 'planned' && told.push(...each.remarks))
  expect(madeIn(await make({ prompt: 'Tea' }, { emit }))).toMatchObject({ ending: 'skipped', paid: 0 })
  expect(told).toEqual([
    expect.stringMatching(/ not ordered again by itself; `genrun status art\.lock\.json` tells /),
  ])
  expect(paid()).toBe(1)
})

test.each<[string, Partial<LockedRequest>, string]>([
  ['no name', { name: undefined }, 'no-name: with a lock the files need a name'],
  ['a place outside of its folder', { lock: 'locks/a.json' }, 'outside-lock: the files lie outside'],
])('%s is refused before anything is sent', async (_, more, expected) => {
  const { make, paid } = await bench()
  expect(problemIn(await make({ prompt: 'Tea' }, more))).toContain(expected)
  expect(paid()).toBe(0)
})

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['longer', bytes => Buffer.concat([bytes, Buffer.from('x')])],
  ['of the same size', bytes => Buffer.from(bytes).fill(7, 60)],
])('a file that was altered, %s, is told, left alone and not bought again', async (_, alter) => {
  const { make, paid, at } = await bench()
  await make({ prompt: 'Tea' })
  const altered = alter(readFileSync(at('hero.png')))
  writeFileSync(at('hero.png'), altered)
  const result = await make({ prompt: 'Tea' })
  expect(madeIn(result)).toMatchObject({ again: 'kept', paid: 0 })
  expect(result.got === 'generation' && result.problems).toMatchObject([
    { code: 'altered', severity: 'warning' },
  ])
  expect(readFileSync(at('hero.png'))).toEqual(altered)
  expect(paid()).toBe(1)
})

test('while another process has the claim nothing is bought', async () => {
  const { make, paid, at } = await bench()
  const claimed = await takeClaim(at(`.genrun/generate-${lock}/claim`), {
    self: { ...thisProcess(), host: 'elsewhere' },
  })
  expect(claimed.got).toBe('claim')
  expect(problemIn(await make({ prompt: 'Tea' }))).toContain('busy: another genrun is at work')
  expect(paid()).toBe(0)
})

test('a file that somebody else put there is left alone, and nothing is bought', async () => {
  const { make, paid, at } = await bench()
  writeFileSync(at('hero.png'), 'mine')
  expect(problemIn(await make({ prompt: 'Tea' }))).toContain('hero.png')
  expect([paid(), readFileSync(at('hero.png'), 'utf8')]).toEqual([0, 'mine'])
})

test('a cap holds', async () => {
  const { make, paid, at } = await bench()
  expect(madeIn(await make({ prompt: 'Tea' }, { caps: { maxPaid: 0 } }))).toMatchObject({
    paid: 0,
    files: [],
  })
  expect([paid(), existsSync(at('hero.png'))]).toEqual([0, false])
})

test('what another address accepted is held, and the hint says where the same call fetches it', async () => {
  const [there, here] = [await bench(), await bench()]
  const stop = new AbortController()
  const rain = { prompt: 'Rain', duration: 3 }
  const emit = ({ event }: { event: string }) => event === 'accepted' && stop.abort()
  const left = madeIn(await there.make(rain, { stop: stop.signal, emit }, 'famc-t2a'))
  expect(left.ending).toBe('detached')
  const held = madeIn(await here.make(rain, { cwd: there.cwd }, 'famc-t2a'))
  expect(held).toMatchObject({
    ending: 'skipped',
    paid: 0,
    requests: 0,
    message: `its run ${left.run?.id} was accepted at ${there.origin}, and ${here.origin} is asked now`,
    hint: `set GENRUN_BASE_URL to ${there.origin}: there the same call fetches it`,
  })
  expect(madeIn(await there.make(rain, {}, 'famc-t2a'))).toMatchObject({ ending: 'made', paid: 0 })
  expect([there.paid(), here.paid()]).toEqual([1, 0])
})
