import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import type { Ordered, Purchase } from '../../../src/base/purchase.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import type { Plan, Step } from '../../../src/plan/shapes/step.ts'
import { matchedOrders, type OrderSelector } from '../../../src/verbs/orders/matched-orders.ts'
import { named } from '../../store/records.ts'

const axes = ['product', 'view']
const cells = ['AS-101,front', 'AS-101,back', 'AS-102,front', 'AS-102,back'].map(keys => `still[${keys}]`)
// Of a job only its name and its axes decide here.
const jobs = [
  ...cells.map(address => ({ address: jobAddress(address), axes, take: 1 })),
  { address: jobAddress('hero'), take: 1 },
  { address: jobAddress('clip'), take: 1 },
  { address: jobAddress('voice'), take: 1 },
] as unknown as Job[]

const recipe = {
  version: 1,
  model: 'fama-imagine-image',
  params: {},
  defaults: {},
  inputs: {},
  take: 1,
} as const
const hour = 3_600_000

let nth = 0
function order(address: string): Ordered {
  nth++
  return { id: named(`id${nth}-long`), address: jobAddress(address), recipe }
}

function doubt(address: string, since?: number): Purchase {
  return { ...order(address), is: 'doubt', detail: 'reset', ...(since !== undefined && { since }), raws: [] }
}

/**
 * In doubt: three cells, one of them gone from the manifest, and the hero. The clip is under way, the voice failed. The
 * hero was sent an hour after the cells; of one cell only the lock knows. What is done and what was never sent is no order
 * that could be meant.
 */
const purchases: readonly Purchase[] = [
  doubt('still[AS-101,front]', 0),
  doubt('still[AS-102,front]', 0),
  doubt('still[AS-107,back]'),
  doubt('hero', hour),
  { ...order('clip'), is: 'under-way', saved: [], parts: [] },
  { ...order('voice'), is: 'failed', flaw: { why: 'remote', message: 'it failed' }, billed: 'unknown' },
  { ...order('still[AS-101,back]'), is: 'done', files: [] },
  { ...order('hero'), is: 'open' },
]

function matched(meaning: Partial<OrderSelector>, known = purchases) {
  const found = matchedOrders(
    { words: [], ...meaning },
    { recorded: { purchases: known }, planned: { plan: { steps: [], buys: 0 }, jobs } },
  )
  return found.got === 'orders' ? found.purchases.map(({ address }) => address) : [found.message, found.hint]
}

test('the job that gives an order up for another is the one that has it now', () => {
  const known = doubt('hero')
  if (known.is !== 'doubt') throw new Error(known.is)
  const [poster] = [{ address: jobAddress('poster'), take: 1 }] as unknown as [Job]
  const anew: Step = { do: 'buy', job: poster, because: [], insteadOf: [{ doubt: known }] }
  const sight = {
    recorded: { purchases: [known] },
    planned: { plan: { steps: [anew], buys: 1 }, jobs: [poster] },
  }
  expect(matchedOrders({ words: ['poster'] }, sight)).toMatchObject({
    got: 'orders',
    purchases: [{ id: known.id }],
  })
})

describe('the orders that are meant', () => {
  test.each<[string, Partial<OrderSelector>, string[]]>([
    ['by id', { words: ['still'] }, ['still[AS-101,front]', 'still[AS-102,front]', 'still[AS-107,back]']],
    ['by the name of an axis', { words: ['still[product=AS-101]'] }, ['still[AS-101,front]']],
    ['by another axis', { words: ['still[view=front]'] }, ['still[AS-101,front]', 'still[AS-102,front]']],
    [
      'by an axis of a cell that left the manifest',
      { words: ['still[product=AS-107]'] },
      ['still[AS-107,back]'],
    ],
    ['by both axes', { words: ['still[view=front,product=AS-102]'] }, ['still[AS-102,front]']],
    ['by a glob', { words: ['still[*,back]', 'he*'] }, ['still[AS-107,back]', 'hero']],
    ['by their status', { allDoubts: true }, purchases.slice(0, 4).map(({ address }) => address)],
    ['by time', { before: 1 }, ['still[AS-101,front]', 'still[AS-102,front]']],
    ['by time and name', { after: 1, words: ['*'] }, ['hero']],
    ['in full, whatever they are', { words: ['clip', 'voice'] }, ['clip', 'voice']],
    ['by the ids of orders', { words: purchases.slice(3, 5).map(({ id }) => id) }, ['hero', 'clip']],
  ])('%s', (_, meaning, addresses) => {
    expect(matched(meaning)).toEqual(addresses)
  })

  test.each<[string, Partial<OrderSelector>, (string | undefined)[]]>([
    ['an axis', { words: ['still[prodct=AS-101]'] }, ['still has no axis prodct', 'did you mean product']],
    [
      'a cell',
      { words: ['still[product=AS-10]'] },
      ['the axis product of still has no AS-10', 'did you mean AS-101'],
    ],
    ['a job', { words: ['hera'] }, ['no job in doubt is called hera', 'did you mean hero']],
    [
      'one slip among right words',
      { words: ['hero', 'hera'] },
      ['no job in doubt is called hera', 'did you mean hero'],
    ],
    ['what is well', { words: ['still[AS-101,back]'] }, ['still[AS-101,back] is not in doubt', undefined]],
    [
      'another time',
      { words: ['hero'], before: 1 },
      ['no order of hero in doubt was sent in that time', undefined],
    ],
    ['a time without any', { before: -1 }, ['no job in doubt is meant', undefined]],
    [
      'what is under way, by a glob',
      { words: ['cl*'] },
      [
        'no job in doubt is called cl*: clip is under way',
        'name it in full, clip, to settle it all the same',
      ],
    ],
  ])('%s that is not there settles nothing, and says what would be right', (_, meaning, told) => {
    expect(matched(meaning)).toEqual(told)
  })
})

describe('two orders of one job', () => {
  const both = [doubt('hero', 0), doubt('hero', hour)]
  const ids = (meaning: Partial<OrderSelector>) => {
    const found = matchedOrders(
      { words: [], ...meaning },
      { recorded: { purchases: both }, planned: { plan: { steps: [], buys: 0 }, jobs } },
    )
    return found.got === 'orders' ? found.purchases.map(({ id }) => id) : []
  }
  const [first, second] = both.map(({ id }) => id)

  test('are both meant by its name, and one by its label or its time', () => {
    expect(ids({ words: ['hero'] })).toEqual([first, second])
    expect(ids({ words: [`hero@${String(second).slice(0, 6)}`] })).toEqual([second])
    expect(ids({ before: 1 })).toEqual([first])
  })
})

test('after a swap a name means the order that its job has now', () => {
  const [first, second] = [doubt('hero'), doubt('clip')]
  const has = (address: string, purchase: Purchase) => ({
    do: 'doubt',
    job: { address: jobAddress(address) },
    purchase,
  })
  const steps = [has('clip', first), has('hero', second)] as unknown as Plan['steps']
  const found = matchedOrders(
    { words: ['hero'] },
    { recorded: { purchases: [first, second] }, planned: { plan: { steps, buys: 0 }, jobs } },
  )
  expect(found).toMatchObject({ purchases: [{ id: second.id, address: 'hero' }] })
})
