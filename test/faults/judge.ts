import type { JobAddress, PurchaseId } from '../../src/base/names.ts'
import { type Purchase, paidFiles } from '../../src/base/purchase.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { sameRecipe } from '../../src/plan/shapes/recipe.ts'
import { restBase } from '../../src/plan/shapes/share.ts'
import { isJobStep, type Plan, type Step } from '../../src/plan/shapes/step.ts'
import { makePlan } from '../../src/planning/make-plan.ts'
import type { RunResult } from '../../src/run/run-under-claim.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import type { Ending, JobReport, Report } from '../../src/wording/report.ts'
import { readRecorded } from '../../src/workspace/records/recorded.ts'
import { sortOfJob, takeIn, takeOfSort } from './asked.ts'
import { familyNamed } from './batch.ts'
import { livesUntil } from './life.ts'
import { machineFor } from './machine.ts'
import { filesOn, isRescuedLeft, isWhole, type Records, recordsIn } from './records.ts'
import { type Scene, workspaceOf } from './scene.ts'
import { type Charge, fileBytes, isOwed, isWanted, readFileBytes } from './service.ts'
import { fair } from './weather.ts'
import { hasFailed, isWaited } from './witness.ts'

/**
 * After every process, whatever became of it. P14: nothing under a final name is partial; P40: what is kept is named by
 * its digest; P4: every run that was told stands in a record.
 */
export function judgeFiles(scene: Scene): void {
  const { service, witness, folders } = scene
  const { outputs, kept } = filesOn(scene)
  for (const [path, bytes] of [...outputs, ...kept]) {
    const made = readFileBytes(bytes)
    const charge = made && service.chargeOf(made.id)
    if (!charge) witness.accuse(`P14: ${path} is not a whole file of this batch`)
    // A process may die when the files are there and nobody was told yet.
    else charge.isDelivered = true
  }
  for (const charge of service.charges) if (charge.isThrownAway) charge.isThrownAway = !isWhole(charge, scene)
  for (const [path, bytes] of kept) {
    const short = digestBytes(bytes).slice('sha256:'.length).slice(0, 16)
    if (!path.includes(`.${short}.`))
      witness.accuse(`P40: ${path.slice(folders.kept.length)} is not named by its digest`)
  }
  judgeRecords(scene)
}

/** No accepted run that no record names. */
function judgeRecords(scene: Scene): void {
  const { witness } = scene
  const safe = witness.attempts.flatMap(attempt => {
    const charge = witness.chargeOf(attempt)
    const isNamed = !attempt.isOver && charge && isWanted(charge) && witness.isSafe(charge)
    return isNamed ? [charge] : []
  })
  if (safe.length === 0) return
  const records = recordsIn(scene)
  for (const { key, serial } of safe)
    if (!records.has(key as PurchaseId)) witness.accuse(`P4: no record names the run ${serial}`) // by its key
}

/** P41: what only a state of another lineage knew is not applied to this lock. */
export function judgeForeign({ witness, medium, layout, present: { foreign } }: Scene): void {
  if (foreign.size === 0) return
  for (const line of linesIn(medium.read(layout.lock)))
    if (line && foreign.has(line.id)) witness.accuse(`P41: ${line.address} is of another lineage`)
}

/** What may be said of a job that is paid for and not delivered. */
const isTruth: { readonly [ending in Ending]: boolean } = {
  made: true,
  kept: true,
  fetched: true,
  moved: true,
  doubt: true,
  detached: true,
  held: false,
  failed: false,
  skipped: false,
}

/** P2, P18, P38: what one process says and when it ends. */
export function judgeResult(scene: Scene, result: RunResult): void {
  const { witness, timeline } = scene
  const stoppedAt = witness.stoppedAt()
  if (stoppedAt !== undefined && timeline.now() - stoppedAt > 5000)
    witness.accuse(`P38: it ended ${timeline.now() - stoppedAt} ms after the stop`)
  if (result.got === 'busy') witness.accuse('P18: the claim of a dead process was not taken over')
  const isMeant = scene.present.hasThrownAway && isPaidElsewhere(result)
  if (result.got === 'refused' && !isMeant && !strangersOn(scene).length)
    witness.accuse(`refused: ${result.problems.map(({ message }) => message).join('; ')}`)
  if (result.got === 'report') judgeReport(scene, result.report)
  else if (witness.paidNow() > 0) witness.accuse('P2: orders were sent, and the end tells nothing of them')
}

/** Whether it was refused because records that do not go with the lock know of what would be bought. */
export function isPaidElsewhere(result: RunResult): boolean {
  return result.got === 'refused' && result.problems.every(({ code }) => code === 'owed-elsewhere')
}

