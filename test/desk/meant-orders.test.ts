import { describe, expect, test } from 'vitest'
import { type JobAddress, jobAddress } from '../../src/base/names.ts'
import { type Meaning, meantOrders } from '../../src/desk/meant-orders.ts'
import type { Job } from '../../src/manifest/job.ts'
import type { Memory } from '../../src/plan/facts.ts'
import type { JobMemory } from '../../src/store/memory.ts'

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
const doubt: Memory = { is: 'doubt', recipe, detail: 'reset' }

/** In doubt: three cells, one of them gone from the manifest, and the hero. The clip is under way, the voice failed. */
const memories = new Map<JobAddress, Memory>([
  [jobAddress('still[AS-101,front]'), doubt],
  [jobAddress('still[AS-102,front]'), doubt],
  [jobAddress('still[AS-107,back]'), doubt],
  [jobAddress('hero'), doubt],
  [jobAddress('clip'), { is: 'under-way', recipe, key: 'k' }],
  [jobAddress('voice'), { is: 'failed', recipe, message: 'it failed', billed: 'unknown' }],
])

const hour = 3_600_000

/** The hero was sent an hour after the cells; of one cell only the lock knows. */
const journal = new Map(
  [
    ['still[AS-101,front]', 0],
    ['still[AS-102,front]', 0],
    ['hero', hour],
  ].map(([address, since]) => [
    jobAddress(String(address)),
    { is: 'doubt', detail: 'reset', since, doubts: [], saved: [] } as unknown as JobMemory,
  ]),
)

function meant(meaning: Partial<Meaning>) {
  const found = meantOrders({ words: [], ...meaning }, { recorded: { memories, journal }, drawn: { jobs } })
  return found.got === 'orders' ? [...found.addresses] : [found.message, found.hint]
}

describe('the orders that are meant', () => {
  test.each<[string, Partial<Meaning>, string[]]>([
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
    ['by their status', { allDoubts: true }, [...memories.keys()].slice(0, 4)],
    ['by time', { before: 1 }, ['still[AS-101,front]', 'still[AS-102,front]']],
    ['by time and name', { after: 1, words: ['*'] }, ['hero']],
    ['in full, whatever they are', { words: ['clip', 'voice'] }, ['clip', 'voice']],
  ])('%s', (_, meaning, addresses) => {
    expect(meant(meaning)).toEqual(addresses)
  })

  test.each<[string, Partial<Meaning>, (string | undefined)[]]>([
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
    expect(meant(meaning)).toEqual(told)
  })
})
