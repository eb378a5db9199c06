import { exit } from '../../base/exit.ts'
import type { JobAddress } from '../../base/names.ts'
import { runEngine } from '../../engine/engine.ts'
import type { Event } from '../../engine/event.ts'
import type { Claim } from '../../store/claim.ts'
import { openSpool } from '../../store/spool.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import type { Drawn } from '../draw/draw.ts'
import { limitsOf } from '../draw/pacing.ts'
import { openPurse } from '../draw/purse.ts'
import { openLockBook, openRunJournal } from '../ground/records.ts'
import type { Recorded, Setting } from '../ground/setting.ts'
import { markPick, settlePick } from '../pick.ts'
import { costReport, plannedOf, reportOf } from '../telling/account.ts'
import type { Report } from '../telling/report.ts'
import { adoptAll } from './adopt.ts'
import { completeRecipes, completions } from './complete.ts'
import { countRequests } from './count.ts'
import { fillCache, restoreAll } from './restore.ts'
import { stopwatch, untilStopped } from './stopwatch.ts'
import { keepSuperseded, supersededFiles } from './superseded.ts'
import { sweepSpool } from './sweep.ts'
import { worksOf } from './works.ts'
import { remembering, worldOf } from './world.ts'

/**
 * Carries a plan out and reports. A plan without work makes no request, and writes nothing but a lock that a crash left
 * behind the journal.
 */
export async function carryOutPlan(
  setting: Setting,
  {
    plan,
    jobs,
    redone,
    regained,
    ...recorded
  }: Recorded & Pick<Drawn, 'plan' | 'jobs' | 'redone' | 'regained'>,
  claim: Claim,
): Promise<Report> {
  const { request, layout, folders, machine } = setting
  const { clock, disk, random } = machine
  const began = clock.now()
  const spool = openSpool(folders.spool, disk)
  const works = worksOf(plan, { now: began, random, keys: setting.profile.idempotency })
  const adoptions = plan.steps.filter(step => step.do === 'adopt')
  const restorations = plan.steps.filter(step => step.do === 'restore')
  request.tell(plannedOf(setting, plan, works, began))
  const watch = stopwatch()
  const fetches = new Set(plan.steps.flatMap(step => (step.do === 'fetch' ? [step.job.address] : [])))
  const book = openLockBook(setting, recorded, claim, fetches)
  for (const step of plan.steps) if (step.do === 'keep') book.know(step.entry)
  for (const address of regained) markPick(address, book)
  const gaps = completions(jobs, book)
  if (works.length + adoptions.length + restorations.length + gaps.length === 0) {
    await book.flush()
    return reportOf(setting, plan, { outcomes: new Map(), watch, paid: 0, requests: 0, seconds: 0 })
  }
  const journal = await openRunJournal(setting, recorded, claim)
  const wire = machine.connect(request.service, spool.sink, setting.profile)
  const purse = openPurse(setting.caps ?? {}, setting.prices)
  const counted = countRequests(purse.watch(wire))
  try {
    await adoptAll(adoptions, { layout, folders, book, journal, disk })
    await completeRecipes(jobs, book, journal)
    const restorers = setting.cache && { cache: setting.cache, layout, folders, book, journal, disk }
    const unrestored = restorers && (await restoreAll(restorations, restorers))
    const tools = {
      machine,
      place: setting.place,
      layout,
      folders,
      claim,
      journal,
      spool,
      book,
      wire: counted.wire,
      profile: setting.profile,
      purse,
      tell: (event: Event) => {
        watch.see(event)
        request.tell(event)
      },
      stop: request.stop,
      verify: request.verify,
      left: (address: JobAddress, nth: number) =>
        recorded.journal.get(address)?.parts?.find(part => part.nth === nth)?.beginning,
      pollFloorMs: request.service.rehearsal || isLoopback(request.service.baseUrl) ? 50 : 1000,
    }
    const before = new Map(book.entries)
    const { world, recipes } = remembering(worldOf(tools))
    const engine = runEngine(works, world, limitsOf(setting.manifest.limits, setting.request.limits))
    const carried = await untilStopped(engine, works, watch, { stop: request.stop, clock })
    const outcomes = new Map([...carried, ...(unrestored ?? [])])
    const made = new Set([...outcomes].flatMap(([address, { is }]) => (is === 'done' ? [address] : [])))
    const chosen = [...redone].filter(address => made.has(address))
    for (const work of works) {
      const state = outcomes.get(work.job.address)
      const recipe = recipes.get(work.job.address)
      if (state?.is === 'doubt' && recipe) book.keep(work.job, state, recipe)
    }
    const seconds = (clock.now() - began) / 1000
    const damage = await damageOf(
      () => completeRecipes(jobs, book, journal),
      async () => {
        const files = supersededFiles(before, book.entries, made)
        if (files.length > 0 && !journal.broken && claim.isMine())
          await keepSuperseded(files, { layout, folders, disk })
      },
      async () => {
        const desk = { ground: setting, wanted: {}, recorded, journal, book, made }
        if (chosen.length > 0 && !journal.broken && claim.isMine()) await settlePick(chosen, desk)
      },
      () => book.flush(),
      () => journal.close(),
      async () => sweepSpool(spool, folders.journal, disk, { stop: request.stop, claim, journal }),
      async () => {
        const made = [...works, ...restorations].map(({ job }) => job.address)
        if (restorers) await fillCache(made, restorers)
      },
    )
    for (const address of chosen) {
      const state = outcomes.get(address)
      // Picked, it has another name by now.
      if (state?.is === 'done') outcomes.set(address, { ...state, files: book.made(address) ?? state.files })
    }
    const report = reportOf(setting, plan, {
      outcomes,
      watch,
      ...counted.counts(),
      seconds,
      cost: costReport(purse, setting.prices),
    })
    return damage ? { ...report, exit: exit.damaged, damage } : report
  } finally {
    await wire.close()
  }
}

/**
 * Does all that is left to do, one after the other, and says what the first trouble with the disk was. It comes too late
 * to undo anything: what was bought is told all the same, and the spool is left alone.
 */
async function damageOf(...deeds: readonly (() => Promise<void>)[]): Promise<string | undefined> {
  let damage: string | undefined
  for (const deed of deeds) {
    try {
      await deed()
    } catch (trouble) {
      if (!(trouble instanceof StorageTrouble)) throw trouble
      damage ??= trouble.message
    }
  }
  return damage
}

function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
