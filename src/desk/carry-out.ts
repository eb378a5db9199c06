import type { Clock } from '../base/clock.ts'
import { exit } from '../base/exit.ts'
import type { JobAddress } from '../base/names.ts'
import type { JobState } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import { runEngine } from '../engine/engine.ts'
import type { Event } from '../engine/event.ts'
import { type SlotLimits, usualLimits } from '../engine/slots.ts'
import type { Outcomes, Work } from '../engine/world.ts'
import type { Plan } from '../plan/plan.ts'
import type { Claim } from '../store/claim.ts'
import { openJournal } from '../store/journal.ts'
import { lockSaver } from '../store/lock.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { openSpool } from '../store/spool.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { adoptAll } from './adopt.ts'
import { openBook } from './book.ts'
import { countRequests } from './count.ts'
import { exitOfRun, reportStep } from './ending.ts'
import { openPurse, type Purse } from './purse.ts'
import { remarksOn } from './remarks.ts'
import type { JobReport, Report } from './report.ts'
import { fillCache, restoreAll } from './restore.ts'
import type { Recorded, Setting } from './setting.ts'
import { sweepSpool } from './sweep.ts'
import { worksOf } from './works.ts'
import { remembering, worldOf } from './world.ts'

/** Carries a plan out and reports. A plan without work touches nothing: no request, no write. */
export async function carryOutPlan(
  setting: Setting,
  { plan, ...recorded }: Recorded & { readonly plan: Plan },
  claim: Claim,
): Promise<Report> {
  const { request, layout, folders, machine } = setting
  const { clock, disk, random } = machine
  const began = clock.now()
  const spool = openSpool(folders.spool, disk)
  const works = worksOf(plan, { now: began, random, findSpooled: spool.find })
  const adoptions = plan.steps.filter(step => step.do === 'adopt')
  const restorations = plan.steps.filter(step => step.do === 'restore')
  request.tell(plannedOf(setting, plan, works, began))
  const watch = stopwatch()
  if (works.length + adoptions.length + restorations.length === 0) {
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
    await book.flush()
    if (!journal.broken) await journal.close()
    if (!journal.broken && !request.stop.aborted) sweepSpool(spool, folders.journal, disk)
    const seconds = (clock.now() - began) / 1000
    if (restorers)
      await fillCache(
        [...works, ...restorations].map(({ job }) => job.address),
        restorers,
      )
    const report = reportOf(setting, plan, {
      outcomes,
      watch,
      ...counted.counts(),
      seconds,
      cost: costReport(purse, setting.prices),
    })
    return journal.broken ? { ...report, exit: exit.damaged } : report
  } finally {
    await wire.close()
  }
}

const graceMs = 4000

/**
 * The engine's outcomes. After a stop, requests on their way get some seconds; one that is still unanswered then may
 * have been paid for, so it is in doubt.
 */
async function untilStopped(
  engine: Promise<Outcomes>,
  works: readonly Work[],
  watch: Stopwatch,
  { stop, clock }: { readonly stop: AbortSignal; readonly clock: Clock },
): Promise<Outcomes> {
  const settledFirst = new AbortController()
  const cutOff = waitForAbort(stop, settledFirst.signal)
    .then(() => clock.until(clock.now() + graceMs, settledFirst.signal))
    .then((): Outcomes | undefined => undefined)
  const outcomes = await Promise.race([engine, cutOff])
  settledFirst.abort()
  if (outcomes) return outcomes
  engine.catch(() => undefined) // the process leaves now; what the journal holds is enough to go on
  return new Map(
    works.map(({ job }) => [job.address, watch.states.get(job.address) ?? unseenEnd(watch, job.address)]),
  )
}

function unseenEnd(watch: Stopwatch, address: JobAddress): JobState {
  if (watch.sending.has(address)) return { is: 'doubt', detail: 'genrun was stopped before an answer came' }
  if (watch.started.has(address)) return { is: 'detached', because: { why: 'stopped' } }
  return { is: 'skipped', because: { why: 'stopped' } }
}

