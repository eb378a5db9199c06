import { defined } from '../base/defined.ts'
import { exit } from '../base/exit.ts'
import { type Failure, failureMessage } from '../base/failure.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { type DonePurchase, type RunningPurchase, remainsOf } from '../base/purchase.ts'
import { modelSetOf } from '../catalog/model-set.ts'
import { runEngine } from '../engine/engine.ts'
import { openBudget } from '../engine/gates/budget.ts'
import type { EngineLimits } from '../engine/limits.ts'
import { newPurchase } from '../engine/run-job.ts'
import { type Outcomes, orderedFrom, type Task, type World } from '../engine/world.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { furtherRest, restBase } from '../plan/rests.ts'
import { isJobStep, type Plan, type Step } from '../plan/step.ts'
import { deliveredLately, limitsOf } from '../planning/pacing.ts'
import { syncKept } from '../store/files/outputs.ts'
import { neededParts } from '../store/files/parts.ts'
import { openSpool } from '../store/files/spool.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Report } from '../wording/report.ts'
import { spokenBy } from '../workspace/service/named.ts'
import { pollFloorMs } from '../workspace/service/service.ts'
import type { Setting } from '../workspace/workspace.ts'
import { costReport, creditsSince, plannedOf, reportOf } from './account.ts'
import { countRequests, countsOf } from './count.ts'
import { finishRun, shareResults } from './finish-run.ts'
import { lostClaim } from './gate.ts'
import { giveAll } from './ledger/act-under-claim.ts'
import { type Ledger, openLedger } from './ledger/ledger.ts'
import { openSaver, type Records, withRecords } from './ledger/records.ts'
import { connectAll, type Line, type Lines } from './lines.ts'
import { adoptAll } from './results/adopt.ts'
import { jobAside } from './results/aside.ts'
import { completeRecipes, completions } from './results/complete.ts'
import { partsOf } from './results/parts.ts'
import { owesPublishing } from './results/publish.ts'
import { fillCache, isRestoration, owedTo, restoreAll } from './results/restore.ts'
import { trySaving } from './results/trial.ts'
import type { Commission, Run } from './run.ts'
import { stopwatch, untilStopped } from './stopwatch.ts'
import { tasksOf } from './tasks.ts'
import { lostText, watchRecords } from './watch-records.ts'
import { type Tools, worldOf } from './world.ts'

/**
 * Carries a plan out and reports. A plan without work makes no request, and writes nothing but what a crash, or a loss, left
 * of lock and journal behind the other.
 */
export async function executePlan(commission: Commission): Promise<Report> {
  const { setting, planned, recorded, claim } = commission
  const { request, folders, machine } = setting
  const began = machine.clock.now()
  const { random } = machine
  const tasks = tasksOf(planned.plan, {
    now: began,
    wall: machine.clock.wall(),
    random,
    keysOf: service => spokenBy(setting, service).profile.idempotency,
    redone: planned.redone,
    ages: recorded.ages,
    jobAside: purchase => jobOf(purchase, commission),
  })
  request.emit(plannedOf(setting, planned.plan, tasks, began))
  const watch = stopwatch()
  if (isIdle(tasks, planned) && !owesPublishing(setting, planned.plan)) {
    await saveKnown(commission)
    const unshared = await shareOwed(commission)
    const nothing = { outcomes: new Map(), watch, paid: 0, requests: 0, seconds: 0 }
    return { ...reportOf(setting, planned.plan, nothing), ...defined({ unshared }) }
  }
  return withRecords(setting, { recorded, claim }, async records => {
    giveAll(planned.plan, records.ledger, recorded.foreign)
    const spool = openSpool(folders.spool, machine.disk, machine.refuge)
    const lines = await connectAll(setting, tasks, spool.sink)
    try {
      return await carryOutOn(lines.all, { ...commission, tasks, opened: records, spool, began, watch })
    } finally {
      await lines.close()
    }
  })
}

/** A commission with all that it needs but the service. */
interface Equipped extends Commission, Pick<Run, 'tasks' | 'spool' | 'watch'> {
  readonly opened: Records
  /** In milliseconds of the machine's clock. */
  readonly began: number
}

