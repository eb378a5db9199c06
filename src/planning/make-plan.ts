import { basename } from 'node:path'
import { defined } from '../base/defined.ts'
import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import { counted } from '../base/measure.ts'
import type { Digest, JobAddress, PurchaseId } from '../base/names.ts'
import { offered } from '../base/nearest.ts'
import type { Purchase } from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import type { Prices } from '../forms/cost.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { type Bill, billOf } from '../plan/bill.ts'
import { type Caps, lowestCaps } from '../plan/budget.ts'
import { planOfShard, type ShardWork, shareOf } from '../plan/division/shards.ts'
import type { CachedResult, Facts } from '../plan/facts.ts'
import { followVerdicts } from '../plan/follow-verdicts.ts'
import {
  type HeededPick,
  heededPicks,
  picksOver,
  purchasesOncePicked,
  purchasesRestored,
  unheededPicks,
} from '../plan/picks.ts'
import { idOf } from '../plan/request/pattern.ts'
import { type PlannedJobs, planRequest } from '../plan/request/planned.ts'
import type { Selected } from '../plan/request/select.ts'
import { withoutPassedOver } from '../plan/retakes.ts'
import { isJobStep, type Plan, type Step } from '../plan/shapes/step.ts'
import type { Cache } from '../store/cache/cache.ts'
import { recipeKey } from '../store/cache/cache-text.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { shellWord } from '../text/shell-word.ts'
import { owner } from '../workspace/read/place.ts'
import { loadDecided } from '../workspace/records/left-verdicts.ts'
import { type LyingElsewhere, lyingElsewhere } from '../workspace/records/lying-elsewhere.ts'
import type { SpokenServices } from '../workspace/service/named.ts'
import type { PlanOptions, Recorded, Workspace } from '../workspace/workspace.ts'
import { knownElsewhere, owedElsewhere } from './elsewhere.ts'
import { alteredFinder, digestInputs, factsOf, type Inputs } from './facts.ts'
import { findOriginal, findSwapped, type Original } from './near-locks.ts'
import { findFileInTheWay, findObstacles, settingProblem } from './obstacles.ts'
import { byTodaysNames } from './renamed-services.ts'

/** A plan with all that it was made from: what `plan` shows is what `run` carries out. */
export interface PlannedRun {
  readonly got: 'planned'
  readonly plan: Plan
  /** The jobs as planned: picks applied. */
  readonly jobs: readonly Job[]
  /** Takes that `redo` orders, or has ordered, to be picked when they are there. */
  readonly redone: ReadonlySet<JobAddress>
  /** All that this `redo` is to bring, be it there already. */
  readonly redoing?: ReadonlySet<JobAddress>
  /** Takes that somebody picked, as the records have it. */
  readonly picked: readonly JobAddress[]
  /** Picks that hold no longer. */
  readonly unpicked: readonly JobAddress[]
  /** Picks that wait; absent where none does. */
  readonly waiting?: WaitingPicks
  /** Jobs that would be bought without `--limit`. */
  readonly leftOut?: number
  /** The jobs whose files are to be accepted. */
  readonly accepting?: ReadonlySet<JobAddress>
  /** Results in the cache that are not what they should be, and count as not there. */
  readonly damagedCopies: number
  /** Results that lie under their names and may not be read: nobody has looked at them. Absent: none. */
  readonly closed?: readonly string[]
  /** Results that an earlier run put elsewhere, and that this one misses. */
  readonly left?: LyingElsewhere
  /** Of which it is a part. */
  readonly shard?: ShardWork
  /** What is bought for the first time, and another manifest has. */
  readonly original?: Original
  /** Locks that were found outside the project. */
  readonly rescued: Recorded['rescued']
  readonly facts: Facts
  readonly inputs: Inputs
  readonly bill: Bill
  readonly prices?: Prices
  readonly caps: Caps
  /** What stands in the way on disk; nothing is bought until it is gone. */
  readonly obstacles: readonly Diagnostic[]
}

/** What becomes of picks that were asked for and that nobody has carried out yet. */
interface WaitingPicks {
  /** Carried out, and counted by the plan. */
  readonly heeded: readonly HeededPick[]
  /** Over: their takes are not what was made, and looked at, with the files that were altered since. */
  readonly altered: readonly (HeededPick & { readonly paths: readonly string[] })[]
  /** They wait on: what was seen is not recorded here, and does not come from the cache. */
  readonly unmet: readonly WaitingPick[]
}

export interface Refused {
  readonly got: 'refused'
  readonly problems: readonly Diagnostic[]
}

