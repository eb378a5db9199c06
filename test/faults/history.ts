import type { RunResult } from '../../src/desk/carry/under-claim.ts'
import type { Chance } from './chance.ts'
import { chargesOnDisk, judgeEnd, judgeUnchanged } from './judge.ts'
import type { DiskFails } from './medium.ts'
import { editBatch, settleDoubts } from './owner.ts'
import { type Fortune, runOvertaken, runProcess } from './process.ts'
import { openScene, type Scene, type Staging } from './scene.ts'
import { fair, type Weather } from './weather.ts'

/** What one seed came to. */
export interface History {
  readonly seed: number
  readonly jobs: number
  /** Processes, the crashed ones included. */
  readonly lives: number
  readonly crashes: number
  /** Paid requests of which a byte left. */
  readonly paid: number
  /** Orders that the service accepted. */
  readonly billed: number
  /** Jobs that the user had to decide about. */
  readonly doubts: number
  /** Processes that were paused, lost their claim and went on. */
  readonly woken: number
  /** Downloads that went on with what an earlier process had. */
  readonly resumed: number
  readonly hangs: number
  /** Everything that must not have happened, in words that begin with the promise's number. */
  readonly accusations: readonly string[]
}

/** The same with a first run of this fortune; the number is how often the disk failed. */
export async function liveThrough(seed: number, fortune: Fortune): Promise<[History, number]> {
  const scene = openScene(seed, {})
  await runProcess(scene, fortune)
  await calm(scene)
  return [historyOf(scene), scene.counts.diskTroubles]
}

/**
 * One batch from its first run to its end: through crashes, lost answers and failing disks at first, then in fair
 * weather, where everything that was paid for must turn up. The same for one seed.
 */
export async function live(seed: number, staging: Staging = {}): Promise<History> {
  const scene = openScene(seed, staging)
  await storm(scene)
  await calm(scene)
  return historyOf(scene)
}

async function storm(scene: Scene): Promise<void> {
  const { chance, medium, layout } = scene
  const lives = Number(chance.weighed({ 1: 3, 2: 3, 3: 2, 4: 1 }))
  const mishap = chance.weighed({
    none: 12,
    'lock lost': 2,
    'lock rolled back': 2,
    'journal lost': 2,
    edits: 4,
  })
  const locks: Buffer[] = []
  for (let nth = 0; nth < lives; nth++) {
    const result = await befallProcess(scene)
    if (!result && chance.hits(0.6)) cutPower(scene)
    scene.timeline.pass(chance.pick([500, 30_000, 7_200_000]))
    const lock = medium.read(layout.lock)
    if (lock) locks.push(lock)
    if (mishap !== 'none' && chance.hits(0.5)) befall(scene, { mishap, result, locks })
  }
}

/** One process in this weather; some are overtaken by another. */
function befallProcess(scene: Scene): Promise<RunResult | undefined> {
  const { chance, weather } = scene
  const fortune = drawFortune(chance, weather)
  if (!chance.hits(0.1)) return runProcess(scene, fortune)
  const pausesAt = chance.whole(10, 80)
  const other = {
    ...drawFortune(chance, weather),
    ...(chance.hits(0.7) && { pausesAt: chance.whole(10, 80) }),
  }
  return runOvertaken(scene, { ...fortune, pausesAt }, other)
}

function drawFortune(chance: Chance, weather: Weather): Fortune {
  const steps = chance.pick([40, 80, 120, 240])
  return {
    weather,
    ...(chance.hits(0.75) && { diesAt: chance.whole(1, steps) }),
    ...(chance.hits(0.15) && { diskFails: drawDiskFails(chance) }),
    ...(chance.hits(0.15) && { failedToo: true }),
    ...(chance.hits(0.12) && { stopsAfter: chance.pick([10, 60, 500, 5000, 60_000]) }),
  }
}

function drawDiskFails(chance: Chance): DiskFails {
  if (chance.hits(0.2)) return { room: chance.whole(0, 5000) }
  return { from: chance.whole(1, 100), only: chance.hits(0.5) }
}

function cutPower(scene: Scene): void {
  const { medium, service, chance, log } = scene
  const before = chargesOnDisk(scene)
  medium.cutPower(chance)
  log('the power is cut')
  const after = chargesOnDisk(scene)
  // A name that nobody had synced yet is gone again, and its file is owed as before.
  for (const id of before) {
    const charge = service.chargeOf(id)
    if (charge && !after.has(id)) charge.isDelivered = false
  }
}

interface Mishap {
  readonly mishap: 'lock lost' | 'lock rolled back' | 'journal lost' | 'edits'
  readonly result: RunResult | undefined
  /** As it stood after each life. */
  readonly locks: readonly Buffer[]
}

/** What happens to files while no process is there. */
function befall(scene: Scene, { mishap, result, locks }: Mishap): void {
  const { medium, layout, chance, log } = scene
  switch (mishap) {
    case 'edits':
      return editBatch(scene)
    case 'lock lost':
      log(mishap)
      return medium.drop(layout.lock)
    case 'lock rolled back':
      log(mishap)
      if (locks.length > 0) medium.put(layout.lock, chance.pick(locks))
      return
    case 'journal lost': {
      // A fresh checkout has the lock alone, as a run left it that came to its end.
      if (result?.got !== 'report' || result.report.damage !== undefined) return
      log(mishap)
      scene.counts.forgotten++
      for (const path of medium.files().keys()) if (path.startsWith(layout.state)) medium.drop(path)
      const lock = medium.read(layout.lock)
      if (lock) medium.put(layout.lock, lock)
    }
  }
}

/** Nothing goes wrong any more, and the user decides what is asked. */
async function calm(scene: Scene): Promise<void> {
  const peace: Fortune = { weather: fair, failedToo: true }
  scene.service.finishAll()
  if (!(await runToTheEnd(scene, peace))) return
  cutPower(scene)
  // Refusals need not be synced: a doubt that they had ended may be there again.
  judgeEnd(scene, await runToTheEnd(scene, peace))
  if (scene.chance.hits(0.7)) return
  const before = scene.medium.read(scene.layout.lock)
  judgeUnchanged(scene, await runProcess(scene, peace), before)
}

/** Reruns until nothing is left to do or to decide; the last result. */
async function runToTheEnd(scene: Scene, peace: Fortune): Promise<RunResult | undefined> {
  for (let nth = 0; ; nth++) {
    const result = await runProcess(scene, peace)
    if (result?.got !== 'report' || nth > 6) {
      scene.witness.accuse(`P3: it does not come to an end: ${JSON.stringify(result)}`)
      return undefined
    }
    const hadDoubts = await settleDoubts(scene, result.report)
    // After an edit a run that was under way comes first, and then what is asked for now.
    const isDone = scene.batch.isEdited() ? result.report.requests === 0 : result.report.exit === 0
    if (!hadDoubts && isDone) return result
  }
}

function historyOf({ seed, batch, counts, witness, service }: Scene): History {
  const { jobs } = batch.manifest()
  return {
    seed,
    jobs: jobs.length,
    lives: counts.lives,
    crashes: counts.crashes,
    paid: witness.paid(),
    billed: jobs.reduce((sum, job) => sum + service.chargesOf(job.address).length, 0),
    doubts: counts.doubts.size,
    woken: counts.woken,
    resumed: counts.resumed,
    hangs: counts.hangs,
    accusations: witness.accusations,
  }
}