async function carryOutOn([first, ...more]: Lines['all'], equipped: Equipped): Promise<Report> {
  const { setting, planned, claim, opened, began, watch } = equipped
  const { request, machine } = setting
  const { ledger, journal, index, close } = opened
  const budget = request.budget ?? openBudget(setting.caps ?? {}, setting.prices)
  const counts: ReturnType<typeof countRequests>['counts'][] = []
  const watched = (line: Line): Line => {
    const counted = countRequests(budget.watch(line.wire))
    counts.push(counted.counts)
    return { ...line, wire: counted.wire }
  }
  const lines = [watched(first), ...more.map(watched)] as const
  const parts = partsOf(setting.layout, machine)
  // Who took the claim over meanwhile has parts of its own there.
  if (!lostClaim(claim)) {
    parts.sweep(neededParts(ledger.purchases.values()))
    await syncKept(setting.folders.kept, machine.disk)
    // What is ordered must find its place; what is paid for already may wait for a better disk.
    if (equipped.tasks.some(({ start }) => start.is === 'ready')) await trySaving(parts, machine)
  }
  const records = watchRecords({ claim, journal, ledger }, machine, told => {
    request.emit(told)
    void ledger.saveNow()
  })
  const isOver = machine.atExit?.(() => saveAtExit(ledger))
  try {
    const further: Task[] = []
    const own = { ledger, journal, closeRecords: close, records, parts, budget, further, lines }
    const { outcomes, seconds, damage, unshared, isUnrecorded } = await carryOut(
      { ...equipped, ...own },
      began,
    )
    const credits = creditsSince(equipped.recorded.purchases, ledger.purchases.values())
    const cost = costReport(budget, setting.prices, credits)
    const report = reportOf(setting, asTheyLie(withFurther(planned.plan, further), ledger), {
      outcomes,
      watch,
      ...countsOf(counts.map(count => count())),
      seconds,
      // What broke may not have taken what was written last.
      purchases: damage
        ? new Map(equipped.recorded.purchases.map(each => [each.id, each]))
        : ledger.purchases,
      cost,
      credits,
      isUnrecorded,
    })
    const unindexed = index.trouble && { unindexed: index.trouble.message }
    return {
      ...report,
      ...unindexed,
      ...defined({ unshared }),
      ...(damage && { exit: exit.damaged, damage }),
    }
  } finally {
    isOver?.()
    records.close()
  }
}

