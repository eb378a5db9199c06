import { setMaxListeners } from 'node:events'
import type { JobAddress } from '../../src/base/names.ts'
import type { RunRef } from '../../src/base/state.ts'
import { deadlineMs } from '../../src/engine/deadlines.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { restBase } from '../../src/plan/shapes/share.ts'
import { type RunResult, runUnderClaim } from '../../src/run/run-under-claim.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import type { Setting } from '../../src/workspace/workspace.ts'
import { sortOfJob, takeIn, withoutTake, wordsOf, wordsOfJob } from './asked.ts'
import { familyNamed } from './batch.ts'
import { isHolder } from './holder.ts'
import { isPaidElsewhere, judgeFiles, judgeForeign, judgeResult } from './judge.ts'
import { type Life, livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import type { DiskFails } from './medium.ts'
import { doubtsIn, failedIn, foreignIn, recordsIn } from './records.ts'
import { judgeGivenUp } from './resubmitted.ts'
import { account, place, type Scene, workspaceOf } from './scene.ts'
import { isOwed } from './service.ts'
import type { Weather } from './weather.ts'
import { type Attempt, type Doing, isWaited, type Ordering } from './witness.ts'

/** What befalls one process. */
export interface Fortune {
  readonly weather: Weather
  /** The step before which it dies; never when there is none. */
  readonly diesAt?: number
  /** The step from which on it stands still. Meanwhile another takes its claim, and then it is woken. */
  readonly pausesAt?: number
  /** It runs on another machine than those before it, and takes the claim over, whoever has it. */
  readonly takesClaim?: boolean
  readonly diskFails?: DiskFails & { readonly within?: string }
  /** The user orders again what failed. */
  readonly failedToo?: boolean
  /** What is in doubt is ordered anew by the run itself. */
  readonly resubmits?: boolean
  /** The user pays again for what is gone and cannot be fetched. */
  readonly rebuys?: boolean
  /** The user orders another take of this job. */
  readonly redoes?: JobAddress
  /** Of that job this one take is named. */
  readonly named?: JobAddress
  /** Milliseconds until the first stop signal. */
  readonly stopsAfter?: number
}

/** One `genrun run`, judged; its result, or undefined when it did not live to have one. */
export async function runProcess(scene: Scene, fortune: Fortune): Promise<RunResult | undefined> {
  const begun = begin(scene, fortune)
  const result = await playOut(scene, begun.life, begun.task)
  // Where the project takes nothing more, the lock goes elsewhere, and the next process reads it there.
  if (result?.got === 'report' && fortune.diskFails?.within) scene.witness.keeps(begun.doing)
  return judged(scene, result)
}

/**
 * Two: the first stands still somewhere, the second takes its claim over and stands still as well, the first wakes and
 * comes to its end, and then the second does. The result is the second's; what the first says at its end is about a
 * world that has gone on without it.
 */
export async function runOvertaken(
  scene: Scene,
  first: Fortune,
  second: Fortune,
): Promise<RunResult | undefined> {
  const slow = begin(scene, first)
  const early = await playOut(scene, slow.life, slow.task)
  if (!slow.life.isPaused()) return judged(scene, early)
  judgeFiles(scene)
  const quick = begin(scene, { ...second, takesClaim: true })
  const before = await playOut(scene, quick.life, quick.task)
  if (!quick.life.isPaused()) judged(scene, before)
  await wake(scene, slow)
  judgeFiles(scene)
  if (!quick.life.isPaused()) return before
  // It may have given its claim back before it stood still: then the first was free to go on, and did.
  const isPast = !isHolder(scene, quick.life)
  const late = await wake(scene, quick)
  judgeFiles(scene)
  return isPast ? late : judged(scene, late)
}

interface Begun {
  readonly life: Life
  readonly doing: Doing
  readonly task: Promise<RunResult>
}

function begin(scene: Scene, fortune: Fortune): Begun {
  const { witness, batch, log } = scene
  const { failedToo = false, rebuys = false, diesAt, pausesAt } = fortune
  const life = livesUntil({
    ...(diesAt !== undefined && { diesAt }),
    ...(pausesAt !== undefined && { pausesAt }),
  })
  const { jobs } = batch.manifest()
  scene.present.isMeddledWith = false
  scene.present.isSelective = fortune.redoes !== undefined
  scene.present.redoes = fortune.redoes
  scene.present.hasDiskFailed = false
  scene.present.isComplete = false
  if (scene.present.hasThrownAway) scene.present.foreign = foreignIn(scene)
  const resubmitted = fortune.resubmits ? doubtsIn(scene) : new Map()
  scene.present.resubmitted = resubmitted
  const doing = witness.begins({
    failedToo: failedToo || fortune.redoes !== undefined,
    retriesOf: address => batch.jobOf(address).retries,
    numberOf: address => batch.jobOf(address).count,
    asking: order => asking(jobs, order, fortune) + further(scene, jobs, order, fortune),
    isFurther: ({ job }) => takeIn(job) > 1 && !jobs.some(({ address }) => address === job),
    ...(scene.isCounted && {
      filesAsked: order => filesAsked(jobs, order) + surplus(scene, jobs, order),
      isAskedIn: ({ sort }, number) => jobs.some(each => sortOfJob(each) === sort && each.count === number),
    }),
    ...(scene.isTwinned && { words: ({ what }) => askedInWords(scene, jobs, what) }),
    resubmits: new Set(resubmitted.keys()),
    redoes: job => fortune.redoes !== undefined && familyNamed(job) === fortune.redoes,
    isPastDoubt: redoPastDoubt(scene, fortune),
    ...(rebuys && { rebuysAt: scene.present.origin }),
    hasAll: scene.present.hasAll && !rebuys && fortune.redoes === undefined && !fortune.resubmits,
  })
  const setting = settingFor(scene, { life, doing }, fortune)
  log(`life ${scene.counts.lives}:`, { ...fortune, weather: undefined })
  log(
    '  asked for:',
    Object.fromEntries(jobs.map(({ address, params, count }) => [address, `${params.prompt} ${count}`])),
  )
  const task = runUnderClaim(setting, purchases => scene.heeding(purchases, jobs))
  return { life, doing, task }
}

/** How many jobs ask for it; for a take that the user orders now, any job that it could be a take of. */
function asking(jobs: readonly Job[], { job, sort }: Ordering, { redoes, rebuys = false }: Fortune): number {
  const take = takeIn(job)
  const isAsked = (each: Job) => sortOfJob(each) === sort
  const isMore = (each: Job) =>
    (redoes !== undefined || rebuys) && each.take === 1 && sortOfJob(each, take) === sort
  return jobs.filter(each => isAsked(each) || isMore(each)).length
}

/** Whatever take is named: while one that `redo` ordered is in doubt, no other is ordered of the same. */
function redoPastDoubt(scene: Scene, { redoes, resubmits = false }: Fortune): (order: Ordering) => boolean {
  if (redoes === undefined || resubmits) return () => false
  const doubts = [...doubtsIn(scene)].filter(([, told]) =>
    told.every(({ redo, address }) => redo === true && familyNamed(address) === redoes),
  )
  const held = new Set(doubts.flatMap(([id]) => withoutTake(scene.witness.tried(id)?.what) ?? []))
  return ({ job, what, key }) =>
    takeIn(job) > 1 &&
    familyNamed(job) === redoes &&
    doubts.every(([id]) => id !== key) &&
    held.has(withoutTake(what) ?? '') &&
    !scene.witness.attempts.some(each => each.what === what)
}

/** By all jobs that ask for what an order is about. */
function filesAsked(jobs: readonly Job[], { sort }: Ordering): number {
  return jobs.filter(each => sortOfJob(each) === sort).reduce((sum, { count }) => sum + count, 0)
}

/** By all jobs that ask for the same from files of such as do. */
function askedInWords({ service, batch }: Scene, jobs: readonly Job[], what: string) {
  const words = wordsOf(what, serial => service.chargeOf(serial)?.what)
  return { words, asking: jobs.filter(each => wordsOfJob(each, batch.jobOf) === words).length }
}

/**
 * Files that are there, or may come, and that nobody asks for: what a job has stays with it, and so does the rest where it asks for fewer by
 * now, though another job asks for the same. Whose an order is that has nobody's name the plan says: it may be of the job that asks for
 * the fewest. Where one job alone asks for it there are none, as all is its own.
 */
function surplus(scene: Scene, jobs: readonly Job[], { sort }: Ordering): number {
  const asking = jobs.filter(each => sortOfJob(each) === sort)
  if (asking.length < 2) return 0
  const had = new Map<JobAddress, number>()
  for (const [key, told] of recordsIn(scene)) {
    const its = told.findLast(({ is }) => is === 'done' || is === 'under-way' || is === 'doubt')
    const attempt = scene.witness.attempts.find(each => each.key === key && each.sort === sort)
    if (!its || !attempt) continue
    const base = restBase(its.address)
    const count = scene.witness.chargeOf(attempt)?.count ?? attempt.count
    had.set(base, (had.get(base) ?? 0) + count)
  }
  const fewest = Math.min(...asking.map(({ count }) => count))
  const numberOf = (base: JobAddress) => asking.find(({ address }) => address === base)?.count ?? fewest
  return [...had].reduce((sum, [base, count]) => sum + Math.max(0, count - numberOf(base)), 0)
}

/**
 * Takes beyond those of the manifest: those that the user still has, or may have, are in use, and a twin of one is bought; one whose run
 * failed is asked for as before, where what failed is ordered again. And those that the user ordered anew by name.
 */
function further(
  scene: Scene,
  jobs: readonly Job[],
  { job, what, sort }: Ordering,
  { redoes, failedToo = false }: Fortune,
): number {
  const { witness, batch } = scene
  const take = takeIn(job)
  const wanted = new Set(jobs.map(({ address }) => address))
  const isHad = ({ isOver, charge, job: its }: Attempt) =>
    !isOver || failedToo || redoes !== undefined || (charge?.failuresTold ?? 0) * batch.jobOf(its).retries > 0
  const had = new Set(witness.attempts.flatMap(each => (each.what === what && isHad(each) ? [each.job] : [])))
  // One that a person gave up may never have left: the journal broke before its first byte.
  if (failedToo)
    for (const { id, address } of failedIn(scene)) if (witness.tried(id)?.what === what) had.add(address)
  // By whatever name: a job may have another one since, and its takes with it.
  // What asks for something else under that name by now is no reason: the take has gone to the job that has its prompt.
  const isInUse = (address: JobAddress) =>
    jobs.some(each => each.address === address && sortOfJob(each) === sort)
  const others = [...had].filter(each => !isInUse(each) && (each !== job || redoes === undefined))
  const isBase = (each: Job) => each.take === 1 && sortOfJob(each, take) === sort
  const bases = jobs.filter(each => isBase(each) && !wanted.has(`${each.address}#${take}` as JobAddress))
  const waited = witness.wished.filter(each => each.what === what && isWaited(each))
  return Math.min(bases.length, others.length) + (bases.length > 0 ? waited.length : 0)
}

async function wake(scene: Scene, { life, doing, task }: Begun): Promise<RunResult | undefined> {
  if (!life.isAlive()) return undefined
  scene.counts.woken++
  scene.log('it wakes')
  scene.witness.goesOn(doing)
  life.wake()
  return playOut(scene, life, task)
}

function judged(scene: Scene, result: RunResult | undefined): RunResult | undefined {
  scene.log(result ? 'it ends:' : 'it dies', result && spoken(result))
  judgeGivenUp(scene, result !== undefined)
  judgeFiles(scene)
  judgeForeign(scene)
  if (result) judgeResult(scene, result)
  const { isSelective, isMeddledWith, announced } = scene.present
  // What is made from a take that the run picks is ordered by the one after.
  const hasMore = announced.includes('the run after orders them')
  scene.present.isComplete =
    result?.got === 'report' && result.report.exit === 0 && !isSelective && !isMeddledWith && !hasMore
  // Refused because other records know of it: whoever lost the lock buys anew by that word the next time.
  scene.present.startsAnew = result !== undefined && isPaidElsewhere(result)
  return result
}

function settingFor(scene: Scene, { life, doing }: Pick<Begun, 'life' | 'doing'>, fortune: Fortune): Setting {
  const {
    weather,
    diskFails,
    failedToo,
    rebuys,
    resubmits,
    redoes,
    named,
    stopsAfter,
    takesClaim = false,
  } = fortune
  const { folders, witness, timeline, counts } = scene
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  if (stopsAfter !== undefined) {
    timeline.at(timeline.now() + stopsAfter, () => {
      if (!life.isAlive()) return
      witness.stops(doing)
      stop.abort()
    })
  }
  const onFailure = (path: string, failing: string) => {
    counts.diskTroubles++
    scene.present.hasDiskFailed = true
    scene.log('  the disk fails at', path)
    // What a killed run left beside it may stay there.
    if (path.startsWith(folders.journal) && failing !== 'remove') witness.journalFails(doing)
  }
  const machine = machineFor(scene, {
    life,
    weather,
    isElsewhere: takesClaim,
    ...(diskFails && { diskFaults: { ...diskFails, onFailure } }),
  })
  return {
    ...workspaceOf(scene, machine),
    request: {
      manifest: 'sim.yaml',
      cwd: place.folder,
      service: account,
      choices: { failed: failedToo ?? false, rebuy: rebuys ?? false, resubmit: resubmits ?? false },
      ...(redoes && { redo: true, select: { words: [named ?? redoes] } }),
      ...(scene.present.startsAnew && { continues: 'none' }),
      takeClaim: takesClaim,
      emit: told => {
        if (told.event === 'planned') scene.present.announced = told.remarks.join('\n')
        if (life.isAlive()) hear(scene, life, told)
      },
      stop: stop.signal,
    },
  }
}

function hear(scene: Scene, life: Life, told: RunEvent): void {
  const { witness, log } = scene
  log('  tells', told)
  // What one wrote that had lost its claim nobody reads: its ids are told, and are for the user to adopt.
  const run = runIn(told)
  if (run) witness.tellsId({ origin: scene.present.origin, ...run }, isHolder(scene, life))
}

/** A run that failed is told with its end. */
function runIn(told: RunEvent): RunRef | undefined {
  if (told.event === 'accepted' || told.event === 'resumed') return told.run
  return told.event === 'settled' && 'run' in told.state ? told.state.run : undefined
}

/** Plays until the process has ended, stands still or died; only in the first case it has a result. */
export async function playOut<T>(scene: Scene, life: Life, task: Promise<T>): Promise<T | undefined> {
  const { timeline, witness, counts } = scene
  let outcome: { readonly value: T } | { readonly bug: unknown } | undefined
  task.then(
    value => (outcome = { value }),
    bug => (outcome = { bug }),
  )
  const ending = await timeline.play(
    () => !life.isAlive() || life.isPaused() || outcome !== undefined,
    latestEnd(scene),
  )
  if (life.isAlive() && life.isPaused()) return undefined
  const hasDied = !life.isAlive()
  life.kill()
  if (hasDied) {
    counts.crashes++
    return undefined
  }
  if (ending !== 'over') {
    counts.hangs++
    witness.accuse(ending === 'hang' ? 'P20: everybody waits and nobody has a date' : 'P20: it does not end')
  }
  if (outcome && 'bug' in outcome) {
    witness.accuse(`bug: ${outcome.bug instanceof Error ? outcome.bug.stack : String(outcome.bug)}`)
    return undefined
  }
  return outcome?.value
}

// Beyond its deadline a job may wait for the answer to a request, and for a few downloads.
const graceMs = 20 * 60_000

/** Every job has its deadline, and may wait for those before it. */
function latestEnd({ batch, service, timeline }: Scene): number {
  const longest = (sum: number, job: { readonly timeoutMs?: number }) =>
    sum + (job.timeoutMs ?? deadlineMs('video')) + graceMs
  // What nobody asks for any more is fetched beside them.
  const aside = service.charges.filter(isOwed)
  return timeline.now() + [...batch.manifest().jobs, ...aside.map(() => ({}))].reduce(longest, 0)
}

/** What a person would hear of a result. */
function spoken(result: RunResult): unknown {
  if (result.got !== 'report') return result
  const { exit, jobs } = result.report
  return { exit, jobs: jobs.map(({ address, ending, message }) => [address, ending, message]) }
}
