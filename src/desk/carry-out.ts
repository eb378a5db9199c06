import { exit } from '../base/exit.ts'
import { runEngine } from '../engine/engine.ts'
import type { Event } from '../engine/event.ts'
import { type SlotLimits, usualLimits } from '../engine/slots.ts'
import type { Plan } from '../plan/plan.ts'
import type { Claim } from '../store/claim.ts'
import { openJournal } from '../store/journal.ts'
import { lockSaver } from '../store/lock.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { openSpool } from '../store/spool.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { costReport, plannedOf, reportOf } from './account.ts'
import { adoptAll } from './adopt.ts'
import { openBook } from './book.ts'
import { completeRecipes } from './complete.ts'
import { countRequests } from './count.ts'
import { openPurse } from './purse.ts'
import type { Report } from './report.ts'
import { fillCache, restoreAll } from './restore.ts'
import type { Recorded, Setting } from './setting.ts'
import { stopwatch, untilStopped } from './stopwatch.ts'
import { sweepSpool } from './sweep.ts'
import { worksOf } from './works.ts'
import { remembering, worldOf } from './world.ts'

/**
 * Carries a plan out and reports. A plan without work makes no request, and writes nothing but a lock that a crash left
 * behind the journal.
 */
export async function carryOutPlan(
  setting: Setting,
  { plan, ...recorded }: Recorded & { readonly plan: Plan },
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
  const book = openBook(
    recorded.lock,
    recorded.entries,
    lockSaver({
      path: layout.lock,
      ...(recorded.lockText !== undefined && { text: recorded.lockText }),
      disk,
      clock,
    }),
    fetches,
  )
  for (const step of plan.steps) if (step.do === 'keep') book.know(step.entry)
  if (works.length + adoptions.length + restorations.length === 0) {
    await book.flush()
    return reportOf(setting, plan, { outcomes: new Map(), watch, paid: 0, requests: 0, seconds: 0 })
  }
  await prepareOutputs(layout.output, disk)
  const opened = await openJournal({
    folder: folders.journal,
    lineage: recorded.lock.lineage,
    tool: 'genrun',
    disk,
    clock,
  })
  if (opened.got === 'damaged')
    throw new StorageTrouble(opened.file, 'read', `${opened.why}, at byte ${opened.offset}`)
  const { journal } = opened
  const wire = machine.connect(request.service, spool.sink, setting.profile)
  const purse = openPurse(setting.caps ?? {}, setting.prices)
  const counted = countRequests(purse.watch(wire))
  try {
    await adoptAll(adoptions, { layout, folders, book, journal, disk })
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
      pollFloorMs: request.service.rehearsal || isLoopback(request.service.baseUrl) ? 50 : 1000,
    }
    const { world, recipes } = remembering(worldOf(tools))
    const engine = runEngine(works, world, limitsOf(setting))
    const carried = await untilStopped(engine, works, watch, { stop: request.stop, clock })
    const outcomes = new Map([...carried, ...(unrestored ?? [])])
    for (const work of works) {
      const state = outcomes.get(work.job.address)
      const recipe = recipes.get(work.job.address)
      if (state?.is === 'doubt' && recipe) book.keep(work.job, state, recipe)
    }
    const seconds = (clock.now() - began) / 1000
    const damage = await damageOf(
      () => completeRecipes(plan, book, journal),
      () => book.flush(),
      () => journal.close(),
      async () => {
        if (!journal.broken && !request.stop.aborted) sweepSpool(spool, folders.journal, disk)
      },
      async () => {
        const made = [...works, ...restorations].map(({ job }) => job.address)
        if (restorers) await fillCache(made, restorers)
      },
    )
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

function limitsOf({ manifest, request }: Setting): SlotLimits {
  const least = (usual: number, ...caps: (number | undefined)[]) => {
    const given = caps.filter(cap => cap !== undefined)
    return given.length > 0 ? Math.min(...given) : usual
  }
  const { execute: _, submit: __, ...nested } = request.limits ?? {}
  return {
    ...nested,
    execute: least(usualLimits.execute, manifest.limits.execute, request.limits?.execute),
    submit: least(usualLimits.submit, manifest.limits.submit, request.limits?.submit),
    download: usualLimits.download,
  }
}

function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
