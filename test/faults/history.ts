import { type JobAddress, jobAddress } from '../../src/base/names.ts'
import { takeWord } from '../../src/plan/picks.ts'
import type { RunResult } from '../../src/run/run-under-claim.ts'
import type { Report } from '../../src/wording/report.ts'
import { familyNamed, familyOf } from './batch.ts'
import type { Chance } from './chance.ts'
import { goToOther } from './clones.ts'
import { isUnchanged, judgeEnd, judgeUnchanged } from './judge.ts'
import { clearTheWay, originOwing, settleDoubts } from './owner.ts'
import { act, actDuring, betweenRuns, counting, duringRuns, type Moment, momentOf } from './people.ts'
import { type Fortune, runOvertaken, runProcess } from './process.ts'
import { forgetUnnamed, lookAfterPowerCut } from './records.ts'
import { takeBackGivenUp } from './resubmitted.ts'
import { type Act, openScene, place, type Scene, type Staging } from './scene.ts'
import { fair } from './weather.ts'

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
  /** What people did between processes and during them. */
  readonly acts: number
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
  const { chance } = scene
  // Another take is ordered of what is there, or two have some of it each, which takes a while.
  const isLong = scene.redoes >= 0.2 || scene.isChained || scene.isTwinned
  // And another number is asked for, and the one before it again.
  const few = scene.isCounted ? { 1: 1, 2: 2, 4: 2, 6: 1 } : { 1: 3, 2: 3, 3: 2, 4: 1 }
  const lives = Number(chance.weighed(isLong ? { 4: 1, 6: 1, 8: 1 } : few))
  // In half of the histories nobody touches anything: what goes wrong then is not the user's doing.
  const hasPeople =
    scene.acts !== undefined || (!scene.isUntouched && chance.hits(scene.isCounted ? 0.8 : 0.5))
  scene.present.hasPeople = hasPeople
  const moments: Moment[] = []
  // Some clone it before there is anything.
  if (scene.isChained && chance.hits(0.6)) goToOther(scene)
  for (let nth = 0; nth < lives; nth++) {
    // Of what is lost, and bought again by a word, all is made anew that was made from it.
    if (hasPeople && !scene.isTwinned && chance.hits(0.2)) planAct(scene, moments)
    const result = await befallProcess(scene)
    if (!result && chance.hits(0.6)) cutPower(scene)
    scene.timeline.pass(chance.pick([500, 30_000, 7_200_000]))
    if (!hasPeople) continue
    moments.push(momentOf(scene))
    for (let acts = chance.pick([0, 1, 1, 2]); acts > 0; acts--)
      await act(scene, chance.weighed<Act>(scene.acts ?? (scene.isCounted ? counting : betweenRuns)), moments)
  }
}

/** Somebody does something while a process runs, or after it has died. */
function planAct(scene: Scene, moments: readonly Moment[]): void {
  const { chance, timeline } = scene
  const from = chance.branch()
  timeline.at(timeline.now() + chance.pick([1, 50, 500, 5000, 30_000]), () =>
    actDuring(scene, from.weighed<keyof typeof duringRuns>(duringRuns), moments),
  )
}

/** One process in this weather; some are overtaken by another. */
function befallProcess(scene: Scene): Promise<RunResult | undefined> {
  const { chance } = scene
  const fortune = { ...drawFortune(scene), ...(scene.present.hasPeople && drawRedo(scene)) }
  const resubmits = scene.present.hasPeople && chance.hits(scene.resubmits)
  if (!chance.hits(0.1)) return runProcess(scene, { ...fortune, ...(resubmits && { resubmits }) })
  const pausesAt = chance.whole(10, 80)
  const other = {
    ...drawFortune(scene),
    ...(chance.hits(0.7) && { pausesAt: chance.whole(10, 80) }),
  }
  return runOvertaken(scene, { ...fortune, pausesAt }, other)
}

function drawFortune({ chance, weather, diskTroubles, isCounted, isTwinned }: Scene): Fortune {
  // Of numbers it takes several runs that come to their ends until one asks for what failed before.
  if (isCounted && chance.hits(0.4)) return { weather: chance.pick([weather, fair]) }
  // Names are changed of what was made, and of what is made from that.
  if (isTwinned && chance.hits(0.6)) return { weather: fair, failedToo: true }
  const steps = chance.pick([40, 80, 120, 240])
  return {
    weather,
    ...(chance.hits(0.75) && { diesAt: chance.whole(1, steps) }),
    ...(chance.hits(diskTroubles) && { diskFails: drawDiskFails(chance) }),
    ...(chance.hits(0.15) && { failedToo: true }),
    ...(chance.hits(0.12) && { stopsAfter: chance.pick([10, 60, 500, 5000, 60_000]) }),
  }
}

