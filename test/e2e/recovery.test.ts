import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { readJournal } from '../../src/store/journal/journal.ts'
import { chanceOf } from '../faults/chance.ts'
import { pixel } from '../verbs/bench.ts'
import { genrunHere } from './built-main.ts'
import { filesIn, freshFolder, genrun, startGenrun } from './executable.ts'

const jobs = 6
const manifest = `defaults: { model: fama-imagine-image }
jobs:
${Array.from({ length: jobs }, (_, nth) => `  job${nth}: { mode: submit, prompt: 'Teapot ${nth}' }\n`).join('')}`

interface Served {
  readonly gateway: Gateway
  /** When paid requests arrived. */
  readonly posts: number[]
  readonly env: { readonly [name: string]: string }
}

/** A gateway that answers orders late, behind a door that notes when they come. */
async function served(ms = { from: 100, to: 700 }): Promise<Served> {
  const gateway = await startGateway({
    outputs: 'memory',
    render: async () => [{ bytes: pixel, type: 'image/png', extension: 'png' }],
    faults: { rules: [{ fault: { does: 'delay', ms }, on: ['submit'] }] },
  })
  const posts: number[] = []
  const { port } = new URL(gateway.baseUrl)
  const door = createServer((incoming, outgoing) => {
    if (incoming.method === 'POST') posts.push(Date.now())
    const { method, headers, url: path } = incoming
    const onwards = request({ port, host: '127.0.0.1', method, headers, path }, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onwards.on('error', () => outgoing.destroy())
    incoming.pipe(onwards)
  })
  await new Promise<void>(listening => door.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    door.closeAllConnections()
    door.close()
    await gateway.close()
  })
  // It listens on a port, so that its address has one.
  const baseUrl = `http://127.0.0.1:${(door.address() as AddressInfo).port}/gw-v2`
  return {
    gateway,
    posts,
    env: { GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: gateway.key, CI: '1', GENRUN_UNTRUSTED: 'false' },
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const points = 30
const seed = Math.floor(Math.random() * 2 ** 31)

/** How long a run takes here that nobody stops, in milliseconds from its first line. */
async function wholeRun(): Promise<number> {
  const { env } = await served()
  const run = startGenrun(['tea.yaml'], { cwd: freshFolder({ 'tea.yaml': manifest }), env })
  await run.shows('stderr', 'to make')
  const at = Date.now()
  await run.ended
  return Date.now() - at
}

/** Moments all over a run, one in each of as many equal parts, others in every run of the tests; `seed` is told with what failed. */
function moments(ms: number): number[] {
  const { next } = chanceOf(seed)
  return Array.from({ length: points }, (_, nth) => Math.round(((nth + next()) / points) * ms))
}

interface Stopped {
  readonly point: number
  readonly afterMs: number
  readonly endedAs: string
  readonly leftAfterMs: number
  /** Orders let go, by genrun's own record, after it had said that it stops. */
  readonly late: number
  readonly rerun: number | null
  readonly billed: number
}

/** When the journal says that orders were let go. */
function sentIn(cwd: string): number[] {
  const reading = readJournal(join(cwd, '.genrun', 'tea', 'journal'))
  if (reading.got !== 'records') throw new Error('the journal cannot be read')
  return reading.entries.filter(entry => entry.kind === 'SENDING').map(entry => entry.at)
}

async function stopAt(point: number, afterMs: number): Promise<Stopped> {
  const { gateway, posts, env } = await served()
  const cwd = freshFolder({ 'tea.yaml': manifest })
  const run = startGenrun(['tea.yaml'], { cwd, env })
  // The time counts from the first line, so that most points lie within the run and not before it.
  const begun = run.shows('stderr', 'to make').catch(() => '')
  if (point % 5 !== 0) await begun
  await new Promise(resolve => setTimeout(resolve, afterMs))
  const at = Date.now()
  let heardAt = Number.POSITIVE_INFINITY
  const heard = run.shows('stderr', 'stopping:').then(
    () => (heardAt = Date.now()),
    () => undefined,
  )
  run.child.kill(signals[point % 3])
  const { code } = await run.ended
  const leftAfterMs = Date.now() - at
  await heard
  const sent = sentIn(cwd)
  // What the record says is what came.
  expect(posts.length).toBeLessThanOrEqual(sent.length)
  const rerun = await genrunHere(['tea.yaml'], { cwd, env })
  return {
    point,
    afterMs,
    endedAs: String(code ?? run.child.signalCode),
    leftAfterMs,
    late: sent.filter(date => date > heardAt).length,
    rerun: rerun.code,
    billed: gateway.ledger().billed.submit,
  }
}

test(`stopped at ${points} random moments, it buys nothing more, leaves in time, and pays for nothing twice`, async () => {
  const ends: Stopped[] = []
  const open = [...moments(await wholeRun()).entries()]
  const worker = async () => {
    for (let next = open.shift(); next; next = open.shift()) ends.push(await stopAt(...next))
  }
  await Promise.all([worker(), worker(), worker()])
  const told = `seed ${seed}: ${JSON.stringify(ends)}`
  for (const { point, endedAs, leftAfterMs, late, rerun, billed } of ends) {
    const signal = signals[point % 3] ?? ''
    // Done already, or not yet listening: then nothing was sent.
    expect(['0', signal === 'SIGINT' ? '130' : '143', signal], told).toContain(endedAs)
    expect(leftAfterMs, told).toBeLessThan(5500)
    expect({ late, rerun, billed }, told).toEqual({ late: 0, rerun: 0, billed: jobs })
  }
  const stopped = ends.filter(({ endedAs }) => endedAs === '130' || endedAs === '143').length
  console.log(
    `${points} stops: ${stopped} in the middle of a run, 0 paid twice, 0 paid requests after the stop`,
  )
  // Were nearly all of them too early or too late, the zeros above would mean nothing.
  expect(stopped, told).toBeGreaterThan(points / 4)
}, 240_000)

test('an answer that does not come before it must leave is in doubt, told, and not paid again', async () => {
  const { gateway, posts, env } = await served({ from: 20_000, to: 20_000 })
  const cwd = freshFolder({ 'tea.yaml': manifest })
  const run = startGenrun(['tea.yaml'], { cwd, env })
  await expect.poll(() => posts.length, { timeout: 20_000 }).toBe(1)
  const at = Date.now()
  run.child.kill('SIGTERM')
  const { code, stderr } = await run.ended
  expect(Date.now() - at).toBeLessThan(5500)
  expect(code).toBe(3)
  expect(stderr).toContain('job0')
  const status = await genrun(['status', 'tea.yaml'], { cwd })
  expect(status.code).toBe(0)
  expect(status.stdout).toMatch(/^job0: in doubt, since \S+, workflow fama-imagine-image\n/)
  expect(status.stdout).toContain(
    '\n  the next run leaves it alone\n  genrun resolve tea.yaml job0 --adopt ID, or --resubmit, or --abandon\n',
  )
  expect(status.stderr).toBe('6 jobs: 1 in doubt, 5 to order\n')
  expect(gateway.ledger().requests.submit).toBeLessThanOrEqual(1)
}, 60_000)

test('a reader that goes away does not break a run', async () => {
  const { gateway, env } = await served({ from: 0, to: 50 })
  const cwd = freshFolder({ 'tea.yaml': manifest })
  const run = startGenrun(['tea.yaml'], { cwd, env })
  run.child.stdout?.destroy()
  await run.shows('stderr', 'to make')
  run.child.stderr?.destroy()
  const code = await new Promise(resolve => run.child.on('exit', resolve))
  expect(code).toBe(0)
  expect(gateway.ledger().billed.submit).toBe(jobs)
  expect(filesIn(cwd).filter(name => name.endsWith('.png'))).toHaveLength(jobs)
}, 60_000)
