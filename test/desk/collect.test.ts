import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jobAddress, runId } from '../../src/base/names.ts'
import type { JournalRecord } from '../../src/base/state.ts'
import { collect, forgetDoubts } from '../../src/desk/collect.ts'
import { generate } from '../../src/desk/generate.ts'
import { thisMachine } from '../../src/desk/ground/machine.ts'
import { askOf } from '../../src/desk/once/ask.ts'
import { followRun } from '../../src/desk/once/follow.ts'
import type { GenerateRequest } from '../../src/desk/once/generation.ts'
import { leftBehind, openNote } from '../../src/desk/once/once-note.ts'
import type { Told } from '../../src/desk/telling/report.ts'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { digestOf } from '../../src/store/digest.ts'
import { pixel } from './bench.ts'

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

function make({ service, cwd }: Served, more: Partial<GenerateRequest> = {}) {
  const { ask } = askOf('famc-t2a', { prompt: 'Rain', duration: 3 })
  if (!ask) throw new Error('no ask')
  return generate({ ask, service, cwd, ...more })
}

/** Stops when the service has the order. */
function stopped(at: Served, more: Partial<GenerateRequest> = {}) {
  const stop = new AbortController()
  const tell = (told: Told) => told.event === 'accepted' && stop.abort()
  return make(at, { stop: stop.signal, tell, ...more })
}

interface Left {
  readonly records: readonly JournalRecord[]
  readonly rehearsal?: boolean
  readonly name?: string
}

