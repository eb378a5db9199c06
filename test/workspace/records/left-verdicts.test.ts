import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { purchaseId, sha256Digest } from '../../../src/base/names.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { loadAll } from '../../../src/store/verdicts/verdicts-file.ts'
import { writeVerdicts } from '../../../src/store/verdicts/verdicts-lines.ts'
import type { PersonsVerdict, Verdicts } from '../../../src/store/verdicts/verdicts-text.ts'
import { planManifest } from '../../../src/verbs/plan.ts'
import { reviewOf, reviewToDecide } from '../../../src/verbs/review.ts'
import { approvalIn, clipOfHero, heroManifest } from '../../verbs/approved-hero.ts'
import { type Bench, paidAt } from '../../verbs/bench.ts'
import { madeOnce } from '../../verbs/made.ts'

// An earlier genrun went on with a manifest under another name, and left what was decided under the former one.

const tea = madeOnce(heroManifest, 2)
const request = { manifest: 'n.yaml' }

const verdictOn = (address: string, more: Partial<PersonsVerdict> = {}) =>
  approvalIn(tea.made.read('m.lock.json'), address, more)

/** What was renamed is gone on with, and these files of verdicts lie there. */
async function leftBehind(files: { readonly [name: string]: Omit<Verdicts, 'manifest'> }): Promise<Bench> {
  const bench = tea.copy()
  renameSync(join(bench.folder, 'm.yaml'), join(bench.folder, 'n.yaml'))
  await bench.run({ ...request, continues: 'm.lock.json' })
  bench.write('n.yaml', heroManifest + clipOfHero)
  for (const [stem, said] of Object.entries(files))
    bench.write(`${stem}.review.json`, writeVerdicts({ manifest: `${stem}.yaml`, ...said }))
  return bench
}

const saidNow = (bench: Bench) => loadAll(join(bench.folder, 'n.review.json'), systemDisk)

test('an approval that was left behind counts in plans and on the page, and the next run moves it', async () => {
  const bench = await leftBehind({ m: { verdicts: [verdictOn('hero')] } })
  expect(bench.plan(request)).toMatchObject({ paid: 1 })
  const review = reviewOf({ ...request, cwd: bench.folder })
  expect(review).toMatchObject({ verdicts: [{ address: 'hero', is: 'approved' }] })
  expect([bench.has('m.review.json'), bench.has('n.review.json')]).toEqual([true, false])
  const before = paidAt(tea.gateway)
  expect(await bench.run(request)).toMatchObject({ report: { paid: 1, exit: 0 } })
  expect(paidAt(tea.gateway) - before).toBe(1)
  expect(bench.has('m.review.json')).toBe(false)
  expect(saidNow(bench)).toEqual({ manifest: 'n.yaml', verdicts: [verdictOn('hero')] })
})

test('a pick that was left behind is carried out', async () => {
  const { is: _, ...take } = verdictOn('hero#2')
  const bench = await leftBehind({
    m: { verdicts: [verdictOn('hero#2')], picks: [{ ...take, pick: 'take' }] },
  })
  expect(bench.plan(request)).toMatchObject({ paid: 1 })
  expect(await bench.run(request)).toMatchObject({ report: { paid: 1, exit: 0 } })
  expect(bench.bytes('out/n/hero.png').equals(tea.made.bytes('out/m/takes/hero.take2.png'))).toBe(true)
  expect(saidNow(bench)).toEqual({ manifest: 'n.yaml', verdicts: [verdictOn('hero#2')] })
})

test('of what was decided under both names the later counts, and who decides has all of it in one file', async () => {
  const later = verdictOn('hero', { is: 'rejected', when: '2026-03-02T09:30:00Z' })
  const bench = await leftBehind({
    m: { verdicts: [verdictOn('hero'), verdictOn('hero#2')] },
    n: { verdicts: [later] },
  })
  expect(bench.plan(request)).toMatchObject({ paid: 0 })
  expect(await reviewToDecide({ ...request, cwd: bench.folder })).toMatchObject({
    verdicts: [
      { address: 'hero', is: 'rejected' },
      { address: 'hero#2', is: 'approved' },
    ],
  })
  expect(bench.has('m.review.json')).toBe(false)
  expect(saidNow(bench).verdicts).toEqual([later, verdictOn('hero#2')])
})

test('what names no purchase that is known stays, and plans and runs tell where it lies', async () => {
  const { of: _, ...verdict } = verdictOn('hero')
  const bench = await leftBehind({ m: { verdicts: [verdict] } })
  const told = { code: 'left-verdicts', severity: 'warning' }
  expect(planManifest({ ...request, cwd: bench.folder })).toMatchObject({ warnings: [told] })
  expect(reviewOf({ ...request, cwd: bench.folder })).toMatchObject({ verdicts: [], unclear: [told] })
  expect(await bench.run(request)).toMatchObject({ problems: [told], report: { paid: 0, exit: 4 } })
  expect(bench.has('m.review.json')).toBe(true)
})

test.each<[string, (bench: Bench) => void]>([
  ['whose manifest is there', bench => bench.write('m.yaml', heroManifest)],
  ['whose lock is there', bench => bench.write('m.lock.json', '')],
  ['that is damaged', bench => bench.write('m.review.json', '<<<<<<< ours\n')],
  [
    'about other results',
    bench => {
      const [seen, of] = [[sha256Digest('0'.repeat(64))], purchaseId('0'.repeat(32))]
      const verdict = verdictOn('hero', { seen, ...(of && { of }) })
      bench.write('m.review.json', writeVerdicts({ manifest: 'm.yaml', verdicts: [verdict] }))
    },
  ],
])('one %s is not taken', async (_, make) => {
  const bench = await leftBehind({ m: { verdicts: [verdictOn('hero')] } })
  make(bench)
  const said = bench.read('m.review.json')
  expect(bench.plan(request)).toMatchObject({ paid: 0 })
  expect(await bench.run(request)).toMatchObject({ problems: [] })
  expect([bench.read('m.review.json'), bench.has('n.review.json')]).toEqual([said, false])
})