/**
 * An order that was paid for, and whose run did not fail, never stands in the lock as failed or not at all; a job that asks
 * for it is not shown as failed, held or skipped.
 */
function judgeReport(scene: Scene, report: Report): void {
  const { service, witness, present } = scene
  const records = recordsIn(scene)
  for (const charge of service.charges.filter(isOwed)) {
    // With a clock that was set nobody knows how young a run is, nor of a result that was thrown away: a run that cannot be
    // seen yet counts as gone, and is asked again before anything is paid.
    const isAgeKnown = !present.isClockSet && !charge.isThrownAway
    if (!isAgeKnown && charge.visibleAt > charge.at) continue
    judgeShown(scene, charge, report, records)
    if (
      report.damage === undefined &&
      witness.attempts.some(each => witness.chargeOf(each) === charge && !each.isOver)
    )
      judgeTold(scene, charge, records)
  }
  for (const attempt of witness.attempts) {
    const { key, isOver, job } = attempt
    if (isOver || attempt.isElsewhere || witness.chargeOf(attempt) || report.damage !== undefined) continue
    const told = statesOf(records, key)
    if (attempt.isGivenUp && told.has('failed')) continue
    if (!told.has('doubt') && !told.has('under-way'))
      witness.accuse(`P2: what became of the order of ${job} is not known, and it stands as ${textOf(told)}`)
  }
  if (report.damage === undefined) judgeFailures(scene, records)
  // The disk may have failed once more, and the same process have found room a moment later: then there are both.
  if (report.damage === undefined && !scene.present.hasDiskFailed && isRescuedLeft(scene))
    witness.accuse('P4: a lock that did not fit into its project was not read by a run that came to its end')
  const { isMeddledWith, isSelective, hasThrownAway } = scene.present
  // A name that a dead process gave, and that stands in no record which a person has left there: the file is told as altered, and
  // is left until it is moved away.
  const isLeft = hasThrownAway && strangersOn(scene).length > 0
  if (report.exit === 0 && report.damage === undefined && !isMeddledWith && !isSelective && !isLeft)
    judgeAgreed(scene, report)
}

