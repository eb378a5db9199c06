import { defined } from '../base/defined.ts'
import { exit } from '../base/exit.ts'
import { totalOf } from '../base/measure.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { type RunningPurchase } from '../base/purchase.ts'
import type { JobState } from '../base/state.ts'
import { modelSetOf } from '../catalog/model-set.ts'
import { openBudget } from '../engine/gates/budget.ts'
import { type Task } from '../engine/world.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Hold } from '../plan/shapes/step.ts'
import { syncKept } from '../store/files/outputs.ts'
import { neededParts } from '../store/files/parts.ts'
import { forgetLast } from '../store/files/remember-last.ts'
import { openSpool } from '../store/files/spool.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Report } from '../wording/report.ts'
import { verdictsFileOf } from '../workspace/layout.ts'
import { spokenBy } from '../workspace/service/named.ts'
import type { Setting } from '../workspace/workspace.ts'
import { costReport, creditsSince, plannedOf, reportOf } from './account.ts'
import { countRequests, countsOf } from './count.ts'
import { lostClaim } from './gate.ts'
import { openDecidedSince } from './inputs/decided-since.ts'
import { giveAll } from './ledger/act-under-claim.ts'
import { type Ledger, openLedger } from './ledger/ledger.ts'
import { openSaver, type Records, withRecords } from './ledger/records.ts'
import { connectAll, type Line, type Lines } from './lines.ts'
import { keptBy, performRun, renamedDoubts } from './perform-run.ts'
import { planAfter } from './plan-after.ts'
import { jobAside } from './results/aside.ts'
import { completions } from './results/complete.ts'
import { partsOf } from './results/parts.ts'
import { owesPublishing } from './results/publish.ts'
import { fillCache, owedTo } from './results/restore.ts'
import { keepStrays } from './results/strays.ts'
import { trySaving } from './results/trial.ts'
import type { Commission, Run } from './run.ts'
import { stopwatch } from './stopwatch.ts'
import { tasksOf } from './tasks.ts'
import { watchRecords } from './watch-records.ts'

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
  request.emit(plannedOf(commission, tasks, began))
  const watch = stopwatch()
  const { heeded = [], altered = [] } = planned.waiting ?? {}
  const isToPick = heeded.length + altered.length > 0
  const areNamed = renamedDoubts(planned.plan, recorded).length === 0
  const isIdleRun = !isToPick && areNamed && isIdle(tasks, planned)
  const owes = isIdleRun && owesPublishing(setting, planned.plan)
  if (isIdleRun && !owes) {
    await saveKnown(commission)
    const unshared = await shareOwed(commission)
    const nothing = { outcomes: new Map(), watch, paid: 0, requests: 0, seconds: 0 }
    return { ...reportOf(setting, planned.plan, nothing), ...defined({ unshared }) }
  }
  return withRecords(setting, { recorded, claim }, async records => {
    forgetLast()
    setting.manifest.letGo?.()
    giveAll(planned.plan, records.ledger, recorded.foreign)
    const spool = openSpool(folders.spool, machine.disk, machine.refuge)
    const lines = await connectAll(setting, tasks, spool.sink)
    try {
      const report = await executeOn(lines.all, {
        ...commission,
        tasks,
        opened: records,
        spool,
        began,
        watch,
      })
      return owes && report.unshared === undefined ? { ...report, published: true } : report
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

async function executeOn([first, ...more]: Lines['all'], equipped: Equipped): Promise<Report> {
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
    if (equipped.tasks.some(({ start }) => start.is === 'ready'))
      await trySaving(parts, setting.folders.spool, machine)
  }
  const records = watchRecords({ claim, journal, ledger }, machine, told => {
    request.emit(told)
    void ledger.saveNow()
  })
  const isOver = machine.atExit?.(() => saveAtExit(ledger))
  try {
    const further: Task[] = []
    const orders = new Map<JobAddress, number>()
    counts.push(() => ({
      paid: totalOf(orders.values()),
      requests: 0,
      orders,
    }))
    const decided = openDecidedSince({
      planned,
      written: setting.manifest.jobs,
      purchases: () => ledger.purchases.values(),
      began: machine.clock.wall(),
      path: verdictsFileOf(setting.layout),
      disk: machine.disk,
    })
    const its = { decided, budget, further, lines, orders, shared: new Set<PurchaseId>() }
    const own = { ledger, journal, closeRecords: close, records, parts, ...its }
    const { redoing } = planned
    // Before anything of it is ordered: who is stopped in the middle goes on with it by the same words.
    if (redoing && redoing.size > 0) await journal.append({ kind: 'REDO', takes: [...redoing] })
    const { outcomes, seconds, damage, unshared, isUnrecorded } = await performRun(
      { ...equipped, ...own },
      began,
    )
    const credits = creditsSince(equipped.recorded.purchases, ledger.purchases.values())
    const cost = costReport(budget, setting.prices, credits)
    const report = reportOf(
      setting,
      planAfter(planned.plan, further, ledger, heldIn(outcomes, decided.held)),
      {
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
      },
    )
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

/** What was not sent: of a run that failed, and is not ordered anew for that, the failure is what there is to tell. */
function heldIn(
  outcomes: ReadonlyMap<JobAddress, JobState>,
  held: ReadonlyMap<JobAddress, Hold>,
): ReadonlyMap<JobAddress, Hold> {
  return new Map([...held].filter(([address]) => outcomes.get(address)?.is !== 'failed'))
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
  const { setting, planned, recorded, claim } = commission
  const isNews = recorded.untold.length > 0 || recorded.overtaken.length > 0
  const kept = new Set([...keptBy(planned.plan).values()].map(({ id }) => id))
  // What the jobs have stands in this lock from now on, and the journal hears what was chosen of it.
  const isHiding = [...recorded.hidden].some(id => !kept.has(id))
  if (!isNews || isHiding) return saveLock(commission)
  try {
    await withRecords(setting, { recorded, claim }, async ({ ledger, journal, close }) => {
      giveAll(planned.plan, ledger, recorded.foreign)
      const mayMove = () => !journal.broken && !lostClaim(claim)
      await keepStrays({ setting, recorded, ledger, mayMove })
      return close()
    })
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    // Nothing is lost where it cannot be written, and nothing was to be done: the next run tries again.
    await saveLock(commission)
  }
}

/** What was there already, and the cache has not heard of. */
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

function isIdle(tasks: readonly Task[], { plan, jobs, redone, redoing }: Commission['planned']): boolean {
  const isMoving = plan.steps.some(step => step.do === 'adopt' || step.do === 'restore')
  // That a redo is complete is written down, so that the next one is another.
  if (tasks.length > 0 || isMoving || (redoing && redoing.size > 0)) return false
  const kept = keptBy(plan)
  const isToPick = [...redone].some(address => kept.has(address))
  return !isToPick && completions(jobs, address => kept.get(address)).length === 0
}
