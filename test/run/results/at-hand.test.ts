import { expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import type { RunningPurchase } from '../../../src/base/purchase.ts'
import type { Task } from '../../../src/engine/world.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import { withPartsAtHand } from '../../../src/run/results/at-hand.ts'
import { digestBytes } from '../../../src/store/files/digest.ts'
import type { ReadReply, Wire } from '../../../src/wire/http/wire.ts'
import { memoryDisk, place } from '../../store/memory-disk.ts'
import { named, recipe, run, saved } from '../../store/records.ts'

const address = jobAddress('hero')
const of = run('r1')
const refused = (status: number): ReadReply => ({
  got: 'trouble',
  failure: { why: 'refused', status, detail: '' },
})
const found: ReadReply = { got: 'files', files: [{ from: 'link', url: 'part:0' }] }
const { signal } = new AbortController()

/** What is told of a run whose one file was saved as `whole`, where its part says something by now. */
async function told(reply: ReadReply, there: string | undefined, { count = 1, asked = of } = {}) {
  const disk = memoryDisk()
  if (there !== undefined) await place(disk, '/out/a.part', there)
  const file = { ...saved('hero.png', 'a'), digest: digestBytes('whole') }
  const purchase: RunningPurchase = {
    ...{ is: 'under-way', id: named('k1'), address, recipe, run: of, parts: [] },
    saved: [{ nth: 0, file, part: 'a.part' }],
  }
  const task = { purchase: purchase.id, job: { address, count } as Job } as Task
  const parts = { find: (part: string) => (there === undefined ? undefined : `/out/${part}`) }
  const service: Pick<Wire, 'read'> = { read: async () => reply }
  return withPartsAtHand(service, [purchase], { tasks: [task], parts, disk }).read(asked, signal)
}

test.each([404, 410])('a run that nobody knows (%i) has the files that are here whole', async status => {
  expect(await told(refused(status), 'whole')).toEqual(found)
})

test.each<[string, Parameters<typeof told>]>([
  ['its part was altered', [refused(404), 'altered']],
  ['its part is gone', [refused(404), undefined]],
  ['more files were ordered', [refused(404), 'whole', { count: 2 }]],
  ['another run is asked for', [refused(404), 'whole', { asked: run('r2') }]],
  ['the service only turns it away', [refused(403), 'whole']],
  ['the service has an answer', [{ got: 'pending' }, 'whole']],
])('where %s the service has the word', async (_, [reply, ...rest]) => {
  expect(await told(reply, ...rest)).toEqual(reply)
})

test('a wire for which nothing is here stays as it is', () => {
  const wire = { read: async () => refused(404) }
  expect(withPartsAtHand(wire, [], { tasks: [], parts: { find: () => undefined }, disk: memoryDisk() })).toBe(
    wire,
  )
})