/** Decides what is done about every job. Reads inputs, outputs and the cache; writes nothing and asks nobody. */
export function makePlan(
  workspace: Workspace,
  options: PlanOptions,
  recorded: Recorded,
): PlannedRun | Refused {
  const { manifest, place, layout, folders, machine, cache, origin, services } = workspace
  const { disk } = machine
  const inputs = digestInputs(manifest, place, disk, {
    ...workspace,
    ...defined({ mayLackInputs: options.mayLackInputs }),
  })
  if (hasErrors(inputs.problems)) return { got: 'refused', problems: inputs.problems }
  const unread: StorageError[] = []
  const damaged = new Set<Digest>()
  let elsewhere: readonly Purchase[] | undefined
  const origins = services && originsIn(services)
  const closed = new Set<string>()
  const where = { output: layout.output, kept: folders.kept, disk, closed }
  const isDecidedAbout = manifest.jobs.some(job => job.isApprovalRequired || job.retakes !== undefined)
  const alteredOf = alteredFinder(recorded.purchases, where)
  const draw = (picks: readonly HeededPick[]) => {
    const waiting = sortPicks(picks, alteredOf)
    const known = purchasesOncePicked(recorded.purchases, waiting.heeded)
    const named = origins ? byTodaysNames(known, origins, manifest.jobs) : known
    const verdicts = isDecidedAbout ? knownVerdicts(workspace, named) : undefined
    const purchases =
      verdicts && 'on' in verdicts ? withoutPassedOver(named, verdicts, recorded.orderedAt) : named
    const facts: Facts = {
      ...factsOf(purchases, inputs, where),
      skipped: recorded.skipped,
      ...defined({ origin, origins, redoing: recorded.redoing }),
      ...(options.continues !== 'none' && {
        elsewhere: () => (elsewhere ??= knownElsewhere(workspace, recorded)),
      }),
      ...defined({ verdicts, gate: options.gate }),
      ...(cache && { cached: (recipe, from = 0) => findWhole(cache, { recipe, from }, { damaged, unread }) }),
    }
    const picked = [...pickedTakes(known), ...takesToCome(waiting.heeded, recorded)]
    return { waiting, facts, picked, whole: planRequest({ ...options, jobs: manifest.jobs, picked }, facts) }
  }
  const first = draw(recorded.picks ?? [])
  // What is picked is known when it is known what the cache brings, and what is made from that is another thing then.
  const more = first.whole.got === 'planned' ? picksOnceRestored(recorded, first.whole.plan) : undefined
  const { waiting: sorted, facts, picked, whole } = more ? draw(more) : first
  if (whole.got === 'nothing') return { got: 'refused', problems: [slipProblem(whole, manifest.jobs)] }
  const waiting = { ...sorted, unmet: unmetOf(recorded, sorted) }
  const matchedPlan = ofShard(whole, workspace, recorded)
  const { plan, jobs, redone, redoing, unpicked, accepting, leftOut } = matchedPlan
  return {
    got: 'planned',
    plan,
    jobs,
    redone,
    picked,
    unpicked,
    ...defined({ accepting, leftOut, redoing }),
    ...(Object.values(waiting).flat().length > 0 && { waiting }),
    damagedCopies: damaged.size,
    ...(closed.size > 0 && { closed: [...closed] }),
    ...defined({ left: lyingElsewhere(plan, recorded, workspace) }),
    ...(workspace.shard && { shard: workspace.shard }),
    ...originalOf(plan, workspace, options, recorded),
    rescued: recorded.rescued,
    facts,
    inputs,
    bill: billOf(plan, workspace.prices),
    ...defined({ prices: workspace.prices }),
    caps: runCaps(workspace, options),
    obstacles: [
      ...(plan.buys > 0 ? unread.slice(0, 1).map(unreadProblem) : []),
      ...swapProblems(plan, workspace, options, recorded),
      ...inTheWayOf(matchedPlan, workspace, recorded),
    ],
  }
}

/** Whoever picks has looked at what was made: of another file nobody wants that it is the result. */
function sortPicks(
  picks: readonly HeededPick[],
  alteredOf: (made: HeededPick['of']) => readonly string[],
): Omit<WaitingPicks, 'unmet'> {
  const found = picks.map(each => ({ ...each, paths: each.pick.pick === 'none' ? [] : alteredOf(each.of) }))
  return {
    heeded: picks.filter((_, nth) => found[nth]?.paths.length === 0),
    altered: found.filter(({ paths }) => paths.length > 0),
  }
}

