import { expect, test } from 'vitest'
import { jobAddress, type RunId } from '../../../src/base/names.ts'
import { headOf } from '../../../src/base/source.ts'
import { findModel, type Model } from '../../../src/catalog/index.ts'
import { openBudget } from '../../../src/engine/gates/budget.ts'
import type { Prices } from '../../../src/forms/cost.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import type { Order, OrderReply, ReadReply, Wire } from '../../../src/wire/http/wire.ts'

const prices: Prices = {
  currency: 'USD',
  models: [{ match: 'famc-t2a', rates: [{ when: {}, amounts: { perRun: 1 } }] }],
}
const at = headOf({ name: 'm.yaml', text: '' })
const job: Job = {
  address: jobAddress('rain'),
  model: findModel('famc-t2a') as Model, // it is in the catalog
  mode: 'submit',
  params: { prompt: 'Rain' },
  files: {},
  needs: [],
  output: 'rain',
  count: 1,
  take: 1,
  tags: [],
  retries: 0,
  at,
  written: { locate: () => at },
}
const order: Order = {
  address: job.address,
  mode: 'submit',
  workflow: 'w',
  model: 'famc-t2a',
  params: {},
  key: 'k',
  deadlineMs: 1,
}
const run = { workflow: 'w', id: 'r1' as RunId } // short, printable

function wire(reply: OrderReply, read?: ReadReply): Wire {
  return {
    origin: 'http://127.0.0.1',
    workflow: () => 'w',
    async order(_, beforeFirstByte) {
      if (reply.got !== 'not-sent') (await beforeFirstByte())()
      return reply
    },
    read: () => Promise.resolve(read ?? { got: 'pending' }),
    download: () => Promise.reject(new Error('nothing is downloaded here')),
  }
}

const failure = { why: 'busy', detail: '' } as const

test.each<[string, OrderReply, { paid: number; cost: number }]>([
  ['an accepted run', { got: 'run', run }, { paid: 1, cost: 1 }],
  ['a doubt', { got: 'doubt', detail: '' }, { paid: 1, cost: 1 }],
  ['a failure that may be billed', { got: 'failure', failure }, { paid: 1, cost: 1 }],
])('%s counts as spent', async (_, reply, spent) => {
  const budget = openBudget({ maxCost: 1 }, prices)
  await budget.watch(wire(reply)).order(order, async () => () => expect(budget.take(job)).toBeUndefined())
  expect(budget.spent()).toMatchObject(spent)
  expect(budget.take(job)?.why).toBe('budget')
})

test.each<[string, OrderReply]>([
  ['did not leave after all', { got: 'not-sent', failure }],
  ['was refused', { got: 'refused', failure, canRetry: true }],
])('what %s is given back whole', async (_, reply) => {
  const budget = openBudget({ maxPaid: 1 }, prices)
  expect(budget.take(job)).toBeUndefined()
  await budget.watch(wire(reply)).order(order, async () => () => {})
  expect(budget.spent()).toMatchObject({ paid: 0, cost: 0 })
})

test('what is refused is given back of each of two orders of one name, as it was taken', async () => {
  const rates = [{ when: {}, amounts: { perRun: 3 } }]
  const more = [...prices.models, { match: 'famc-v3', rates }]
  const budget = openBudget({ maxCost: 10 }, { ...prices, models: more })
  const dear = { ...job, model: findModel('famc-v3') as Model } // it is in the catalog
  const replies = [job, dear].map(its => {
    let answer: (reply: OrderReply) => void = () => {}
    const answered = new Promise<OrderReply>(resolve => {
      answer = resolve
    })
    const slow = async (_: Order, before: () => Promise<() => void>) => {
      await before()
      return answered
    }
    const sent = budget.watch({ ...wire({ got: 'run', run }), order: slow }).order(order, async () => {
      expect(budget.take(its)).toBeUndefined()
      return () => {}
    })
    return { answer, sent }
  })
  expect(budget.spent()).toMatchObject({ paid: 2, cost: 4 })
  for (const { answer } of replies) answer({ got: 'refused', failure, canRetry: false })
  await Promise.all(replies.map(({ sent }) => sent))
  expect(budget.spent()).toMatchObject({ paid: 0, cost: 0 })
})

test('what would go over is told before it is taken, and takes nothing', () => {
  const budget = openBudget({ maxPaid: 1 }, prices)
  expect(budget.check(job)).toBeUndefined()
  expect(budget.check(job)).toBeUndefined()
  expect(budget.take(job)).toBeUndefined()
  const over = { why: 'budget', detail: expect.stringMatching(/\b1\b/) }
  expect(budget.check(job)).toEqual(over)
  expect(budget.take(job)).toEqual(over)
  expect(budget.spent()).toMatchObject({ paid: 1, cost: 1 })
})

test('nothing is given back for an order that took nothing', async () => {
  const budget = openBudget({ maxPaid: 1 }, prices)
  const watched = budget.watch(wire({ got: 'refused', failure, canRetry: true }))
  await watched.order(order, async () => () => {})
  expect(budget.spent()).toMatchObject({ paid: 0, cost: 0 })
})
