import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { jobAddress } from '../../src/base/names.ts'
import type { Gateway } from '../../src/gateway/server.ts'
import { createWire } from '../../src/wire/client.ts'
import type { Order, SpoolSink } from '../../src/wire/http/wire.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import type { Profile } from '../../src/wire/profile/profile.ts'
import { freshFolder, start } from './start.ts'

const { signal } = new AbortController()
const nothing = async () => () => {}

/** The client with the built-in profile; `fault` goes with every request. */
function clientOf({ baseUrl, key }: Gateway, fault?: string) {
  const profile: Profile = { ...gwV2, headers: fault === undefined ? {} : { 'x-gateway-fault': fault } }
  const wire = createWire({ baseUrl, key, profile, spool, clock: systemClock })
  onTestFinished(() => wire.close())
  return wire
}

const spool: SpoolSink = async (bytes, name) => {
  const path = join(freshFolder(), name)
  await writeFile(path, bytes)
  return path
}

function orderOf(mode: Order['mode'], more: Partial<Order> = {}): Order {
  const params = { prompt: 'A teapot' }
  return {
    address: jobAddress('a'),
    mode,
    workflow: 'famc-v3',
    model: 'famc-v3',
    params,
    key: 'k1',
    deadlineMs: 10_000,
    ...more,
  }
}

test('the client submits, waits and downloads', async () => {
  const gateway = await start({ manual: true })
  const wire = clientOf(gateway)
  const reply = await wire.order(orderOf('submit'), nothing)
  if (reply.got !== 'run') throw new Error(`got ${reply.got}`)
  expect(await wire.read(reply.run, signal)).toMatchObject({ got: 'pending' })
  const run = await gateway.nextRun()
  expect([run.id, run.key, run.params]).toEqual([reply.run.id, 'k1', { prompt: 'A teapot' }])
  run.progress(0.4)
  expect(await wire.read(reply.run, signal)).toMatchObject({ got: 'pending', progress: 0.4 })
  await run.finish()
  const done = await wire.read(reply.run, signal)
  const url = `${gateway.baseUrl}/files/${run.id}/1.mp4`
  expect(done).toEqual({ got: 'files', files: [{ from: 'link', url }] })
  const to = join(freshFolder(), '1.mp4')
  expect(await wire.download({ from: 'link', url }, to, { signal })).toMatchObject({
    got: 'bytes',
    bytes: 22,
  })
  expect(await readFile(to, 'utf8')).toBe('video 1 of 1: A teapot')
})

test('the client executes', async () => {
  const gateway = await start()
  expect(await clientOf(gateway).order(orderOf('execute'), nothing)).toMatchObject({
    got: 'files',
    files: [{ from: 'link' }],
  })
})

test.each<[string, Partial<Order>, string | undefined, object]>([
  [
    'parameters that are wrong',
    { params: { duration: 7 } },
    undefined,
    { got: 'refused', failure: { why: 'refused', status: 422 } },
  ],
  [
    'a model it does not serve',
    { workflow: 'famc-v9' },
    undefined,
    { got: 'refused', failure: { why: 'not-served' } },
  ],
  ['too many requests', {}, 'refuse=429 retry-after=2', { got: 'refused', canRetry: true, waitMs: 2000 }],
  ['no credit', {}, 'refuse=402', { got: 'refused', failure: { why: 'no-credit' } }],
  ['content it rejects', {}, 'reject', { got: 'failure', failure: { why: 'rejected-content' } }],
  ['a model that fails', {}, 'fail', { got: 'failure', failure: { why: 'remote' } }],
  ['an error after it was billed', {}, 'spoil=502', { got: 'doubt' }],
  ['an answer that is lost', {}, 'lose', { got: 'doubt' }],
  ['a connection that is reset', {}, 'reset', { got: 'doubt' }],
])('the client understands %s', async (_, more, fault, reply) => {
  const gateway = await start({ faults: {} })
  expect(await clientOf(gateway, fault).order(orderOf('execute', more), nothing)).toMatchObject(reply)
})