function waitForAbort(stop: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (stop.aborted) resolve()
    stop.addEventListener('abort', () => resolve(), { once: true, signal: over })
  })
}

/** What the events tell about each job's times and end. */
interface Stopwatch {
  readonly see: (event: Event) => void
  readonly started: ReadonlyMap<JobAddress, number>
  readonly seconds: ReadonlyMap<JobAddress, number>
  /** Sent, and no answer yet. */
  readonly sending: ReadonlySet<JobAddress>
  readonly states: ReadonlyMap<JobAddress, JobState>
}

function stopwatch(): Stopwatch {
  const started = new Map<JobAddress, number>()
  const seconds = new Map<JobAddress, number>()
  const sending = new Set<JobAddress>()
  const states = new Map<JobAddress, JobState>()
  return {
    started,
    seconds,
    sending,
    states,
    see(event) {
      const { address, at } = event
      if (event.event === 'sending') sending.add(address)
      else if (event.event !== 'bytes') sending.delete(address)
      if (event.event === 'sending' || event.event === 'resumed')
        started.set(address, started.get(address) ?? at)
      if (event.event !== 'settled') return
      states.set(address, event.state)
      seconds.set(address, (at - (started.get(address) ?? at)) / 1000)
    },
  }
}

function plannedOf({ request, layout }: Setting, plan: Plan, works: readonly Work[], at: number) {
  const count = (what: Plan['steps'][number]['do']) => plan.steps.filter(step => step.do === what).length
  const known = new Set(works.map(work => work.job.address))
  return {
    at,
    event: 'planned',
    jobs: plan.steps.length - count('drop'),
    steps: {
      buy: count('buy'),
      keep: count('keep'),
      resume: count('resume'),
      fetch: count('fetch'),
      adopt: count('adopt'),
      hold: count('hold'),
      doubt: count('doubt'),
      restore: count('restore'),
      drop: count('drop'),
    },
    work: works.map(({ job }) => ({
      address: job.address,
      model: job.model.id,
      kind: outputKind(job.model),
      needs: job.needs.filter(need => known.has(need)),
    })),
    output: layout.output,
    rehearsal: request.service.rehearsal,
    remarks: remarksOn(plan),
  } as const
}

interface Run {
  readonly outcomes: Outcomes
  readonly watch: Stopwatch
  readonly paid: number
  readonly requests: number
  readonly seconds: number
  readonly cost?: Report['cost']
}

function costReport(purse: Purse, prices: Setting['prices']): Report['cost'] {
  const credits = purse.credits()
  const { cost } = purse.spent()
  if (!prices && credits === undefined) return undefined
  return {
    ...(prices && { estimated: cost, currency: prices.currency }),
    ...(credits !== undefined && { credits }),
  }
}

function reportOf({ request, manifest, layout }: Setting, plan: Plan, run: Run): Report {
  const jobs = plan.steps.flatMap((step): JobReport[] => {
    const address = step.do === 'drop' ? undefined : step.job.address
    const line = reportStep(
      step,
      address && run.outcomes.get(address),
      address && run.watch.seconds.get(address),
    )
    return line ? [line] : []
  })
  const counts: Partial<Record<JobReport['ending'], number>> = {}
  for (const { ending } of jobs) counts[ending] = (counts[ending] ?? 0) + 1
  const { paid, requests, seconds, cost } = run
  return {
    manifest: request.manifest,
    name: manifest.name,
    rehearsal: request.service.rehearsal,
    output: layout.output,
    lock: layout.lock,
    jobs,
    counts,
    paid,
    requests,
    ...(cost && { cost }),
    seconds,
    exit: exitOfRun(jobs),
  }
}

function limitsOf({ manifest, request }: Setting): SlotLimits {
  const least = (usual: number, ...caps: (number | undefined)[]) => {
    const given = caps.filter(cap => cap !== undefined)
    return given.length > 0 ? Math.min(...given) : usual
  }
  return {
    execute: least(usualLimits.execute, manifest.limits.execute, request.limits?.execute),
    submit: least(usualLimits.submit, manifest.limits.submit, request.limits?.submit),
    download: usualLimits.download,
  }
}

function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