/** All that count once the results are there that a plan takes from the cache; undefined where it brings none that is meant. */
function picksOnceRestored(
  { picks = [], unmet = [], purchases, foreign }: Recorded,
  plan: Plan,
): readonly HeededPick[] | undefined {
  const restored = unmet.length === 0 ? [] : purchasesRestored(plan)
  if (restored.length === 0) return undefined
  const isForeign = (id: PurchaseId) => foreign?.has(id) === true
  const all = heededPicks([...picksOver(picks), ...unmet], [...purchases, ...restored], isForeign)
  const known = new Set(purchases.map(({ id }) => id))
  return all.some(({ of }) => !known.has(of)) ? all : undefined
}

/** Of results that are not recorded yet: these have no mark. */
function takesToCome(heeded: readonly HeededPick[], { purchases }: Recorded): JobAddress[] {
  const known = new Set(purchases.map(({ id }) => id))
  return heeded.flatMap(({ pick, of, address }) => (pick.pick === 'none' || known.has(of) ? [] : [address]))
}

/** Of what is recorded nobody has to be told where it is. */
function unmetOf(
  { unmet = [], purchases }: Recorded,
  { heeded }: Pick<WaitingPicks, 'heeded'>,
): readonly WaitingPick[] {
  const known = new Set(purchases.map(({ id }) => id))
  return unheededPicks(unmet, heeded).filter(({ of }) => of !== undefined && !known.has(of))
}

/** What cannot be read approves nothing: whatever else is to be done goes on. */
function knownVerdicts(
  { layout, machine, manifest }: Workspace,
  purchases: readonly Purchase[],
): NonNullable<Facts['verdicts']> {
  try {
    const { verdicts } = loadDecided(layout, machine.disk)
    const jobs = manifest.jobs.map(({ address }) => address)
    return followVerdicts(verdicts, jobs, purchases)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return { unread: trouble.message, ...defined({ remedy: trouble.remedy }) }
  }
}

function originsIn(services: SpokenServices): NonNullable<Facts['origins']> {
  const known = Object.entries(services).flatMap(([name, { origin }]) =>
    origin === undefined ? [] : [[name, origin] as const],
  )
  return Object.fromEntries(known)
}

/** The plan of the whole manifest decides what is wanted and what is there for it, and each shard does its part of that. */
function ofShard(whole: PlannedJobs, { shard }: Workspace, { foreign }: Recorded): PlannedJobs {
  if (!shard) return whole
  return planOfShard(whole, shard, step => 'purchase' in step && foreign?.has(step.purchase.id) === true)
}

/** Looked for where something is bought, and nothing was before. */
function originalOf(
  { buys }: Plan,
  workspace: Workspace,
  { continues }: PlanOptions,
  { lockText, purchases }: Recorded,
): Pick<PlannedRun, 'original'> {
  const { layout, place } = workspace
  const isFirst = lockText === undefined && purchases.length === 0 && buys > 0
  const isOwnName = layout.rehearsal || place.stem === owner || continues !== undefined
  const original = isFirst && !isOwnName ? findOriginal(workspace) : undefined
  return original ? { original } : {}
}

/** Two manifests that swapped their names would buy all that either has. A copy of one buys for itself, and has no records yet. */
function swapProblems(
  plan: Plan,
  workspace: Workspace,
  { continues, redo, shard }: PlanOptions,
  { purchases }: Recorded,
): Diagnostic[] {
  const { layout, place } = workspace
  const isOther = layout.rehearsal || place.stem === owner || continues !== undefined || redo || shard
  const swapped =
    isOther || plan.buys === 0 || purchases.length === 0 ? undefined : findSwapped(workspace, plan, purchases)
  if (!swapped) return []
  const { manifest, lock, purchases: count } = swapped
  const own = basename(place.manifest)
  const message = `it asks for what ${manifest} has bought (${counted(count, 'purchase')}, known by ${lock}), and no more for what it has bought itself: have the two manifests each other’s names?`
  const hint = `if so, give them their own names back, and swap them over a third one, with --continue each time; \`genrun run ${shellWord(own)} --continue none\` buys it for this one as well`
  return [settingProblem({ name: own, value: '' }, 'renamed-manifest', message, hint)]
}

