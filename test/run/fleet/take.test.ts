import { expect, test } from 'vitest'
import type { JobAddress, Pointer } from '../../../src/base/names.ts'
import type { DonePurchase } from '../../../src/base/purchase.ts'
import type { HandedWork } from '../../../src/fleet/works.ts'
import type { FileRef } from '../../../src/manifest/shapes/job.ts'
import { draftRecipe } from '../../../src/plan/shapes/recipe.ts'
import type { Hands } from '../../../src/run/fleet/desk.ts'
import { shortNeed, take } from '../../../src/run/fleet/take.ts'
import { fleetTask } from '../../../src/run/planner/fleet-job.ts'
import { handClock } from '../../engine/fake.ts'
import { job } from '../../plan/world.ts'

const at = (address: string, nth: number | 'pick'): FileRef => ({
  from: 'job',
  address: address as JobAddress,
  nth,
})

const still = 'still' as JobAddress
const startFrame = '/startFrame' as Pointer

/** As much of a result as counts here. */
const withFiles = (many: number) =>
  ({ files: Array.from({ length: many }, () => ({})) }) as unknown as DonePurchase

test.each<[string, readonly FileRef[], number | undefined, string | undefined]>([
  ['what is done and has the file is not short', [at('still', 1)], 2, undefined],
  ['what is done without the file is short', [at('still', 0), at('still', 1)], 1, 'still'],
  ['of what is not done yet nobody knows', [at('still', 1)], undefined, undefined],
  ['of what nothing is known to be done nobody knows', [at('other', 1)], 1, undefined],
  [
    'links, paths and picks lack nothing',
    [{ from: 'path', path: 'a.png' }, at('still', 'pick')],
    1,
    undefined,
  ],
])('%s', (_, refs, many, need) => {
  const clip = { ...job('clip', {}), files: { [startFrame]: refs } }
  const made = many === undefined ? {} : { [still]: withFiles(many) }
  expect(shortNeed({ job: clip, made })).toBe(need)
})

/** A clip of the second file of a still that came with one, handed to a worker. */
async function taken(more: Partial<HandedWork>) {
  const clip = job('clip', { prompt: 'tea' }, { files: { [startFrame]: [at('still', 1)] }, needs: [still] })
  const work: HandedWork = {
    ...{
      address: clip.address,
      identity: 'clip#1',
      queue: 'q',
      needs: clip.needs,
      ended: null,
      standing: null,
    },
    task: fleetTask(clip, { recipe: draftRecipe(clip, () => undefined).recipe, price: 0, made: {} }),
    made: { [still]: withFiles(1) },
    waits: false,
    ...more,
  }
  const told: unknown[] = []
  const store = { end: async (...end: unknown[]) => void told.push(end) }
  const manifest = { file: clip.at.file, jobs: [clip] }
  const setting = { manifest, machine: { clock: handClock() } }
  const tell = (text: string) => void told.push(text)
  const hands = {
    desk: { setting, fleet: { store }, records: {}, big: new Set(), tell },
    orders: { want: () => undefined, forget: () => undefined },
    bench: { setting: { request: { stop: new AbortController().signal } } },
    ...{ at: new Set(), drafts: new Map() },
  } as unknown as Hands // as much as is asked for before anything is brought
  return { came: await take('b', work, hands), told }
}

test('a job whose file did not come is skipped because of its need', async () => {
  const skipped = { is: 'skipped', because: { why: 'needs', address: 'still' } }
  expect(await taken({})).toEqual({ came: 'settled', told: [['b', ['clip'], skipped]] })
})

test('it is not skipped while what it needs is to be made anew', async () => {
  expect(await taken({ waits: true })).toEqual({ came: 'again', told: [] })
})