/** Sometimes another take of a job is ordered, be it by the name of one. */
function drawRedo({ chance, batch, isCounted, redoes }: Scene): Pick<Fortune, 'redoes' | 'named'> {
  if (isCounted || !chance.hits(redoes)) return {}
  const job = chance.pick(batch.manifest().jobs)
  // Some name the take that they have before them.
  const named = chance.hits(0.4) && { named: jobAddress(takeWord(job.address)) }
  return { redoes: familyOf(job), ...named }
}

function drawDiskFails(chance: Chance): NonNullable<Fortune['diskFails']> {
  // Half of the time there is room elsewhere: by what is drawn already, so that other histories stay as they are.
  const where = (nth: number) => (nth % 2 === 0 ? { within: `${place.folder}/` } : {})
  if (chance.hits(0.2)) {
    const room = chance.whole(0, 5000)
    return { room, ...where(room) }
  }
  const from = chance.whole(1, 100)
  return { from, only: chance.hits(0.5), ...where(from) }
}

/** A name that nobody had synced yet is gone again, and its file is owed as before. */
function cutPower(scene: Scene): void {
  const { medium, chance, log } = scene
  medium.cutPower(chance)
  log('the power is cut')
  lookAfterPowerCut(scene)
  takeBackGivenUp(scene)
  // What a person threw away may have been all that was on the medium.
  if (scene.present.hasThrownAway) forgetUnnamed(scene)
}

/** Nothing goes wrong any more, and the user decides what is asked. */
async function calm(scene: Scene): Promise<void> {
  const peace: Fortune = { weather: fair, failedToo: true }
  scene.timeline.setWall(0)
  scene.service.finishAll()
  if (!(await runToTheEnd(scene, peace))) return
  cutPower(scene)
  // Refusals need not be synced: a doubt that they had ended may be there again.
  const cut = scene.medium.read(scene.layout.lock)
  const last = await runToTheEnd(scene, peace)
  judgeEnd(scene, last)
  // What found nothing to do after the power cut was the unchanged rerun; whatever else it was is followed by one.
  if (last && isUnchanged(scene, last, cut)) return
  const before = scene.medium.read(scene.layout.lock)
  judgeUnchanged(scene, await runProcess(scene, peace), before)
}

/** Reruns until nothing is left to do or to decide; the last result. */
async function runToTheEnd(scene: Scene, peace: Fortune): Promise<RunResult | undefined> {
  let rebuys = false
  let redoes: JobAddress | undefined
  // Some say it all in one command of the morning, and settle what is left.
  let resubmits = scene.present.hasPeople && scene.chance.hits(0.3)
  for (let nth = 0; ; nth++) {
    const result = await runProcess(scene, { ...peace, rebuys, resubmits, ...(redoes && { redoes }) })
    resubmits &&= scene.present.startsAnew
    // What is refused until a word more is said is said again with that word: all the other words stay.
    rebuys = rebuys && scene.present.startsAnew
    if (nth > 9) {
      scene.witness.accuse(`P3: it does not come to an end: ${JSON.stringify(result)}`)
      return undefined
    }
    if (result?.got !== 'report') {
      if (clearTheWay(scene) || scene.present.startsAnew) continue
      scene.witness.accuse(`P3: it comes to nothing: ${JSON.stringify(result)}`)
      return undefined
    }
    const hadDoubts = await settleDoubts(scene)
    const owing = originOwing(scene, result.report)
    if (!hadDoubts && owing === undefined && result.report.exit === 0) {
      if (!clearTheWay(scene)) return result
    } else if (result.report.exit === 7) {
      clearTheWay(scene)
    } else if (owing !== undefined) {
      scene.log(`the user asks ${owing}`)
      scene.present.origin = owing
    }
    rebuys = result.report.jobs.some(({ message }) => message?.includes('files are gone'))
    redoes = takenAndNeeded(result.report)
  }
}

/** A job whose result a person took though it is no media: what is made from it waits until there is another take. */
function takenAndNeeded({ jobs }: Report): JobAddress | undefined {
  const said = jobs.flatMap(
    ({ message }) => /of (\S+), which was taken as it came/.exec(message ?? '')?.[1] ?? [],
  )
  const [address] = said
  return address === undefined ? undefined : familyNamed(jobAddress(address))
}

function historyOf({ seed, batch, counts, witness, service }: Scene): History {
  const { jobs } = batch.manifest()
  return {
    seed,
    jobs: jobs.length,
    lives: counts.lives,
    crashes: counts.crashes,
    paid: witness.paid(),
    billed: service.charges.length,
    doubts: counts.doubts.size,
    woken: counts.woken,
    resumed: counts.resumed,
    hangs: counts.hangs,
    acts: counts.acts,
    accusations: witness.accusations,
  }
}