/** What a generation leaves that was killed: the records of its journal up to there, and nobody who closes it. */
async function killed(cwd: string, origin: string, { records, rehearsal = false, name = 'rain' }: Left) {
  const token = thisMachine.random.token()
  const once = join(cwd, '.genrun', `once-${token}`)
  mkdirSync(join(once, 'spool'), { recursive: true })
  const self = () => ({ ...thisMachine.self(), pid: 0, start: 'long ago' })
  const note = { name, model: 'fama-imagine-image', named: true, rehearsal }
  const journal = await openNote(once, note, { ...thisMachine, self })
  await journal.append({
    kind: 'INTENT',
    address,
    attempt: 'a',
    key: 'k',
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

const address = jobAddress('rain')
const sending: JournalRecord = { kind: 'SENDING', address, attempt: 'a' }

test('what a stop left at the service is collected once, and nothing is left then', async () => {
  const at = await served({ manual: true })
  const left = await stopped(at, { name: 'rain' })
  expect(left).toMatchObject({ got: 'generation', generation: { ending: 'detached', paid: 1 } })
  const handle = await at.gateway.nextRun()
  await handle.finish()
  const collected = await collect(at)
  expect(collected).toMatchObject({
    got: 'collected',
    open: [],
    problems: [],
    generations: [{ ending: 'made', paid: 0, files: [{ path: join(at.cwd, 'rain.wav'), seconds: 3 }] }],
  })
  expect(at.gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
  expect(readdirSync(join(at.cwd, '.genrun'))).toEqual(['.gitignore'])
  expect(await collect(at)).toMatchObject({ generations: [], open: [] })
})

test('only the run that is named is collected', async () => {
  const at = await served({ manual: true })
  await stopped(at)
  expect(await collect({ ...at, run: 'another' })).toMatchObject({ generations: [], open: [] })
  expect(leftBehind(at.cwd, thisMachine)).toHaveLength(1)
})

test('a name that is owed is not ordered again; under another name the debt is told', async () => {
  const at = await served({ manual: true })
  await stopped(at, { name: 'rain' })
  const again = await make(at, { name: 'rain' })
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

test('a run that is waited for by its id is not owed any more', async () => {
  const at = await served({ manual: true })
  const left = await stopped(at)
  await (await at.gateway.nextRun()).finish()
  const run = left.got === 'generation' ? left.generation.run : undefined
  const followed = await followRun({ ...at, run: { model: 'famc-t2a', id: run?.id ?? '' }, name: 'here' })
  expect(followed).toMatchObject({ generation: { ending: 'made' } })
  expect(leftBehind(at.cwd, thisMachine)).toEqual([])
})

test('an answer that a killed process had received is saved without a request', async () => {
  const { service, cwd, gateway } = await served()
  const once = await killed(cwd, new URL(service.baseUrl).origin, {
    records: [sending, { kind: 'RESULT', address, files: [{ from: 'spool', path: '/elsewhere/answer-1' }] }],
  })
  writeFileSync(join(once, 'spool', 'answer-1'), pixel)
  expect(await collect({ service, cwd })).toMatchObject({
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
    records: [sending, { kind: 'RESULT', address, files: [{ from: 'spool', path: outside }] }],
  })
  expect(await collect({ service, cwd })).toMatchObject({
    generations: [],
    open: [{ owes: 'unreadable', message: expect.stringContaining('no longer in the folder') }],
  })
})

test('a request without an answer is in doubt until it is given up, and its name is not ordered', async () => {
  const at = await served()
  await killed(at.cwd, new URL(at.service.baseUrl).origin, { records: [sending] })
  expect(await collect(at)).toMatchObject({
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

test('an order of another service is not asked for at this one', async () => {
  const { service, cwd, gateway } = await served()
  const run = { workflow: 'fama-imagine-image', id: runId('r_1') as NonNullable<ReturnType<typeof runId>> } // it is one
  await killed(cwd, 'https://other.example', {
    records: [sending, { kind: 'ACCEPTED', address, attempt: 'a', run }],
  })
  expect(await collect({ service, cwd })).toMatchObject({
    generations: [],
    problems: [{ code: 'other-service', message: expect.stringContaining('https://other.example') }],
  })
  expect(gateway.requests()).toMatchObject({ result: 0 })
  expect(leftBehind(cwd, thisMachine)).toHaveLength(1)
})

test('a damaged journal is told and kept', async () => {
  const { service, cwd } = await served()
  const once = await killed(cwd, 'https://a.example', { records: [sending] })
  const [file = ''] = readdirSync(join(once, 'journal'))
  const path = join(once, 'journal', file)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"key":"k"', '"key":"l"'))
  expect(await collect({ service, cwd })).toMatchObject({
    open: [{ owes: 'unreadable', message: expect.stringContaining(`${file}: `) }],
  })
  expect(await make({ service, cwd } as Served)).toMatchObject({ problems: [{ code: 'left-behind' }] })
  expect(existsSync(once)).toBe(true)
})

test('what owes nothing is swept by the next generation, and what is at work is not', async () => {
  const at = await served()
  const origin = new URL(at.service.baseUrl).origin
  const gone = [
    await killed(at.cwd, origin, { records: [], name: 'unsent' }),
    await killed(at.cwd, origin, {
      records: [sending, { kind: 'NOTSENT', address, attempt: 'a' }],
      name: 'unsent-2',
    }),
    await killed(at.cwd, origin, { records: [sending], name: 'rehearsed', rehearsal: true }),
  ]
  const busy = join(at.cwd, '.genrun', 'once-busy')
  mkdirSync(busy)
  const note = { name: 'busy', model: 'famc-t2a', named: true, rehearsal: false }
  const journal = await openNote(busy, note, thisMachine)
  await journal.append(sending)
  expect(leftBehind(at.cwd, thisMachine)).toEqual([])
  const begun = join(at.cwd, '.genrun', 'once-begun')
  mkdirSync(begun)
  expect(await make(at)).toMatchObject({ generation: { ending: 'made' }, problems: [] })
  expect(gone.filter(path => existsSync(path))).toEqual([])
  expect([busy, begun].filter(path => existsSync(path))).toEqual([busy, begun])
})

test('without a journal nothing is written down', async () => {
  const at = await served({ manual: true })
  await stopped(at, { journal: false })
  expect(leftBehind(at.cwd, thisMachine)).toEqual([])
})
