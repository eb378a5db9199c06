import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jobAddress, type PurchaseId, purchaseId, runId } from '../../src/base/names.ts'
import type { JournalRecord } from '../../src/base/purchase.ts'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { askOf } from '../../src/run/one-shot/ask.ts'
import { followRun } from '../../src/run/one-shot/follow.ts'
import type { GenerateRequest } from '../../src/run/one-shot/generation.ts'
import { leftBehind } from '../../src/run/one-shot/left-behind.ts'
import { writeNote } from '../../src/run/one-shot/note.ts'
import { takeClaim } from '../../src/store/claim/claim.ts'
import { digestOf } from '../../src/store/files/digest.ts'
import { chainStart, encodeRecord, type JournalEntry } from '../../src/store/journal/journal-text.ts'
import { openJournal } from '../../src/store/journal/open-journal.ts'
import { forgetDoubts, listOpen } from '../../src/verbs/collect.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import { thisMachine } from '../../src/workspace/machine.ts'
import { openBenchAt, pixel } from './bench.ts'
import { collectHeard, generateHeard } from './heard.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'genrun-collect-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function served(options: Partial<GatewayOptions> = {}) {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  return { gateway, service: { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false }, cwd: folder() }
}

type Served = Awaited<ReturnType<typeof served>>

function askFor(...call: Parameters<typeof askOf>) {
  const { ask } = askOf(...call)
  if (!ask) throw new Error('no ask')
  return ask
}

function make({ service, cwd }: Served, more: Partial<GenerateRequest> = {}) {
  const ask = askFor('famc-t2a', { prompt: 'Rain', duration: 3 })
  return generateHeard({ ask, service, cwd, ...more })
}

/** Stops when the service has the order. */
function stopped(at: Served, more: Partial<GenerateRequest> = {}) {
  const stop = new AbortController()
  const emit = (told: RunEvent) => told.event === 'accepted' && stop.abort()
  return make(at, { stop: stop.signal, emit, ...more })
}

interface Left {
  readonly records: readonly JournalRecord[]
  readonly rehearsal?: boolean
  readonly name?: string
}

/** What a generation leaves that was killed: the records of its journal up to there, and nobody who closes it. */
async function killed(cwd: string, origin: string, { records, rehearsal = false, name = 'rain' }: Left) {
  const once = join(cwd, '.genrun', `once-${thisMachine.random.token()}`)
  mkdirSync(join(once, 'spool'), { recursive: true })
  const self = () => ({ ...thisMachine.self(), pid: 0, start: 'long ago' })
  const note = { name, model: 'fama-imagine-image', named: true, rehearsal }
  await writeNote(once, note, { ...thisMachine, self })
  const journal = await journalIn(once)
  await journal.append({
    kind: 'INTENT',
    purchase,
    address: jobAddress(name),
    attempt: 'a',
    recipe: {
      version: 1,
      model: 'fama-imagine-image',
      params: { prompt: 'Rain' },
      defaults: {},
      inputs: {},
      take: 1,
    },
    request: digestOf(['a']),
    workflow: 'fama-imagine-image',
    mode: 'execute',
    origin,
  })
  for (const record of records) await journal.append(record)
  return once
}

async function journalIn(once: string) {
  const lineage = thisMachine.random.token()
  const opened = await openJournal({ folder: join(once, 'journal'), lineage, tool: 'genrun' })
  if (opened.got !== 'journal') throw new Error(opened.why)
  return opened.journal
}

const purchase = purchaseId('a'.repeat(32)) as PurchaseId // it is one
const sending: JournalRecord = { kind: 'SENDING', purchase, attempt: 'a' }

function leftIn(cwd: string) {
  return leftBehind({ output: cwd, cwd }, thisMachine)
}

