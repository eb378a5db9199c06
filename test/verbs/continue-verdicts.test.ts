import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemDisk } from '../../src/store/files/disk.ts'
import { loadAll } from '../../src/store/verdicts/verdicts-file.ts'
import { writeVerdicts } from '../../src/store/verdicts/verdicts-lines.ts'
import type { PersonsVerdict, Verdicts } from '../../src/store/verdicts/verdicts-text.ts'
import { dying, goOn } from '../planning/dying.ts'
import { approvalIn, clipOfHero, heroManifest } from './approved-hero.ts'
import { type Bench, paidAt } from './bench.ts'
import { madeOnce } from './made.ts'

// What was decided about the results of a manifest goes along when it is renamed.

const tea = madeOnce(heroManifest, 2)

const verdictOn = (bench: Bench, address: string, more: Partial<PersonsVerdict> = {}) =>
  approvalIn(bench.read('m.lock.json'), address, more)

function judge(bench: Bench, name: 'm' | 'n', said: Omit<Verdicts, 'manifest'>): void {
  bench.write(`${name}.review.json`, writeVerdicts({ manifest: `${name}.yaml`, ...said }))
}

/** A manifest with another name and one more job, and what was said of its results under the former name. */
function renamed(said?: Omit<Verdicts, 'manifest'>): Bench {
  const bench = tea.copy()
  if (said) judge(bench, 'm', said)
  renameSync(join(bench.folder, 'm.yaml'), join(bench.folder, 'n.yaml'))
  bench.write('n.yaml', heroManifest + clipOfHero)
  return bench
}

const request = { manifest: 'n.yaml', continues: 'm.lock.json' }

test.each([
  ['lies there still', 'm.lock.json'],
  ['was moved along', 'n.lock.json'],
])('an approval counts under the new name as well, where the lock %s', async (_, lock) => {
  const verdict = verdictOn(tea.made, 'hero')
  const bench = renamed({ verdicts: [verdict] })
  renameSync(join(bench.folder, 'm.lock.json'), join(bench.folder, lock))
  const word = { manifest: 'n.yaml', continues: lock }
  // It is counted before it moves, and looking moves nothing.
  expect(bench.plan(word)).toMatchObject({ paid: 1 })
  expect(bench.has('m.review.json')).toBe(true)
  const before = paidAt(tea.gateway)
  expect(await bench.run({ ...word, yes: true })).toMatchObject({ report: { paid: 1, exit: 0 } })
  expect(paidAt(tea.gateway) - before).toBe(1)
  expect(bench.has('m.review.json')).toBe(false)
  expect(bench.read('n.review.json')).toBe(writeVerdicts({ manifest: 'n.yaml', verdicts: [verdict] }))
})

test('a pick that waits is carried out under the new name', async () => {
  const verdict = verdictOn(tea.made, 'hero#2')
  const { address, who, when, seen, of } = verdict
  const pick = { address, pick: 'take', who, when, seen, ...(of && { of }) } as const
  const bench = renamed({ verdicts: [verdict], picks: [pick] })
  expect(await bench.run({ ...request, yes: true })).toMatchObject({ report: { paid: 1, exit: 0 } })
  const had = tea.made.bytes('out/m/takes/hero.take2.png')
  expect(bench.bytes('out/n/hero.png').equals(had)).toBe(true)
  expect(bench.has('m.review.json')).toBe(false)
  expect(loadAll(join(bench.folder, 'n.review.json'), systemDisk)).toEqual({
    manifest: 'n.yaml',
    verdicts: [verdict],
  })
})

test('what stands under the new name already is merged with it, and the later of two counts', async () => {
  const [hero, take] = ['hero', 'hero#2'].map(address => verdictOn(tea.made, address))
  if (!hero || !take) throw new Error('none')
  const bench = renamed({ verdicts: [hero, { ...take, stars: 2 }] })
  const later = { ...take, stars: 5, when: '2026-03-02T09:30:00Z' }
  // A copy that somebody made by hand has the former name in it.
  bench.write('n.review.json', writeVerdicts({ manifest: 'm.yaml', verdicts: [later] }))
  await bench.run({ ...request, yes: true })
  expect(bench.has('m.review.json')).toBe(false)
  expect(bench.read('n.review.json')).toBe(writeVerdicts({ manifest: 'n.yaml', verdicts: [hero, later] }))
})

test('where they cannot be read nothing moves, and it is told', async () => {
  const bench = renamed()
  bench.write('m.review.json', '<<<<<<< ours\n')
  const before = paidAt(tea.gateway)
  const result = await bench.run({ ...request, yes: true })
  expect(result.got).toBe('damaged')
  expect(JSON.stringify(result)).toContain('m.review.json')
  expect(paidAt(tea.gateway)).toBe(before)
  expect(bench.read('m.review.json')).toBe('<<<<<<< ours\n')
  for (const name of ['m.lock.json', 'out/m', '.genrun/m']) expect(bench.has(name)).toBe(true)
  bench.remove('m.review.json')
  expect(await bench.run({ ...request, yes: true })).toMatchObject({ got: 'report', report: { paid: 0 } })
})

test('after a crash at any point the same command has all of both', async () => {
  const hero = verdictOn(tea.made, 'hero')
  const take = verdictOn(tea.made, 'hero#2', { stars: 3 })
  const both = () => {
    const bench = renamed({ verdicts: [hero] })
    judge(bench, 'n', { verdicts: [take] })
    return bench
  }
  const whole = dying(Number.POSITIVE_INFINITY)
  expect(await goOn(both(), whole.disk)).toBeUndefined()
  for (let last = 0; last < whole.changes(); last++) {
    const bench = both()
    await goOn(bench, dying(last).disk).catch(() => undefined)
    const said = ['m', 'n'].flatMap(
      name => loadAll(join(bench.folder, `${name}.review.json`), systemDisk).verdicts,
    )
    expect(said).toEqual(expect.arrayContaining([hero, take]))
    // While one is left, the lock is as well, and with it the word that goes on.
    if (bench.has('m.review.json')) expect(bench.has('m.lock.json')).toBe(true)
    const again = await goOn(bench, systemDisk)
    expect(again === undefined || (again as { got: string }).got === 'settled').toBe(true)
    expect(bench.has('m.review.json') || bench.has('m.lock.json')).toBe(false)
    expect(bench.read('n.review.json')).toBe(writeVerdicts({ manifest: 'n.yaml', verdicts: [hero, take] }))
  }
}, 60_000)
