import { describe, expect, test } from 'vitest'
import { runEngine } from '../../src/engine/engine.ts'
import type { Resend } from '../../src/engine/world.ts'
import { digestOf } from '../../src/store/files/digest.ts'
import type { OrderReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, purchaseOf, run, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const its = job('clip', { mode: 'submit', workflow: 'test' })
const same: Resend = {
  request: digestOf(['test', 'submit', its.params]),
  origin: 'https://service.example',
  until: 2_000_000,
  young: { from: 900_000, until: 2_000_000 },
  detail: 'reset',
}

async function resent(resend: Partial<Resend>, reply: OrderReply) {
  const world = fakeWorld({ order: () => reply })
  const again = { ...task(its), purchase: purchaseOf('old'), resend: { ...same, ...resend } }
  const outcomes = await world.clock.run(runEngine([again], world, limits))
  const [state] = [...outcomes.values()]
  return {
    state,
    keys: world.orders.map(order => order.key),
    kinds: world.records.map(record => record.kind),
  }
}

const accepted: OrderReply = { got: 'run', run: run('r1') }

describe('an order in doubt, where keys are honoured', () => {
  test('is sent again under its old key, and what comes of it is the order', async () => {
    const { state, keys, kinds } = await resent({}, accepted)
    expect(state).toMatchObject({ is: 'done', run: { id: 'r1' } })
    expect(keys).toEqual(['key-old'])
    expect(kinds).toEqual(['INTENT', 'SENDING', 'ACCEPTED', 'DONE'])
  })

  test('is sent from the first moment on', async () => {
    const { keys } = await resent({ young: { from: 1_000_000, until: 2_000_000 } }, accepted)
    expect(keys).toEqual(['key-old'])
  })

  test.each<[string, Partial<Resend>]>([
    ['its key is half-way through its life', { until: 1_000_000 }],
    ['it is by the wall clock, as after a sleep', { young: { from: 900_000, until: 1_000_000 } }],
    ['it is older than the machine knows by the wall clock', { young: { from: 900_000, until: 999_999 } }],
    ['it comes from the future by the wall clock', { young: { from: 1_000_001, until: 2_000_000 } }],
    ['it would be another request', { request: digestOf(['test', 'submit', {}]) }],
    ['it would go to another service', { origin: 'https://other.example' }],
  ])('is not sent when %s', async (_, resend) => {
    const { state, keys, kinds } = await resent(resend, accepted)
    expect(state).toEqual({ is: 'doubt', detail: 'reset' })
    expect(keys).toEqual([])
    expect(kinds).toEqual([])
  })

  test.each<[string, OrderReply]>([
    ['a refusal', { got: 'refused', canRetry: false, failure: { why: 'refused', status: 422, detail: '' } }],
    [
      'an account without credit',
      { got: 'refused', canRetry: false, failure: { why: 'no-credit', detail: '' } },
    ],
    [
      'a network that is down',
      { got: 'not-sent', failure: { why: 'unreachable', origin: 'o', detail: 'd' } },
    ],
    ['another doubt', { got: 'doubt', detail: 'reset' }],
  ])('stays in doubt after %s, which says nothing about what was sent before', async (_, reply) => {
    const { state, kinds } = await resent({}, reply)
    expect(state).toEqual({ is: 'doubt', detail: 'reset' })
    expect(kinds).not.toContain('FAILED')
  })
})