/** What is on its way when a person leaves at once stands in the lock as what it may be: paid for. */
function saveAtExit(ledger: Ledger): void {
  try {
    ledger.saveAtExit()
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}

/** Without a model that is known nobody can tell what its run should bring: it is left alone, and told. */
function jobOf(purchase: RunningPurchase, { setting, planned }: Commission): Job | undefined {
  const options = planned.jobs.find(job => job.address === purchase.address)
  const model =
    options?.model.id === purchase.recipe.model && options.service === purchase.recipe.service
      ? options.model
      : modelSetOf(setting.manifest.own).find(purchase.recipe.model, purchase.recipe.service)
  const mustBeAsked = (purchase.files ?? []).length === 0
  return model && !(mustBeAsked && isElsewhere(purchase, setting))
    ? jobAside(purchase, options, model)
    : undefined
}

/** Its service is another one by now, or one that nobody knows here: nobody else knows its run. */
function isElsewhere({ run, recipe }: RunningPurchase, setting: Setting): boolean {
  const { origin } = spokenBy(setting, recipe.service)
  // Where no service can be named, the one that is there is asked for all.
  if (origin === undefined) return setting.services !== undefined || recipe.service !== undefined
  return run?.origin !== undefined && run.origin !== origin
}

/**
 * What a crash kept from being saved is saved now. A lock that tells of more than the journal does is written down there,
 * unless the journal is of another checkout: with neither lock nor files it would all be bought again.
 */
async function saveKnown(commission: Commission): Promise<void> {
  const { setting, recorded, claim } = commission
  const isNews = recorded.untold.length > 0 || recorded.overtaken.length > 0
  if (!isNews || recorded.hidden.size > 0) return saveLock(commission)
  try {
    await withRecords(setting, { recorded, claim }, ({ close }) => close())
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    // Nothing is lost where it cannot be written, and nothing was to be done: the next run tries again.
    await saveLock(commission)
  }
}

/** What was there already, and a cache that lies elsewhere has not heard of. */
async function shareOwed({ setting, planned }: Commission): Promise<string | undefined> {
  const { cache, layout, machine } = setting
  return (
    cache && (await fillCache(owedTo(cache, planned.plan), { cache, layout, disk: machine.disk }))?.message
  )
}

async function saveLock({ setting, planned, recorded, claim }: Commission): Promise<void> {
  const saver = await openSaver(setting, recorded, claim)
  const { clock } = setting.machine
  const ledger = openLedger({ recorded, journal: { append: async () => undefined }, saver, clock })
  giveAll(planned.plan, ledger, recorded.foreign)
  await ledger.flush()
}

function isIdle(tasks: readonly Task[], { plan, jobs, redone }: Commission['planned']): boolean {
  const isMoving = plan.steps.some(step => step.do === 'adopt' || step.do === 'restore')
  if (tasks.length > 0 || isMoving) return false
  const kept = keptBy(plan)
  const isToPick = [...redone].some(address => kept.has(address))
  return !isToPick && completions(jobs, address => kept.get(address)).length === 0
}

/** What lies where it should already, by address. */
function keptBy({ steps }: Plan): Map<JobAddress, DonePurchase> {
  return new Map(steps.flatMap(step => (step.do === 'keep' ? [[step.job.address, step.entry]] : [])))
}

interface Ended {
  readonly outcomes: Outcomes
  readonly seconds: number
  /** The first trouble with the disk after the last request. */
  readonly damage: string | undefined
  readonly unshared: string | undefined
  readonly isUnrecorded: boolean
}

/** What is there goes to its places first: what is bought may be made from it, and may get its old names. */
async function carryOut(run: Run, began: number): Promise<Ended> {
  const { setting, planned, ledger } = run
  await noteKnown(run)
  const unrestored = await moveHome(run)
  const carried = await carryOutWorks(run)
  const outcomes = new Map([...carried, ...unrestored])
  const seconds = (setting.machine.clock.now() - began) / 1000
  const made = new Set([...outcomes].flatMap(([address, { is }]) => (is === 'done' ? [address] : [])))
  const moved = planned.plan.steps.flatMap(step =>
    step.do === 'adopt' || step.do === 'restore' ? [step.job.address] : [],
  )
  const present = new Set([...made, ...moved, ...keptBy(planned.plan).keys()])
  const chosen = [...planned.redone].filter(address => present.has(address))
  const { damage: trouble, unpublished } = await finishRun(run, {
    made: new Set([...made, ...moved]),
    chosen,
    skipped: skippedAmong(outcomes),
  })
  const lost = run.records.lost && `${failureMessage(run.records.lost)}; ${lostText}`
  const damage = trouble ?? lost ?? run.spool.broken?.message
  const unshared = unpublished ?? (await shareResults(run))
  const isAlone = run.journal.broken ?? run.records.lost ?? lostClaim(run.claim)
  const isUnrecorded = trouble !== undefined && isAlone !== undefined
  run.records.close()
  // Picked, a result has another name by now; published, a link.
  for (const address of setting.request.publish ? outcomes.keys() : chosen) {
    const state = outcomes.get(address)
    if (state?.is === 'done')
      outcomes.set(address, { ...state, files: ledger.made(address)?.files ?? state.files })
  }
  return { outcomes, seconds, damage, unshared, isUnrecorded }
}

/** Not by a stop of the user's or a cap, which nobody calls a failure. */
function skippedAmong(outcomes: Outcomes): JobAddress[] {
  const isStopped = (because: Failure) =>
    because.why === 'closed' || (because.why === 'budget' && because.failures !== undefined)
  return [...outcomes].flatMap(([address, state]) =>
    state.is === 'skipped' && isStopped(state.because) ? [address] : [],
  )
}

/** What is known for another job, or was found elsewhere: the journal has to know it, before anything becomes of it. */
async function noteKnown({ tasks, planned, recorded, ledger }: Run): Promise<void> {
  const owners = new Map(planned.plan.steps.flatMap(ownerOf))
  const untold = new Set(recorded.untold.map(({ id }) => id))
  const known = tasks.flatMap(({ purchase, ask }) => ledger.purchases.get(ask?.purchase ?? purchase) ?? [])
  await Promise.all(
    known.flatMap(record => {
      const address = owners.get(record.id) ?? record.address
      const isWritten = !recorded.unwritten.has(record.id) || untold.has(record.id)
      const isNews = address !== record.address || !isWritten
      return isNews ? ledger.stands({ ...record, address }) : []
    }),
  )
}

/** Whose a purchase is from now on; it may have been for another job, or for this one under another name. */
function ownerOf(step: Step): [PurchaseId, JobAddress][] {
  switch (step.do) {
    case 'resume':
    case 'doubt':
      return [[step.purchase.id, step.job.address]]
    case 'fetch':
      return [[step.entry.id, step.job.address]]
    case 'buy':
      return [step.ask?.purchase, step.renews?.id].flatMap(id => (id ? [[id, step.job.address]] : []))
    default:
      return []
  }
}

/** Results that are there under other names or in the cache get their places. Tells what could not be restored. */
async function moveHome(run: Run): Promise<Outcomes> {
  const { setting, planned, ledger, parts } = run
  const { cache, layout, folders, machine } = setting
  const { plan, jobs } = planned
  const movers = { layout, folders, ledger, parts, disk: machine.disk }
  await adoptAll(plan.steps.filter(isAdoption), movers)
  await completeRecipes(jobs, ledger)
  return cache ? restoreAll(plan.steps.filter(isRestoration), { ...movers, cache }) : new Map()
}

function isAdoption(step: Step): step is Step & { do: 'adopt' } {
  return step.do === 'adopt'
}

async function carryOutWorks(run: Run): Promise<Outcomes> {
  const { setting, tasks, further, watch, lines } = run
  const { request, machine } = setting
  const [usual, ...named] = lines
  const world = { ...worldOf(toolsOf(run, usual)), further: topUps(run) }
  const others = named.map(
    line => [line.name ?? '', { world: worldOf(toolsOf(run, line)), limits: limitsAt(run, line) }] as const,
  )
  const engine = runEngine(tasks, world, limitsAt(run, usual), Object.fromEntries(others))
  const during = { stop: request.stop, clock: machine.clock }
  return untilStopped(engine, () => [...tasks, ...further], watch, during)
}

function limitsAt({ setting, tasks, recorded }: Run, { name, wire, spoken }: Line): EngineLimits {
  const { request, manifest, machine } = setting
  const models = new Set(tasks.flatMap(task => (orderedFrom(task) === name ? [task.job.model.id] : [])))
  const service = { models, origin: wire.origin, wall: machine.clock.wall() }
  return {
    ...limitsOf(manifest.limits, request.limits, name === undefined ? {} : spoken.limits),
    earlier: deliveredLately(recorded.delivered, service),
  }
}

/** Orders what a short delivery lacks, where its job wants that. What was there before the run, the plan knows. */
function topUps({ setting, planned, further }: Run): NonNullable<World['further']> {
  const { clock, random } = setting.machine
  const fetched = new Set(planned.plan.steps.flatMap(step => (step.do === 'fetch' ? [step.job.address] : [])))
  return (task, state) => {
    const { job, aside } = task
    if (state.is !== 'done' || aside || job.shortDelivery !== 'top-up' || fetched.has(job.address))
      return undefined
    const rest = furtherRest(job, state.files.length)
    if (!rest) return undefined
    const start = { is: 'ready', tries: 0, notBefore: clock.now() } as const
    const more: Task = { job: rest, start, purchase: newPurchase(random) }
    further.push(more)
    return more
  }
}

/** The plan with what was ordered besides, each behind the job that it is of. */
function withFurther(plan: Plan, further: readonly Task[]): Plan {
  if (further.length === 0) return plan
  const rests = new Map<JobAddress, Step[]>()
  for (const { job } of further) {
    const base = restBase(job.address)
    rests.set(base, [...(rests.get(base) ?? []), { do: 'buy', job, because: [] }])
  }
  const steps = plan.steps.flatMap(step => [
    step,
    ...((isJobStep(step) && rests.get(step.job.address)) || []),
  ])
  return { ...plan, steps }
}

/** A pick at the end of the run gives what was kept another name. */
function asTheyLie(plan: Plan, { purchases }: Pick<Ledger, 'purchases'>): Plan {
  const steps = plan.steps.map(step => {
    const present = step.do === 'keep' ? purchases.get(step.entry.id) : undefined
    if (step.do !== 'keep' || present?.is !== 'done') return step
    return { ...step, entry: { ...step.entry, files: present.files } }
  })
  return { ...plan, steps }
}

function toolsOf(run: Run, { name, service, spoken, wire }: Line): Tools {
  const { setting, recorded, watch } = run
  const { request, machine, place, layout, folders } = setting
  const left = new Map(recorded.purchases.flatMap(each => (each.is === 'under-way' ? [[each.id, each]] : [])))
  return {
    machine,
    place,
    layout,
    folders,
    claim: run.claim,
    journal: run.journal,
    parts: run.parts,
    spool: run.spool,
    ledger: run.ledger,
    wire,
    ...defined({ service: name }),
    profile: spoken.profile,
    budget: run.budget,
    emit(event) {
      watch.see(event)
      request.emit(event)
    },
    stop: request.stop,
    verify: request.verify,
    gate: request.gate,
    left(purchase, nth) {
      const known = left.get(purchase)
      const remains = known && remainsOf(known, nth)
      if (!remains) return undefined
      const part = run.parts.find(remains.part)
      return part === undefined ? undefined : { ...remains, part }
    },
    polls: machine.polls(service),
    pollFloorMs: pollFloorMs(service),
  }
}