/** A job whose names are taken by what is paid for already hears that once. */
function obstaclesOf(matchedPlan: PlannedJobs, workspace: Workspace, recorded: Recorded): Diagnostic[] {
  const inTheWay = findObstacles(matchedPlan, workspace, recorded)
  const lines = new Set(inTheWay.map(({ at }) => `${at.file.name}:${at.start}`))
  const lineOf = (step: Step) => {
    const at = isJobStep(step) ? step.job.written.locate(['output'], 'value') : undefined
    return at && `${at.file.name}:${at.start}`
  }
  const { steps: all } = matchedPlan.plan
  // Where a job stands is looked up in its text.
  const steps = lines.size === 0 ? all : all.filter(step => !lines.has(lineOf(step) ?? ''))
  return [...owedElsewhere({ steps }, workspace), ...inTheWay]
}

function inTheWayOf(matchedPlan: PlannedJobs, workspace: Workspace, recorded: Recorded): Diagnostic[] {
  if (isAtWork(matchedPlan)) return obstaclesOf(matchedPlan, workspace, recorded)
  return matchedPlan.plan.steps.some(isBrought) ? findFileInTheWay(workspace) : []
}

/** Whether files get names by it that they do not have yet. */
function isAtWork({ plan: { steps }, redone }: Pick<PlannedJobs, 'plan' | 'redone'>): boolean {
  return redone.size > 0 || steps.some(step => step.do === 'buy' || step.do === 'adopt')
}

/** What is paid for already waits for a name that another has: of a folder that is a file there is none to wait for. */
function isBrought({ do: what }: Step): boolean {
  return what === 'fetch' || what === 'restore' || what === 'resume'
}

/** By the same rules as without a cache when its copy is damaged, which is noted; and what could not be looked at. */
function findWhole(
  cache: Cache,
  { recipe, from }: { readonly recipe: Recipe; readonly from: number },
  { damaged, unread }: { readonly damaged: Set<Digest>; readonly unread: StorageError[] },
): CachedResult | undefined {
  try {
    const found = cache.find(recipe, from)
    if (found !== 'damaged') return found
    damaged.add(recipeKey(recipe, from))
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    unread.push(trouble)
  }
  return undefined
}

/** To count as nothing would buy once more what others have, as with a bucket that cannot be asked. */
function unreadProblem({ message, path, remedy }: StorageError): Diagnostic {
  const hint = remedy ?? 'make it readable for this user, or leave `--cache` out'
  return settingProblem({ name: 'cache', value: path }, 'cache-unreachable', message, hint)
}

function slipProblem(
  { word, kind, near, about }: Extract<Selected, { got: 'nothing' }>,
  jobs: readonly Job[],
): Diagnostic {
  const messages = {
    job: `no job is called ${word}`,
    tag: `no job has the tag ${word}`,
    model: `no job has the model ${word}`,
  }
  const usual = near ? `did you mean ${near}` : knownText(kind, jobs)
  const { message, hint } = about ?? { message: messages[kind], hint: usual }
  return settingProblem({ name: 'selection', value: word }, 'nothing-selected', message, hint)
}

/** What there is to choose from; nothing where there is nothing of the kind. */
function knownText(kind: 'job' | 'tag' | 'model', jobs: readonly Job[]): string | undefined {
  const words = {
    job: () => jobs.map(job => idOf(job.address)),
    tag: () => jobs.flatMap(job => job.tags),
    model: () => jobs.map(job => job.model.id),
  }
  const known = [...new Set(words[kind]())]
  return known.length === 0 ? undefined : offered(known)
}

/** What the person lets a run spend at each service. */
function capsAt(services: SpokenServices): NonNullable<Caps['services']> {
  const capped = Object.entries(services).flatMap(([name, { limits = {} }]) => {
    const caps = lowestCaps(limits)
    return Object.keys(caps).length > 0 ? [[name, caps] as const] : []
  })
  return Object.fromEntries(capped)
}

/** Placeholders cost nothing: without prices a rehearsal has no cost to cap. */
/** What a run of it may spend, the lowest of all that say so. */
export function runCaps(
  { manifest, layout, prices, services = {}, shard }: Workspace,
  options: Pick<PlanOptions, 'caps'>,
): Caps {
  const all = lowestCaps(manifest.limits, options.caps, { services: capsAt(services) })
  const caps = shard ? shareOf(all, shard, prices) : all
  if (!layout.rehearsal || prices) return caps
  return caps.maxPaid === undefined ? {} : { maxPaid: caps.maxPaid }
}

/** Takes that somebody picked. */
function pickedTakes(purchases: readonly Purchase[]): JobAddress[] {
  return purchases.flatMap(each => (each.is === 'done' && each.picked && !each.aside ? [each.address] : []))
}