function judgeShown(
  { batch, witness, present, service }: Scene,
  charge: Charge,
  report: Report,
  records: Records,
): void {
  if (charge.origin !== present.origin) return
  // What a person took for something else is that.
  if (witness.attempts.some(({ key, sort }) => key === charge.key && sort !== charge.sort)) return
  const { jobs } = batch.manifest()
  // A run about some jobs says nothing of the others: what was ordered for one of those is theirs, whoever else asks for it.
  const isTold = ({ address }: Purchase) => report.jobs.some(each => each.address === address)
  const owners = records.get(charge.key as PurchaseId) ?? [] // its key
  if (present.isSelective && owners.length > 0 && !owners.some(isTold)) return
  // Takes that were ordered beyond those of the manifest ask for what their job does.
  const shown = report.jobs.filter(({ address }) => {
    const job =
      jobs.find(each => each.address === address) ??
      jobs.find(each => each.address === restBase(address)) ??
      jobs.find(each => each.take === 1 && each.address === address.replace(/(#\d+)?(\+\d+)?$/, ''))
    return job && Object.keys(job.files).length === 0 && sortOfJob(job, takeIn(address)) === charge.sort
  })
  const [first] = shown
  // It waits for an order of its own, whatever was ordered for another.
  const isElsewhere = ({ ending, address, message = '' }: Report['jobs'][number]) =>
    ending === 'held' && message.endsWith('is asked now') && !owners.some(each => each.address === address)
  // Two jobs may ask for one thing, and it may have been ordered for both, under whatever name: that the run of this one
  // failed is the truth.
  // One that cannot be seen yet counts as gone where nobody knows by the clock how young it is.
  const isToldFailed = ({ failuresTold, visibleAt, at, ends, isDelivered }: Charge) =>
    failuresTold > 0 || (present.isClockSet && visibleAt > at) || (ends === 'odd' && isDelivered)
  const hasFailed = (job: Report['jobs'][number]) =>
    job.ending === 'failed' &&
    service.charges.some(each => each !== charge && each.sort === charge.sort && isToldFailed(each))
  // An order in doubt of files that are not asked for any more is told for itself, whatever became of those that the job had.
  const isRest = owners.every(({ is, address }) => is === 'doubt' && restBase(address) !== address)
  const isGone = ({ ending, message = '' }: Report['jobs'][number]) =>
    isRest && present.hasThrownAway && ending === 'held' && message.startsWith('its files are gone')
  // Nothing can be had of what was thrown away until it is ordered again, and that was not begun.
  // And what is ordered anew by name is not begun either, whatever there is of the same.
  const isNotBegun = ({ ending, address }: Report['jobs'][number]) =>
    ending === 'skipped' && (charge.isThrownAway || familyNamed(address) === present.redoes)
  if (
    first &&
    shown.every(
      job => !isTruth[job.ending] && !hasFailed(job) && !isNotBegun(job) && !isElsewhere(job) && !isGone(job),
    )
  )
    witness.accuse(
      `P2: what ${first.address} asks for is paid for, and it is shown as ${first.ending} (${first.message ?? ''})`,
    )
}

function judgeTold({ witness }: Scene, charge: Charge, records: Records): void {
  const told = statesOf(records, charge.key)
  if (!['doubt', 'under-way', 'done'].some(is => told.has(is as Purchase['is'])))
    witness.accuse(`P2: ${charge.serial} is paid for, and it stands as ${textOf(told)}`)
  if (witness.isSafe(charge) && told.has('doubt') && told.size === 1)
    witness.accuse(`P3: the run ${charge.serial} was told, and now it is in doubt`)
}

/**
 * What failed and may be billed stands in the lock, whatever its job got since: a clone has nothing else. Where the same was ordered again
 * that speaks for both.
 */
function judgeFailures({ witness, medium, layout }: Scene, records: Records): void {
  const locked = new Set(linesIn(medium.read(layout.lock)).map(line => line?.id))
  const all = [...records.values()].flat()
  for (const attempt of witness.attempts) {
    const charge = witness.chargeOf(attempt)
    const [told] = records.get(attempt.key as PurchaseId) ?? [] // the key is the purchase's name
    if (told?.is !== 'failed' || told.billed === 'no' || locked.has(told.id)) continue
    const mayBeBilled = attempt.isGivenUp || (charge && hasFailed(charge))
    if (attempt.isOver || attempt.isElsewhere || attempt.isOfOtherLock || !mayBeBilled) continue
    const isAgain = (each: Purchase) =>
      each.is !== 'failed' && each.is !== 'open' && sameRecipe(each.recipe, told.recipe)
    if (!all.some(isAgain))
      witness.accuse(`P5: ${told.address} failed as ${told.id}, and the lock has forgotten it`)
  }
}

function statesOf(records: Records, key: string): ReadonlySet<Purchase['is']> {
  return new Set((records.get(key as PurchaseId) ?? []).map(({ is }) => is)) // the key is the purchase's name
}

function textOf(states: ReadonlySet<string>): string {
  return states.size === 0 ? 'nothing' : [...states].join(', ')
}

/** P42: after exit 0 there is nothing to do, and every file is what its job asks for now. */
function judgeAgreed(scene: Scene, report: Report): void {
  const { witness } = scene
  judgeDone(scene, report)
  const workspace = workspaceOf(
    scene,
    machineFor(scene, { life: livesUntil(), weather: fair, isOnlooker: true }),
  )
  const recorded = readRecorded(workspace)
  if ('got' in recorded) return witness.accuse(`P42: after exit 0 the records are ${recorded.message}`)
  const planned = makePlan(workspace, {}, recorded)
  const plan = planned.got === 'planned' ? planned.plan : { steps: [], buys: 0 }
  const outdated = outdatedIn(plan, report, scene.present.announced)
  const left = plan.steps.filter(step => !['keep', 'drop', 'aside'].includes(step.do) && !outdated.has(step))
  for (const step of left)
    witness.accuse(
      `P42: after exit 0 genrun would ${step.do} ${isJobStep(step) ? step.job.address : step.address}`,
    )
}

/**
 * Made from what this run has made, or from what is, or told beforehand as made from a take that it picks: the run after orders it. Steps
 * come after what they need.
 */
function outdatedIn({ steps }: Plan, report: Report, announced: string): ReadonlySet<Step> {
  const outdated = new Map<JobAddress, Step>()
  const [, names = ''] = /so that the run after orders them: (.*)/.exec(announced) ?? []
  const told = new Set(names.split(/, | and /))
  for (const step of steps) {
    if (!isJobStep(step) || step.do !== 'buy') continue
    const { address, needs } = step.job
    if (told.has(address) || needs.some(need => isMadeNow(need, report) || outdated.has(need)))
      outdated.set(address, step)
  }
  return new Set(outdated.values())
}

const doneEndings: readonly Ending[] = ['made', 'kept', 'fetched', 'moved']

function judgeDone(scene: Scene, report: Report): void {
  for (const job of scene.batch.manifest().jobs) {
    const shown = report.jobs.find(each => each.address === job.address)
    if (!shown || !doneEndings.includes(shown.ending)) continue
    if (scene.isCounted) judgeCount(scene, job, report)
    judgeJob(scene, job, shown, report)
  }
}

/** P3: as many files as it asks for, whatever orders brought them; fewer only where it takes what comes. */
function judgeCount({ witness }: Scene, { address, count, shortDelivery }: Job, report: Report): void {
  const orders = report.jobs.filter(each => restBase(each.address) === address)
  const came = orders.reduce((sum, { files }) => sum + files.length, 0)
  if (came < (shortDelivery === 'accept' ? 1 : count))
    witness.accuse(`P3: ${address} has ${came} of ${count} files`)
  const contents = new Set(orders.flatMap(({ files }) => files.map(({ digest }) => digest)))
  if (contents.size < came) witness.accuse(`P3: of the ${came} files of ${address} some are the same`)
}

/** What a person took for its result has as many files as it came with. */
function isAccepted(scene: Scene, address: JobAddress): boolean {
  return [...recordsIn(scene).values()].flat().some(each => each.address === address && each.acceptedAs)
}

/** P3, P39: its files are those of one order, of all that the job asks for now, and all of them. */
function judgeJob(scene: Scene, job: Job, shown: JobReport, report: Report): void {
  const { witness, service, medium, layout } = scene
  const { address, count } = job
  if (!scene.isCounted && shown.files.length !== count && !isAccepted(scene, address))
    witness.accuse(`P3: ${address} has ${shown.files.length} of ${count} files`)
  const serials = new Set<string>()
  for (const { path } of shown.files) {
    const bytes = medium.read(`${layout.output}/${path}`)
    const charge = service.chargeOf((bytes && readFileBytes(bytes))?.id ?? '')
    serials.add(charge?.serial ?? '')
    if (
      !charge ||
      !isFor(charge, sortOfJob(job), witness) ||
      !inputsOf(scene, job, report).every(any => any.some(each => isFrom(charge, each, witness)))
    )
      witness.accuse(
        `P39: ${path} is ${charge?.what ?? 'nothing'}, and ${address} asks for ${sortOfJob(job)}`,
      )
  }
  if (serials.size > 1) witness.accuse(`P25: ${address} has files of ${serials.size} orders`)
}

/** Whether it was made from that file, or taken for what is. */
function isFrom(charge: Charge, file: string, { attempts }: Scene['witness']): boolean {
  return (
    charge.what.includes(file) || attempts.some(each => each.key === charge.key && each.what.includes(file))
  )
}

/** Whether it was ordered as that, or taken for it by a person. */
function isFor(charge: Charge, sort: string, { attempts }: Scene['witness']): boolean {
  return charge.sort === sort || attempts.some(each => each.key === charge.key && each.sort === sort)
}

/**
 * What a run was gone on with is made from may be made anew by the same process: then the next one sees that it is outdated,
 * and orders it again. To be told by the exit code, which it is not yet.
 */
function isMadeNow(address: JobAddress, { jobs }: Report): boolean {
  return jobs.some(each => each.address === address && each.ending === 'made')
}

/** What each of its inputs may be now: the file of any take of the job that makes it, as it was picked. */
function inputsOf({ medium, layout }: Scene, job: Job, report: Report): string[][] {
  const refs = Object.values(job.files).flat()
  return refs.flatMap(ref => {
    if (ref.from !== 'job' || isMadeNow(ref.address, report)) return []
    const family = report.jobs.filter(({ address }) => address.replace(/#.*/, '') === ref.address)
    const takes = family.flatMap(({ files }) => {
      const path = files[ref.nth === 'pick' ? 0 : ref.nth]?.path
      const bytes = path === undefined ? undefined : medium.read(`${layout.output}/${path}`)
      const made = bytes && readFileBytes(bytes)
      return made ? [`${made.id} ${made.nth}`] : []
    })
    return takes.length > 0 ? [takes] : []
  })
}

/** P1, P3, P40: when nothing goes wrong any more and the user has decided, all that is paid for is there. */
export function judgeEnd(scene: Scene, result: RunResult | undefined): void {
  const { batch, service, witness } = scene
  if (result?.got !== 'report')
    return witness.accuse(`P3: the last run came to nothing: ${JSON.stringify(result)}`)
  for (const { address } of batch.manifest().jobs) {
    const shown = result.report.jobs.find(each => each.address === address)
    if (!shown || !doneEndings.includes(shown.ending))
      witness.accuse(`P3: ${address} ends as ${shown?.ending ?? 'nothing'} (${shown?.message ?? ''})`)
  }
  judgeDone(scene, result.report)
  judgeWishes(scene)
  const { outputs, kept } = filesOn(scene)
  const there = new Set([...outputs, ...kept].map(([, bytes]) => bytes.toString('latin1')))
  for (const charge of service.charges) {
    const isMeant = witness.attempts.some(each => witness.chargeOf(each) === charge && !each.isOver)
    // What is no result stays for good, whatever was ordered in its place.
    const isKept = charge.ends === 'odd' && charge.isDelivered
    if (!(isMeant || isKept) || !isWanted(charge) || charge.isThrownAway) continue
    // As in `judgeReport`: how young a run is that cannot be seen yet, nobody knows by a clock that was set.
    if (scene.present.isClockSet && charge.visibleAt > charge.at && !charge.isDelivered) continue
    for (let nth = 0; nth < charge.count; nth++)
      if (!there.has(fileBytes(charge.serial, nth).toString('latin1')))
        witness.accuse(`P40: file ${nth} of ${charge.serial} is paid for and nowhere`)
  }
}

/** P46: what a person ordered anew by name is ordered, though the manifest asks for no such take. */
function judgeWishes({ witness, batch, service }: Scene): void {
  const { jobs } = batch.manifest()
  // What was given up for want of an answer, which a process had that was overtaken: that is the take.
  const hasCome = (what: string) =>
    service.charges.some(each => each.what === what && each.isGivenUp && each.isDelivered)
  for (const wish of witness.wished) {
    const { family, what, sort, isCertain } = wish
    const base = jobs.find(({ address }) => address === family)
    const isAsked = base && what === `${sort} ` && sortOfJob(base, takeOfSort(sort)) === sort
    if (isAsked && isCertain && isWaited(wish) && !hasCome(what))
      witness.accuse(`P46: another ${family} was ordered anew, and is not bought`)
  }
}

/** P5: a rerun of what is done makes no request and leaves the lock as it is. */
export function judgeUnchanged(
  scene: Scene,
  result: RunResult | undefined,
  before: Buffer | undefined,
): void {
  if (hasAsked(result)) scene.witness.accuse('P5: an unchanged rerun made a request')
  if (!isLockAsBefore(scene, before)) scene.witness.accuse('P5: an unchanged rerun changed the lock')
}

/** Whether a run was a rerun of what is done, and did as P5 has it. */
export function isUnchanged(scene: Scene, result: RunResult, before: Buffer | undefined): boolean {
  return result.got === 'report' && !hasAsked(result) && isLockAsBefore(scene, before)
}

function hasAsked(result: RunResult | undefined): boolean {
  return result?.got === 'report' && result.report.requests > 0
}

function isLockAsBefore({ medium, layout }: Scene, before: Buffer | undefined): boolean {
  return before !== undefined && medium.read(layout.lock)?.equals(before) === true
}

/** P42: one path has one owner in every lock that is saved. */
export function judgeLock({ witness, medium, layout, log }: Scene): void {
  const lines = linesIn(medium.read(layout.lock))
  const owners = new Map<string, JobAddress>()
  for (const line of lines) {
    if (line?.state !== 'done') continue
    for (const { path } of line.files) {
      const other = owners.get(path)
      if (other !== undefined) {
        witness.accuse(`P42: ${path} is of ${other} and of ${line.address}`)
        log('  the lock that was saved:', lines)
      }
      owners.set(path, line.address)
    }
  }
}

function linesIn(lock: Buffer | undefined): readonly LockLine[] {
  return JSON.parse(lock?.toString() ?? '{}').jobs ?? []
}

type LockLine = {
  readonly id: PurchaseId
  readonly address: JobAddress
  readonly state: string
  readonly files: readonly { readonly path: string }[]
} | null

/** Files under names that are, by the records, not these: somebody put an older lock there, or threw records away. */
export function strangersOn(scene: Scene): readonly string[] {
  const known = new Set<string>()
  // A crash may leave these under their names, or others, before anything says so.
  const coming = new Set<string>()
  for (const record of [...recordsIn(scene).values()].flat()) {
    if (record.is === 'under-way') for (const { file } of record.saved) coming.add(file.digest)
    if (record.is !== 'done' || !record.aside)
      for (const { path, digest } of paidFiles(record)) known.add(`${path} ${digest}`)
  }
  const { output } = scene.layout
  return filesOn(scene).outputs.flatMap(([path, bytes]) => {
    const digest = digestBytes(bytes)
    return coming.has(digest) || known.has(`${path.slice(output.length + 1)} ${digest}`) ? [] : [path]
  })
}
