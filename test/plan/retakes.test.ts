import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { DonePurchase, Purchase } from '../../src/base/purchase.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import type { Facts } from '../../src/plan/facts.ts'
import { planRequest } from '../../src/plan/request/planned.ts'
import { withoutPassedOver } from '../../src/plan/retakes.ts'
import { named } from '../store/records.ts'
import { digest, done, doubt, facts, failed, job, told } from './world.ts'

// What counts as a retake that was bought, and as a person's choice among them.

const hero = job('hero', { prompt: 'tea' }, { retakes: 1 })
const takeOf = (its: Job, take: number): Job => ({
  ...its,
  address: jobAddress(`${its.address}#${take}`),
  take,
})

/** What fails its looks. */
function broken(its: Job, rest: Partial<DonePurchase> = {}): DonePurchase {
  const found = [{ look: 'blank', verdict: 'fail', why: 'it is one color' }] as const
  const looked = { verdict: 'fail', found } as const
  return done(its, {
    files: [{ path: its.address, digest: digest(its.address), bytes: 1, type: 'image/png', looked }],
    ...rest,
  })
}

function steps(jobs: readonly Job[], purchases: readonly Purchase[], verdicts?: Facts['verdicts']): string[] {
  const picked = purchases.flatMap(each => (each.is === 'done' && each.picked ? [each.address] : []))
  const known = { ...facts({ purchases }), ...(verdicts && { verdicts }) }
  const outcome = planRequest({ jobs, picked }, known)
  return outcome.got === 'planned' ? told(outcome.plan.steps) : [outcome.got]
}

const other = { ...hero, address: jobAddress('other') }
const due = expect.stringContaining('asked for by `retakes`')

test.each([
  ['is there', broken(takeOf(hero, 2), { picked: true })],
  ['was put aside', broken(takeOf(hero, 2), { aside: true })],
  ['failed, and was billed', failed(takeOf(hero, 2))],
  ['is in doubt', doubt(takeOf(hero, 2))],
])('a retake that %s counts under whatever name', (_, second) => {
  const purchases = [broken(hero), second]
  expect(steps([hero], purchases)).not.toContainEqual(due)
  expect(steps([other], purchases)).not.toContainEqual(due)
  // Nor when its old name is that of a job which asks for something else.
  const pot = { ...hero, params: { prompt: 'mud' } }
  const its = broken(pot, { id: named('pot') })
  const potsOwn = broken(takeOf(pot, 2), { id: named('pot-2') })
  expect(steps([other, pot], [...purchases, its, potsOwn])).not.toContainEqual(due)
})

test('what was not billed, and what a twin bought, are no retakes of it', () => {
  expect(steps([other], [broken(hero), failed(takeOf(hero, 2), { billed: 'no' })])).toContainEqual(due)
  const twin = { ...hero, address: jobAddress('twin') }
  const its = [broken(twin), failed(takeOf(twin, 2))]
  expect(steps([hero, twin], [broken(hero), ...its])).toEqual([
    'keep hero',
    expect.stringMatching(/^buy hero#2 again: asked for by `retakes`/),
    'keep twin',
  ])
})

test.each([
  ['approved', ['hero#2'], false],
  ['rejected', ['hero#2'], true],
  ['approved', ['something else'], true],
] as const)('a take that is %s by what was seen (%s): another is due: %s', (is, seen, isDue) => {
  const both = [broken(hero), broken(takeOf(hero, 2), { picked: true })]
  const verdict = { is, who: 'Lead', when: '2026-03-01T09:30:00Z', seen: seen.map(digest) }
  const verdicts: Facts['verdicts'] = {
    on: address => (address === 'hero#2' ? { address, ...verdict } : undefined),
    hasMoved: () => false,
  }
  const found = steps([{ ...hero, retakes: 3 }], both, verdicts)
  expect(found.some(step => step.startsWith('buy hero#3'))).toBe(isDue)
})

test('nothing is ordered anew where nobody can read what was approved', () => {
  expect(steps([hero], [broken(hero)], { unread: 'damaged' })).toEqual(['keep hero'])
})

test.each([
  ['the newest, which a run picks', [false, true], true],
  ['the newest, by a person', [false, 'byHand'], false],
  ['an older one', [true, false], false],
] as const)('of two retakes %s is picked', (_, [second, third], isDue) => {
  const pick = (is: boolean | 'byHand') => ({
    ...(is !== false && { picked: true as const }),
    ...(is === 'byHand' && { byHand: true as const }),
  })
  const takes = [broken(takeOf(hero, 2), pick(second)), broken(takeOf(hero, 3), pick(third))]
  const late = job('late', { prompt: 'later' }, { needs: [hero.address] })
  const all = [broken(hero), ...takes]
  expect(steps([{ ...hero, retakes: 3 }], all).some(step => step.startsWith('buy hero#4'))).toBe(isDue)
  const held = steps([late, { ...hero, retakes: 2 }], all).filter(step => step.includes('late'))
  expect(held).toEqual([isDue ? 'hold late: unapproved' : 'buy late: not made yet'])
})

test('a take that came, and whose date only the journal has, is passed over by an approval that came since its order', () => {
  const [first, second] = [done(hero), done(takeOf(hero, 2), { redo: true })]
  const seen = first.files.map(each => each.digest)
  const verdict = { is: 'approved', who: 'Lead', when: '2026-03-01T09:30:00Z', seen } as const
  const verdicts = {
    on: (address: string) => (address === hero.address ? { ...verdict, address: hero.address } : undefined),
    hasMoved: () => false,
  }
  const isToBePicked = (orderedAt: string) => {
    const dates = new Map([[second.id, Date.parse(orderedAt)]])
    return withoutPassedOver([first, second], verdicts, dates).some(({ redo }) => redo)
  }
  expect(isToBePicked('2026-03-01T09:00:00Z')).toBe(false)
  expect(isToBePicked('2026-03-01T10:00:00Z')).toBe(true)
})