test('what a stop left at the service is collected once, and nothing is left then', async () => {
  const at = await served({ manual: true })
  const left = await stopped(at, { name: 'rain' })
  expect(left).toMatchObject({ got: 'generation', generation: { ending: 'detached', paid: 1 } })
  const handle = await at.gateway.nextRun()
  await handle.finish()
  const collected = await collectHeard(at)
  expect(collected).toMatchObject({
    got: 'collected',
    open: [],
    problems: [],
    generations: [{ ending: 'made', paid: 0, files: [{ path: join(at.cwd, 'rain.wav'), seconds: 3 }] }],
  })
  expect(at.gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
  expect(readdirSync(join(at.cwd, '.genrun'))).toEqual(['.gitignore'])
  expect(await collectHeard(at)).toMatchObject({ generations: [], open: [] })
})

test('only the run that is named is collected', async () => {
  const at = await served({ manual: true })
  await stopped(at)
  expect(await collectHeard({ ...at, run: 'another' })).toMatchObject({ generations: [], open: [] })
  expect(leftIn(at.cwd)).toHaveLength(1)
})

test('a name that is owed is not ordered again; under another name the debt is told', async () => {
  const at = await served({ manual: true })
  await stopped(at, { name: 'rain' })
  const { ask: wind } = askOf('famc-t2a', { prompt: 'Wind', duration: 3 })
  if (!wind) throw new Error('no ask')
  const again = await make(at, { name: 'rain', ask: wind })
  expect(again).toMatchObject({
    got: 'refused',
    problems: [
      { code: 'left-behind', severity: 'error', hint: '`genrun result` fetches it; it costs nothing' },
    ],
  })
  expect(at.gateway.ledger().requests.submit).toBe(1)
  const other = await stopped(at, { name: 'wind', strict: true })
  expect(other).toMatchObject({
    got: 'generation',
    problems: [{ code: 'left-behind', severity: 'warning', message: expect.stringContaining('run ') }],
  })
})

const gone = {
  code: 'left-behind',
  message: 'this very call was paid for before: its order is gone on with, and nothing is ordered now',
  hint: 'another name (`-o`) orders one more',
}

test.each([
  ['without a name', {}],
  ['with the same name', { name: 'rain' }],
])(
  'the same call goes on with what it is owed, %s, and is a new wish when that ended well',
  async (_, more) => {
    const at = await served({ manual: true })
    await stopped(at, more)
    const again = make(at, more)
    await (await at.gateway.nextRun()).finish()
    expect(await again).toMatchObject({ generation: { ending: 'made', paid: 0 }, problems: [gone] })
    expect(at.gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
    expect(readdirSync(join(at.cwd, '.genrun'))).toEqual(['.gitignore'])
    if ('name' in more) return
    expect(await stopped(at, more)).toMatchObject({ generation: { ending: 'detached', paid: 1 } })
  },
)

test('another name, or one at all, is one more of the same; what is owed is told beside it', async () => {
  const at = await served({ manual: true })
  await stopped(at)
  expect(await stopped(at, { name: 'rain' })).toMatchObject({ generation: { paid: 1 } })
  expect(await stopped(at, { name: 'more rain' })).toMatchObject({
    generation: { paid: 1 },
    problems: [{ severity: 'warning' }, { severity: 'warning' }],
  })
  expect(leftIn(at.cwd)).toHaveLength(3)
})

test('the same call is refused while its order is in doubt, before anything is sent', async () => {
  const at = await served({ manual: true })
  const stop = new AbortController()
  const emit = (told: RunEvent) =>
    told.event === 'sending' && void at.gateway.nextRun().then(() => stop.abort())
  const ask = askFor('fama-imagine-image', { prompt: 'Tea' })
  expect(await make(at, { ask, stop: stop.signal, emit })).toMatchObject({ generation: { ending: 'doubt' } })
  expect(await make(at, { ask })).toMatchObject({
    got: 'refused',
    problems: [
      {
        code: 'left-behind',
        severity: 'error',
        hint: '`genrun result` tells what is known; `genrun result --forget` gives it up; another name (`-o`) orders one more',
      },
    ],
  })
  expect(at.gateway.ledger().requests.execute).toBe(1)
}, 20_000)

test('a run that is waited for by its id is not owed any more', async () => {
  const at = await served({ manual: true })
  const left = await stopped(at)
  await (await at.gateway.nextRun()).finish()
  const run = left.got === 'generation' ? left.generation.run : undefined
  const followed = await followRun({ ...at, run: { model: 'famc-t2a', id: run?.id ?? '' }, name: 'here' })
  expect(followed).toMatchObject({ generation: { ending: 'made' } })
  expect(leftIn(at.cwd)).toEqual([])
})

test('an answer that a killed process had received is saved without a request', async () => {
  const { service, cwd, gateway } = await served()
  const once = await killed(cwd, new URL(service.baseUrl).origin, {
    records: [sending, { kind: 'RESULT', purchase, files: [{ from: 'spool', path: '/elsewhere/answer-1' }] }],
  })
  writeFileSync(join(once, 'spool', 'answer-1'), pixel)
  expect(await collectHeard({ service, cwd })).toMatchObject({
    generations: [{ ending: 'made', paid: 0, requests: 0, files: [{ path: join(cwd, 'rain.png') }] }],
  })
  expect(gateway.requests()).toMatchObject({ execute: 0, submit: 0, result: 0 })
  expect(existsSync(once)).toBe(false)
})

test('a journal that names a file outside its folder gets nothing from there', async () => {
  const { service, cwd } = await served()
  const outside = join(folder(), 'private.png')
  writeFileSync(outside, pixel)
  await killed(cwd, new URL(service.baseUrl).origin, {
    records: [sending, { kind: 'RESULT', purchase, files: [{ from: 'spool', path: outside }] }],
  })
  expect(await collectHeard({ service, cwd })).toMatchObject({
    generations: [],
    open: [{ owes: 'doubt', message: expect.stringContaining('its result is gone from the spool') }],
  })
})

test('a request without an answer is in doubt until it is given up, and its name is not ordered', async () => {
  const at = await served()
  await killed(at.cwd, new URL(at.service.baseUrl).origin, { records: [sending] })
  expect(await collectHeard(at)).toMatchObject({
    generations: [],
    open: [
      { name: 'rain', owes: 'doubt', message: expect.stringContaining('stopped before an answer came') },
    ],
  })
  expect(await make(at, { name: 'rain' })).toMatchObject({
    got: 'refused',
    problems: [{ code: 'left-behind' }],
  })
  expect(forgetDoubts(at.cwd)).toMatchObject([{ name: 'rain' }])
  expect(await make(at, { name: 'rain' })).toMatchObject({ generation: { ending: 'made' } })
})

test('a stop before the answer leaves a doubt, and its name is not ordered', {
  timeout: 20_000,
}, async () => {
  const at = await served({ manual: true })
  const stop = new AbortController()
  const emit = (told: RunEvent) =>
    told.event === 'sending' && void at.gateway.nextRun().then(() => stop.abort())
  const ask = askFor('fama-imagine-image', { prompt: 'Tea' })
  const left = await make(at, { ask, name: 'tea', stop: stop.signal, emit })
  expect(left).toMatchObject({
    generation: {
      ending: 'doubt',
      paid: 1,
      exit: 3,
      hint: 'it is not sent again by itself; `genrun result` tells what is known of it',
    },
  })
  expect(await collectHeard(at)).toMatchObject({ generations: [], open: [{ name: 'tea', owes: 'doubt' }] })
  expect(await make(at, { ask, name: 'tea' })).toMatchObject({
    got: 'refused',
    problems: [{ code: 'left-behind' }],
  })
  expect(at.gateway.ledger().requests.execute).toBe(1)
})

test('what a container that is gone had ordered is collected under its claim', async () => {
  const at = await served({ manual: true })
  const stop = await stopped(at, { name: 'rain' })
  expect(stop).toMatchObject({ generation: { ending: 'detached' } })
  await (await at.gateway.nextRun()).finish()
  const [left] = leftIn(at.cwd)
  const self = { ...thisMachine.self(), host: 'gone', machine: 'another' }
  await takeClaim(left?.workspaces.folders.claim ?? '', { self, above: 1 })
  expect(leftIn(at.cwd)).toMatchObject([{ owes: 'run', isHeld: true }])
  expect(await collectHeard(at)).toMatchObject({ generations: [{ ending: 'made', paid: 0 }] })
  expect(leftIn(at.cwd)).toEqual([])
})

test('a run that a person names is asked for by its id alone, and leaves nothing behind', async () => {
  const at = await served({ manual: true })
  const left = await stopped(at, { output: 'first' })
  const id = left.got === 'generation' ? left.generation.run?.id : undefined
  const stop = new AbortController()
  const emit = (told: RunEvent) => told.event === 'resumed' && stop.abort()
  const run = { model: 'famc-t2a', id: id ?? '' }
  const early = await followRun({ ...at, run, name: 'rain', stop: stop.signal, emit })
  expect(early).toMatchObject({
    generation: { ending: 'detached', paid: 0, run: { workflow: 'famc-t2a', id } },
  })
  expect(readdirSync(join(at.cwd, '.genrun'))).toEqual(['.gitignore'])
  await (await at.gateway.nextRun()).finish()
  expect(await followRun({ ...at, run, name: 'rain' })).toMatchObject({ generation: { ending: 'made' } })
  expect(readdirSync(join(at.cwd, '.genrun'))).toEqual(['.gitignore'])
})

test('a typed id that neither the service nor a record here knows ends within ten seconds, and says what to check', async () => {
  const at = await served()
  const began = Date.now()
  const run = { model: 'famc-t2a', id: 'r_slip' }
  expect(await followRun({ ...at, run, isTyped: true })).toMatchObject({
    generation: {
      ending: 'failed',
      message: expect.stringContaining('the service does not know the run r_slip'),
      hint: expect.stringContaining('no record here names it: check the id'),
      paid: 0,
    },
  })
  expect(Date.now() - began).toBeLessThan(20_000)
  expect(readdirSync(join(at.cwd, '.genrun'))).toEqual(['.gitignore'])
}, 40_000)

test('a typed id that the service refuses to be asked for is given up as soon', async () => {
  const bench = await openBenchAt((request, answer) => {
    request.resume()
    answer.writeHead(422, { 'content-type': 'application/json' }).end('{"error":{"message":"no id"}}')
  })
  const service = { baseUrl: `${bench.origin}/gw-v2`, key: 'k3y', rehearsal: false }
  const run = { model: 'famc-t2a', id: 'r_slip' }
  const began = Date.now()
  const hint = expect.stringContaining('no record here names it: check the id')
  const told = await followRun({
    service,
    cwd: bench.folder,
    emit: () => undefined,
    stop: new AbortController().signal,
    run,
    isTyped: true,
  })
  expect(told).toMatchObject({ generation: { ending: 'detached', hint, paid: 0 } })
  expect(Date.now() - began).toBeLessThan(20_000)
}, 40_000)

test('an id that a record here names is waited for, typed or not', async () => {
  const at = await served()
  const known = runId('r_1') as NonNullable<ReturnType<typeof runId>> // it is one
  await killed(at.cwd, new URL(at.service.baseUrl).origin, {
    records: [
      sending,
      { kind: 'ACCEPTED', purchase, attempt: 'a', run: { workflow: 'fama-imagine-image', id: known } },
    ],
  })
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 12_000)
  const run = { model: 'fama-imagine-image', id: 'r_1' }
  expect(await followRun({ ...at, run, isTyped: true, stop: stop.signal })).toMatchObject({
    generation: { ending: 'detached' },
  })
}, 40_000)

test('an answer that its disk did not take is looked through for an id, wherever it was put', async () => {
  const at = await served()
  const { refuge = '' } = thisMachine
  const name = `${thisMachine.random.token()}-answer`
  await killed(at.cwd, new URL(at.service.baseUrl).origin, {
    records: [sending, { kind: 'DOUBT', purchase, attempt: 'a', detail: '', raw: join(at.cwd, name) }],
  })
  mkdirSync(refuge, { recursive: true, mode: 0o700 })
  writeFileSync(join(refuge, name), '{"id":"r_lost","status":"odd"}')
  onTestFinished(() => rmSync(join(refuge, name)))
  expect(listOpen({ cwd: at.cwd })).toMatchObject({ orders: [{ owes: 'doubt', ids: ['r_lost'] }] })
})

test('an order of another service is not asked for at this one', async () => {
  const { service, cwd, gateway } = await served()
  const run = { workflow: 'fama-imagine-image', id: runId('r_1') as NonNullable<ReturnType<typeof runId>> } // it is one
  await killed(cwd, 'https://other.example', {
    records: [sending, { kind: 'ACCEPTED', purchase, attempt: 'a', run }],
  })
  const { origin: here } = new URL(service.baseUrl)
  const owed = 'an earlier order of fama-imagine-image is paid for and was not fetched: run r_1'
  const message = `${owed}; it was ordered at https://other.example, and this service is ${here}`
  const hint = 'set GENRUN_BASE_URL and the key to that service to fetch it'
  expect(await collectHeard({ service, cwd })).toMatchObject({
    generations: [],
    open: [],
    problems: [{ code: 'other-service', message, hint }],
  })
  expect(listOpen({ service, cwd })).toMatchObject({ orders: [{ owes: 'run', message, hint }] })
  // Asked of no service in particular.
  expect(listOpen({ cwd })).toMatchObject({ orders: [{ message: owed }] })
  expect(gateway.requests()).toMatchObject({ result: 0 })
  expect(leftIn(cwd)).toHaveLength(1)
})

test('a doubt about an order of another service says where to look for it', async () => {
  const { service, cwd } = await served()
  await killed(cwd, 'https://other.example', { records: [sending] })
  const message = expect.stringContaining(
    `ordered at https://other.example, and this service is ${new URL(service.baseUrl).origin}`,
  )
  const open = [{ owes: 'doubt', message }]
  expect(await collectHeard({ service, cwd })).toMatchObject({ generations: [], problems: [], open })
  expect(listOpen({ service, cwd })).toMatchObject({ orders: open })
})

test('a damaged journal is told and kept', async () => {
  const { service, cwd } = await served()
  const once = await killed(cwd, 'https://a.example', { records: [sending] })
  const [file = ''] = readdirSync(join(once, 'journal'))
  const path = join(once, 'journal', file)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"attempt":"a"', '"attempt":"b"'))
  expect(await collectHeard({ service, cwd })).toMatchObject({
    open: [{ owes: 'unreadable', message: expect.stringContaining(`${file}: `) }],
  })
  expect(await make({ service, cwd } as Served)).toMatchObject({ problems: [{ code: 'left-behind' }] })
  expect(existsSync(once)).toBe(true)
})

test('what an older genrun wrote down is told, and kept until a person gives it up', async () => {
  const at = await served()
  const once = await killed(at.cwd, 'https://a.example', { records: [] })
  const older = { kind: 'OPEN', format: 1, lineage: 'l', tool: 'genrun', at: 0 } as unknown as JournalEntry // of then
  const open = encodeRecord(chainStart, older)
  const close = encodeRecord(open.digest, { kind: 'CLOSE', at: 0 })
  const [file = ''] = readdirSync(join(once, 'journal'))
  writeFileSync(join(once, 'journal', file), Buffer.concat([open.bytes, close.bytes]))
  expect(await make(at)).toMatchObject({
    generation: { ending: 'made' },
    problems: [{ code: 'left-behind' }],
  })
  expect(await collectHeard(at)).toMatchObject({ open: [{ owes: 'unreadable' }] })
  expect(forgetDoubts(at.cwd)).toMatchObject([{ name: 'rain' }])
  expect(existsSync(once)).toBe(false)
})

const unreadable: readonly [string, string][] = [
  ['empty', ''],
  ['cut', '{"name":"rain","mod'],
  ['something else', '{"name":"rain"}'],
]

test.each(unreadable)('a note that is %s frees no name: the records tell what is owed', async (_, note) => {
  const at = await served()
  const once = await killed(at.cwd, 'https://a.example', { records: [sending] })
  writeFileSync(join(once, 'order.json'), note)
  const owed = { owes: 'doubt', name: 'rain', model: 'fama-imagine-image' }
  expect(leftIn(at.cwd)).toMatchObject([owed])
  const refused = { got: 'refused', problems: [{ code: 'left-behind' }] }
  expect(await make(at, { name: 'rain' })).toMatchObject(refused)
  // Which call it was is not known any more: it may be one of the same model.
  const { ask } = askOf('fama-imagine-image', { prompt: 'Rain' })
  expect(await make(at, { ...(ask && { ask }) })).toMatchObject(refused)
  expect(at.gateway.ledger().requests).toEqual({ execute: 0, submit: 0 })
  expect(await make(at, { name: 'wind' })).toMatchObject({
    generation: { ending: 'made' },
    problems: [{ code: 'left-behind' }],
  })
  expect(await collectHeard(at)).toMatchObject({ open: [owed] })
  expect(forgetDoubts(at.cwd)).toMatchObject([owed])
  expect(existsSync(once)).toBe(false)
})

test('with note and journal unreadable no name is ordered before a person has looked', async () => {
  const at = await served()
  const once = await killed(at.cwd, 'https://a.example', { records: [sending] })
  writeFileSync(join(once, 'order.json'), '')
  const [file = ''] = readdirSync(join(once, 'journal'))
  writeFileSync(join(once, 'journal', file), 'no journal\n')
  expect(leftIn(at.cwd)).toMatchObject([{ owes: 'unreadable', name: expect.stringMatching(/^once-/) }])
  const refused = { got: 'refused', problems: [{ code: 'left-behind' }] }
  expect(await make(at, { name: 'rain' })).toMatchObject(refused)
  expect(await make(at, {})).toMatchObject(refused)
  expect(at.gateway.ledger().requests).toEqual({ execute: 0, submit: 0 })
  expect(existsSync(once)).toBe(true)
  expect(forgetDoubts(at.cwd)).toHaveLength(1)
  expect(await make(at, { name: 'rain' })).toMatchObject({ generation: { ending: 'made' } })
})

test('a run whose note cannot be read is fetched all the same', async () => {
  const at = await served({ manual: true })
  await stopped(at, { name: 'rain' })
  const [once = ''] = readdirSync(join(at.cwd, '.genrun')).filter(name => name.startsWith('once-'))
  writeFileSync(join(at.cwd, '.genrun', once, 'order.json'), '')
  const handle = await at.gateway.nextRun()
  await handle.finish()
  expect(await collectHeard(at)).toMatchObject({
    generations: [{ ending: 'made', paid: 0, files: [{ path: join(at.cwd, 'rain.wav') }] }],
  })
  expect(leftIn(at.cwd)).toEqual([])
})

test('where nothing is owed a note that cannot be read keeps nothing', async () => {
  const at = await served()
  const once = await killed(at.cwd, 'https://a.example', { records: [] })
  writeFileSync(join(once, 'order.json'), '')
  expect(await make(at, { name: 'rain' })).toMatchObject({ generation: { ending: 'made' }, problems: [] })
  expect(existsSync(once)).toBe(false)
})

test('what owes nothing is swept by the next generation, and what is at work is not', async () => {
  const at = await served()
  const origin = new URL(at.service.baseUrl).origin
  const gone = [
    await killed(at.cwd, origin, { records: [], name: 'unsent' }),
    await killed(at.cwd, origin, {
      records: [sending, { kind: 'NOTSENT', purchase, attempt: 'a' }],
      name: 'unsent-2',
    }),
    await killed(at.cwd, origin, { records: [sending], name: 'rehearsed', rehearsal: true }),
  ]
  const busy = join(at.cwd, '.genrun', 'once-busy')
  mkdirSync(busy)
  const note = { name: 'busy', model: 'famc-t2a', named: true, rehearsal: false }
  await writeNote(busy, note, thisMachine)
  await takeClaim(join(busy, 'claim'))
  const journal = await journalIn(busy)
  await journal.append(sending)
  expect(leftIn(at.cwd)).toEqual([])
  const begun = join(at.cwd, '.genrun', 'once-begun')
  mkdirSync(begun)
  expect(await make(at)).toMatchObject({ generation: { ending: 'made' }, problems: [] })
  expect(gone.filter(path => existsSync(path))).toEqual([])
  expect([busy, begun].filter(path => existsSync(path))).toEqual([busy, begun])
})
