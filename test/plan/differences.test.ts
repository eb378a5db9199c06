import { expect, test } from 'vitest'
import { type Digest, jobAddress } from '../../src/base/names.ts'
import type { Purchase } from '../../src/base/purchase.ts'
import type { SavedFile } from '../../src/base/state.ts'
import { named } from '../store/records.ts'
import { digest, done, failed, job, planned, recipeOf, running } from './world.ts'

// A clip of `jobs.hero.pick` that was made once, and no take of hero is picked by now.

const hero = job('hero')
const second = job('hero#2', undefined, { take: 2 })
const clip = job(
  'clip',
  { prompt: 'push in' },
  {
    files: { ['/startFrame' as never]: [{ from: 'job', address: jobAddress('hero'), nth: 'pick' }] },
    needs: [jobAddress('hero')],
  },
)
const [put, one, two] = [digest('put aside'), digest('one'), digest('two')]
const of = (is: Digest): { files: SavedFile[] } => ({
  files: [{ path: 'hero.png', digest: is, bytes: 1, type: 'image/png' }],
})
const clipOf = (input: string) =>
  done(clip, { recipe: recipeOf(clip, { ['/startFrame' as never]: [input] }) })
const [first, other] = [done(hero, of(one)), done(second, of(two))]

test.each<[string, string, readonly Purchase[], 'hold clip: unpicked' | 'keep clip']>([
  ['all takes are there, and others', put, [first, other], 'hold clip: unpicked'],
  ['another is there, and one on its way', put, [first, running(second)], 'hold clip: unpicked'],
  ['another is there, and one to be bought', put, [first], 'hold clip: unpicked'],
  ['it is made from the first that is there', one, [first, other], 'keep clip'],
  ['it is made from the second that is there', two, [first, other], 'keep clip'],
  ['another is there, and one that failed', put, [first, failed(second)], 'keep clip'],
  ['all failed', put, [failed(hero), failed(second)], 'keep clip'],
  ['it was ordered before what it is made from was there', 'unmade', [first, other], 'keep clip'],
])('where %s', (_, input, takes, step) => {
  const told = (jobs = [hero, second, clip]) => planned(jobs, [...takes, clipOf(input)])
  expect(told()).toContain(step)
  // Wherever it stands in the manifest.
  expect(told([clip, hero, second])).toContain(step)
})

test('what waits for a pick leaves its clip to nobody else, and buys nothing', () => {
  const steps = planned([clip, hero, second], [first, other, clipOf(put)])
  expect(steps).toEqual(['keep hero', 'hold clip: unpicked', 'keep hero#2'])
})

test('a take that nobody asks for, and that it is made from, keeps it', () => {
  const third = job('hero#3', undefined, { take: 3 })
  const taken = done(third, { ...of(put), id: named('third') })
  const further = new Set([third.address])
  const steps = planned([hero, second, clip, third], [first, other, taken, clipOf(put)], {}, { further })
  expect(steps).toContain('keep clip')
})
