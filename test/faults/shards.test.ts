import { expect, test } from 'vitest'
import type { Shard } from '../../src/base/shard.ts'
import { divideJobs } from '../../src/plan/division/shards.ts'
import { runUnderClaim } from '../../src/run/run-under-claim.ts'
import { stateFolder } from '../../src/store/files/state-folder.ts'
import { readLock } from '../../src/store/lock/lock.ts'
import { mergeWorkspace } from '../../src/verbs/shards/merge.ts'
import { layoutOf } from '../../src/workspace/layout.ts'
import type { Setting, Workspace } from '../../src/workspace/workspace.ts'
import { sortOfJob } from './asked.ts'
import { type Life, livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import { playOut } from './process.ts'
import { account, type Breakage, openScene, place, type Scene, workspaceOf } from './scene.ts'
import { fair } from './weather.ts'

// Several shards beside each other on the virtual clock, any of which may die at any step, power cuts, other numbers of shards, and
// merges that die as well. The service's ledger knows what was bought.

interface Verdict {
  readonly faults: readonly string[]
  readonly deaths: number
  readonly charges: number
  readonly merges: number
}

/** On a machine of its own: whoever comes after it has to say that it is gone. */
function workplace(scene: Scene, life: Life, shard?: Shard): Workspace {
  const machine = machineFor(scene, { life, weather: fair, isElsewhere: true })
  const workspace = workspaceOf(scene, machine)
  if (!shard) return workspace
  const layout = layoutOf({ ...place, shard }, workspace.manifest, undefined, false)
  const division = divideJobs(workspace.manifest.jobs, shard.of)
  return {
    ...workspace,
    place: { ...place, shard },
    layout,
    folders: stateFolder(layout.state),
    shard: { ...shard, division },
  }
}

function begin(scene: Scene, life: Life, shard?: Shard) {
  scene.witness.begins({
    failedToo: false,
    resubmits: new Set(),
    retriesOf: address => scene.batch.jobOf(address).retries,
    numberOf: address => scene.batch.jobOf(address).count,
    asking: () => 99,
    isFurther: () => false,
    redoes: () => true,
    isPastDoubt: () => false,
  })
  const setting: Setting = {
    ...workplace(scene, life, shard),
    request: {
      manifest: 'sim.yaml',
      cwd: place.folder,
      service: account,
      takeClaim: true,
      emit: () => undefined,
      stop: new AbortController().signal,
    },
  }
  return runUnderClaim(setting)
}

async function history(seed: number, breakage?: Breakage): Promise<Verdict> {
  const scene = openScene(seed, { isUntouched: true, ...(breakage && { breakage }) })
  const { chance } = scene
  let merges = 0
  const lifeOf = (often: number) =>
    livesUntil(chance.hits(often) ? { diesAt: chance.whole(1, chance.pick([60, 120, 240])) } : {})
  const side = async (of: number, often: number) => {
    const shards = Array.from({ length: of }, (_, nth) => ({ nth: nth + 1, of }))
    const begun = shards.map(shard => {
      const life = lifeOf(often)
      return { life, task: begin(scene, life, shard) }
    })
    const results: unknown[] = []
    for (const { life, task } of begun) results.push(await playOut(scene, life, task))
    if (often > 0 && chance.hits(0.3)) scene.medium.cutPower(chance)
    return results
  }
  const merge = async (often: number) => {
    merges++
    const life = lifeOf(often)
    return playOut(scene, life, mergeWorkspace(workplace(scene, life), true))
  }
  for (let rounds = chance.whole(1, 4); rounds > 0; rounds--) {
    await side(chance.pick([1, 2, 3]), 0.6)
    scene.timeline.pass(chance.pick([500, 30_000, 7_200_000]))
    if (chance.hits(0.4)) await merge(0.5)
  }
  scene.service.finishAll()
  const faults: string[] = []
  const of = chance.pick([1, 2, 3])
  for (let nth = 0; nth < 3; nth++) await side(of, 0)
  // The records of a shard whose machine is gone stay once, for what may come from it.
  await merge(0)
  const merged = await merge(0)
  if (merged?.got !== 'merged') faults.push(`it is not merged: ${JSON.stringify(merged)}`)
  const before = scene.service.charges.length
  const last = livesUntil()
  const whole = await playOut(scene, last, begin(scene, last))
  // What it still owes is in doubt, and named: nothing is left to be bought.
  const exit = whole?.got === 'report' ? whole.report.exit : whole
  if (exit !== 0 && exit !== 1 && exit !== 3) faults.push(`the whole ends otherwise: ${JSON.stringify(exit)}`)
  return {
    faults: [...faults, ...judge(scene, before)],
    deaths: scene.counts.crashes,
    charges: before,
    merges,
  }
}

function judge(scene: Scene, before: number): string[] {
  const { charges } = scene.service
  const { jobs } = scene.batch.manifest()
  const faults: string[] = []
  if (charges.length > before) faults.push(`the whole ordered ${charges.length - before} after the merge`)
  for (const sort of new Set(charges.map(each => each.sort))) {
    const bought = charges.filter(each => each.sort === sort && each.ends !== 'rejected')
    const asked = jobs.filter(job => sortOfJob(job) === sort).length
    const again = jobs.some(job => sortOfJob(job) === sort && job.retries > 0)
    if (bought.length > asked && !again) faults.push(`${bought.length} bought of ${asked} asked for: ${sort}`)
  }
  const text = scene.medium.read(scene.layout.lock)
  const lock = readLock(Buffer.from(text ?? '').toString())
  const known = new Set(lock.got === 'lock' ? lock.lock.jobs.map(({ id }) => String(id)) : [])
  for (const { key, ends } of charges)
    if (ends !== 'rejected' && ends !== 'failed' && !known.has(key)) faults.push(`nobody knows of ${key}`)
  return faults
}

const seeds = Number(process.env.GENRUN_SHARD_SEEDS ?? 60)

test('whatever dies, however many shards there are: all that was bought is in one lock, and nothing twice', {
  timeout: 600_000,
}, async () => {
  const sum = { deaths: 0, charges: 0, merges: 0 }
  for (let seed = 1; seed <= seeds; seed++) {
    const { faults, deaths, charges, merges } = await history(seed)
    expect(faults, `seed ${seed}`).toEqual([])
    sum.deaths += deaths
    sum.charges += charges
    sum.merges += merges
  }
  console.log(sum)
  expect(Math.min(sum.deaths, sum.charges)).toBeGreaterThan(seeds)
})

/** Builds that are broken on purpose: each must be caught, or the zero above means nothing. */
const broken: readonly (readonly [name: string, breakage: Breakage])[] = [
  [
    'shards that do not see each other',
    machine => ({
      ...machine,
      disk: { ...machine.disk, list: path => machine.disk.list(path).filter(name => !name.includes('-of-')) },
    }),
  ],
  [
    'a medium that nothing is synced to',
    machine => ({ ...machine, disk: { ...machine.disk, sync: async () => undefined } }),
  ],
]

test.each(broken)('%s are caught', { timeout: 120_000 }, async (_, breakage) => {
  for (let seed = 1; seed <= 40; seed++) {
    const { faults } = await history(seed, breakage)
    if (faults.length > 0) return
  }
  expect.unreachable('nobody noticed')
})
