import { exit } from '../../base/exit.ts'
import type { JobAddress } from '../../base/names.ts'
import type { Recipe } from '../../base/state.ts'
import { runEngine } from '../../engine/engine.ts'
import type { Outcomes, Work } from '../../engine/world.ts'
import type { Step } from '../../plan/step.ts'
import { remainsOf } from '../../store/memory.ts'
import { neededParts } from '../../store/parts.ts'
import { openSpool } from '../../store/spool.ts'
import { limitsOf } from '../draw/pacing.ts'
import { openPurse } from '../draw/purse.ts'
import { openLockBook, openRunJournal } from '../ground/records.ts'
import { pollFloorMs } from '../ground/service.ts'
import { markPick } from '../pick.ts'
import { costReport, plannedOf, reportOf } from '../telling/account.ts'
import type { Report } from '../telling/report.ts'
import { adoptAll } from './adopt.ts'
import type { Book } from './book.ts'
import { completeRecipes, completions } from './complete.ts'
import { countRequests } from './count.ts'
import { lostClaim } from './gate.ts'
import { partsOf } from './parts.ts'
import { restoreAll } from './restore.ts'
import type { Commission, Run } from './run.ts'
import { stopwatch, untilStopped } from './stopwatch.ts'
import { tidyUp } from './tidy-up.ts'
import { worksOf } from './works.ts'
import { remembering, type Tools, worldOf } from './world.ts'

/**
 * Carries a plan out and reports. A plan without work makes no request, and writes nothing but a lock that a crash left
 * behind the journal.
 */
export async function carryOutPlan(commission: Commission): Promise<Report> {
  const { setting, drawn, recorded, claim } = commission
  const { request, folders, machine, profile } = setting
  const began = machine.clock.now()
  const { random } = machine
  const works = worksOf(drawn.plan, { now: began, random, keys: profile.idempotency })
  request.tell(plannedOf(setting, drawn.plan, works, began))
  const watch = stopwatch()
  const book = await openBook(commission)
  if (isIdle(works, book, drawn)) {
    await book.flush()
    return reportOf(setting, drawn.plan, { outcomes: new Map(), watch, paid: 0, requests: 0, seconds: 0 })
  }
  const journal = await openRunJournal(setting, recorded, claim)
  const spool = openSpool(folders.spool, machine.disk)
  const line = machine.connect(request.service, spool.sink, profile)
  const purse = openPurse(setting.caps ?? {}, setting.prices)
  const counted = countRequests(purse.watch(line))
  try {
    const parts = partsOf(setting.layout, machine)
    // Who took the claim over meanwhile has parts of its own there.
    if (!lostClaim(claim)) parts.sweep(neededParts(recorded.journal.values()))
    const run = { ...commission, works, book, journal, parts, spool, purse, wire: counted.wire, watch }
    const { outcomes, seconds, damage } = await carryOut(run, began)
    const cost = costReport(purse, setting.prices)
    const report = reportOf(setting, drawn.plan, { outcomes, watch, ...counted.counts(), seconds, cost })
    return damage ? { ...report, exit: exit.damaged, damage } : report
  } finally {
    await line.close()
  }
}

/** The lock, with what the plan found to be the truth. */
async function openBook({ setting, drawn, recorded, claim }: Commission): Promise<Book> {
  const { steps } = drawn.plan
  const fetches = new Set(steps.flatMap(step => (step.do === 'fetch' ? [step.job.address] : [])))
  const book = await openLockBook(setting, recorded, claim, fetches)
  for (const step of steps) if (step.do === 'keep') book.know(step.entry)
  for (const address of drawn.regained) markPick(address, book)
  return book
}

function isIdle(works: readonly Work[], book: Book, { plan, jobs }: Commission['drawn']): boolean {
  const isMoving = plan.steps.some(step => step.do === 'adopt' || step.do === 'restore')
  return works.length === 0 && !isMoving && completions(jobs, book).length === 0
}

interface Ended {
  readonly outcomes: Outcomes
  readonly seconds: number
  /** The first trouble with the disk after the last request. */
  readonly damage: string | undefined
}

/** What is there goes to its places first: what is bought may be made from it, and may get its old names. */
async function carryOut(run: Run, began: number): Promise<Ended> {
  const { setting, drawn, book } = run
  const unrestored = await moveHome(run)
  const before = new Map(book.entries)
  const { outcomes: carried, recipes } = await carryOutWorks(run)
  const outcomes = new Map([...carried, ...unrestored])
  noteDoubts(run, outcomes, recipes)
  const seconds = (setting.machine.clock.now() - began) / 1000
  const made = new Set([...outcomes].flatMap(([address, { is }]) => (is === 'done' ? [address] : [])))
  const chosen = [...drawn.redone].filter(address => made.has(address))
  const damage = await tidyUp(run, { before, made, chosen })
  for (const address of chosen) {
    const state = outcomes.get(address)
    // Picked, it has another name by now.
    if (state?.is === 'done') outcomes.set(address, { ...state, files: book.made(address) ?? state.files })
  }
  return { outcomes, seconds, damage }
}

/** Results that are there under other names or in the cache get their places. Tells what could not be restored. */
async function moveHome(run: Run): Promise<Outcomes> {
  const { setting, drawn, book, journal } = run
  const { cache, layout, folders, machine } = setting
  const { plan, jobs } = drawn
  const movers = { layout, folders, book, journal, parts: run.parts, disk: machine.disk }
  await adoptAll(plan.steps.filter(isAdoption), movers)
  await completeRecipes(jobs, book, journal)
  return cache ? restoreAll(plan.steps.filter(isRestoration), { ...movers, cache }) : new Map()
}

function isAdoption(step: Step): step is Step & { do: 'adopt' } {
  return step.do === 'adopt'
}

function isRestoration(step: Step): step is Step & { do: 'restore' } {
  return step.do === 'restore'
}

interface Carried {
  readonly outcomes: Outcomes
  /** Of the jobs that were sent. */
  readonly recipes: ReadonlyMap<JobAddress, Recipe>
}

async function carryOutWorks(run: Run): Promise<Carried> {
  const { setting, works, watch } = run
  const { request, manifest, machine } = setting
  const { world, recipes } = remembering(worldOf(toolsOf(run)))
  const engine = runEngine(works, world, limitsOf(manifest.limits, request.limits))
  const outcomes = await untilStopped(engine, works, watch, { stop: request.stop, clock: machine.clock })
  return { outcomes, recipes }
}

function toolsOf({ setting, recorded, claim, journal, parts, spool, book, wire, purse, watch }: Run): Tools {
  const { request, machine, place, layout, folders, profile } = setting
  return {
    machine,
    place,
    layout,
    folders,
    claim,
    journal,
    parts,
    spool,
    book,
    wire,
    profile,
    purse,
    tell(event) {
      watch.see(event)
      request.tell(event)
    },
    stop: request.stop,
    verify: request.verify,
    left(address, nth) {
      const memory = recorded.journal.get(address)
      return memory && remainsOf(memory, nth)
    },
    pollFloorMs: pollFloorMs(request.service),
  }
}

/** What was cut off by a stop the engine did not see end: the lock has to know that it may be paid for. */
function noteDoubts({ works, book }: Run, outcomes: Outcomes, recipes: Carried['recipes']): void {
  for (const { job } of works) {
    const state = outcomes.get(job.address)
    const recipe = recipes.get(job.address)
    if (state?.is === 'doubt' && recipe) book.keep(job, state, recipe)
  }
}
