// The part of a job's files that one of its orders brings.
import { expect, test } from 'vitest'
import { jobAddress, type Pointer } from '../../../src/base/names.ts'
import { findModel, type Model } from '../../../src/catalog/index.ts'
import type { FileRef, Job } from '../../../src/manifest/shapes/job.ts'
import { broughtBy, furtherRest, redirected, shortBy } from '../../../src/plan/shapes/share.ts'
import { job } from '../world.ts'

const model = findModel('fama-imagine-image') as Model // it is in the catalog

/** So many pictures; of the model's numbers, which are 1, 2 and 4. */
function pictures(count: number, more: Partial<Job> = {}): Job {
  return job('hero', { prompt: 'tea', count }, { model, count, mode: 'execute', ...more })
}

test.each<[string, Partial<Job>, number, [string, number, number | undefined] | undefined]>([
  ['all came', { count: 4 }, 4, undefined],
  ['one of four came, and no order brings three', { count: 4 }, 1, ['hero+2', 2, undefined]],
  ['both of that came: one is left', { count: 2, share: { from: 1, of: 4 } }, 2, ['hero+4', 1, undefined]],
  ['another order brings what is behind', { count: 2, share: { from: 1, of: 4, until: 3 } }, 2, undefined],
  [
    'others brought more than is asked for: the next plan moves that up',
    { count: 2, share: { from: 0, of: 2, hasMore: true } },
    1,
    undefined,
  ],
  ['it came short before that one', { count: 2, share: { from: 1, of: 4, until: 3 } }, 1, ['hero+3', 1, 3]],
])('after an order the rest is ordered in the same run: %s', (_, its, got, expected) => {
  const more = furtherRest({ ...pictures(4, { shortDelivery: 'top-up' }), ...its }, got)
  expect(more && [more.address, more.count, more.share?.until]).toEqual(expected)
})

test('an order is short by what nothing else brings', () => {
  const share = { from: 0, of: 4, until: 1 }
  expect(shortBy({ ...pictures(4), share }, 1)).toBeUndefined()
  expect(shortBy({ ...pictures(4), share: { from: 0, of: 4 } }, 1)).toEqual({ asked: 4, got: 1 })
})

test.each([
  ['hero', 0, 'hero', 0],
  ['hero', 1, 'hero+2', 0],
  ['hero', 2, 'hero+2', 1],
  ['hero', 3, 'hero+4', 0],
  ['hero+2', 2, 'hero+4', 0],
  ['hero', 4, 'hero', 4],
  ['other', 1, 'other', 1],
])('file %s %i is that of the order that brought it', (address, nth, its, itsNth) => {
  const came: { readonly [address: string]: number } = { hero: 1, 'hero+2': 2, 'hero+4': 1 }
  const made = (each: string) =>
    each in came ? { files: Array.from({ length: came[each] ?? 0 }) } : undefined
  const ref: FileRef = { from: 'job', address: jobAddress(address), nth }
  expect(broughtBy(ref, made)).toEqual({ ...ref, address: its, nth: itsNth })
})

test('who uses a file of another order needs that one, too', () => {
  const startFrame = '/startFrame' as Pointer
  const ref = (address: string): FileRef => ({ from: 'job', address: jobAddress(address), nth: 0 })
  const clip = job('clip', {}, { files: { [startFrame]: [ref('hero')] }, needs: [jobAddress('hero')] })
  const { files, needs } = redirected(clip, () => ref('hero+2'))
  expect([files, needs]).toEqual([{ [startFrame]: [ref('hero+2')] }, ['hero', 'hero+2']])
})
