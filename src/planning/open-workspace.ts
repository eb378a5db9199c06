import { defined } from '../base/defined.ts'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import { orderOf, type Purchase } from '../base/purchase.ts'
import { type Shard, shardMark, shardText } from '../base/shard.ts'
import type { OwnGate } from '../looks/own-gate.ts'
import type { Manifest } from '../manifest/shapes/job.ts'
import { divideJobs } from '../plan/division/shards.ts'
import { type Cache, type CacheOptions, type CacheWhere, openCache } from '../store/cache/cache.ts'
import { type HolderSeen, seeHolder } from '../store/claim/claim.ts'
import { stateFolder } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { stoppedBefore } from '../store/journal/fold.ts'
import { absolute, type Layout, layoutOf, usualOutput } from '../workspace/layout.ts'
import { thisMachine } from '../workspace/machine.ts'
import { checkFile } from '../workspace/read/check.ts'
import { leadsAway, ownedFolder } from '../workspace/read/guarded.ts'
import type { NoteTaker } from '../workspace/read/noting.ts'
import type { ProjectPlace } from '../workspace/read/place.ts'
import { isOfAnother, readRecords } from '../workspace/records/beside.ts'
import { findLeftVerdicts } from '../workspace/records/left-verdicts.ts'
import { lookingWorkspace } from '../workspace/records/lineage.ts'
import { type Damaged, damaged, readRecorded } from '../workspace/records/recorded.ts'
import { withWaitingPicks } from '../workspace/records/waiting-picks.ts'
import { openNamed, ownService } from '../workspace/service/named.ts'
import { asServed, type ProfileService } from '../workspace/service/profile.ts'
import { keysOf } from '../workspace/service/service.ts'
import { openTerms } from '../workspace/service/terms.ts'
import type { PlanOptions, Recorded, Workspace } from '../workspace/workspace.ts'
import { formerAsked, formerWorkspace } from './former.ts'
import { makePlan, type PlannedRun, type Refused } from './make-plan.ts'
import { outputSpan, settingProblem } from './obstacles.ts'

/** What a verb that sends nothing needs to know. Paths are relative to `cwd`. */
export interface WorkspaceRequest extends PlanOptions {
  readonly manifest: string
  readonly cwd: string
  /** Of the rehearsal's own output, lock and state, not the real ones. */
  readonly rehearsal?: boolean
  readonly output?: string
  /** Looks of the person's own: a manifest may name these, and no others. */
  readonly gates?: readonly OwnGate[]
  readonly profile?: string
  /** Against which the profile is checked, when it is known. */
  readonly service?: ProfileService
  readonly prices?: string
  readonly cache?: CacheOptions
  /** Aborted: a cache that lies elsewhere is asked no more. */
  readonly stop?: AbortSignal
  /** Hears of all that is read. */
  readonly seen?: NoteTaker
  /** Where the plan will be saved; it is not, when absent. */
  readonly savedTo?: string
}

/** Reads a manifest with everything that belongs to it. It is the one place that does. */
export function openWorkspace(
  request: WorkspaceRequest,
  { isForShow = false }: { readonly isForShow?: boolean } = {},
): Workspace | Refused {
  const { rehearsal = false, service: _, ...unasked } = request
  const secrets = rehearsal ? [] : keysOf(request.service)
  const {
    manifest,
    place: found,
    problems,
  } = checkFile(request.manifest, request.cwd, {
    ...request,
    secrets,
    isForShow,
  })
  const own = manifest ? (manifest.own ?? []) : undefined
  const terms = openTerms(rehearsal ? unasked : request, own, 'GENRUN_BASE_URL')
  const isTold = ({ severity, code }: Diagnostic) =>
    severity === 'error' || !manifest?.silenced?.includes(code)
  const named = manifest && !rehearsal ? openNamed(request, manifest, manifest.own ?? []) : undefined
  const inTerms = [...terms.problems, ...(named?.problems ?? [])]
  const warnings = [...problems, ...inTerms.filter(isTold)]
  const services = request.service ? named?.value : undefined
  if (!manifest || !found || !terms.value || (named && !named.value))
    return { got: 'refused', problems: warnings }
  const { shard } = request
  const place = shard ? { ...found, shard } : found
  if (shard && isOfAnother(place, shard, thisMachine.disk))
    return { got: 'refused', problems: [...warnings, nameTaken(place, shard)] }
  const given = layoutOf(place, manifest, absolute(request, manifest), rehearsal)
  const layout = { ...given, ...usualOutput(given, place, manifest, request) }
  // Who names a folder on the line means it, wherever it leads.
  if (request.output === undefined && leadsAway(layout.output, request.cwd))
    return { got: 'refused', problems: [...warnings, outputElsewhere(manifest, layout)] }
  const owned = request.output === undefined && ownedFolder(layout.output, place.folder)
  if (owned) return { got: 'refused', problems: [...warnings, outputAmong(owned, manifest)] }
  const originOf = (service: string) => ownService(services ?? {}, service)?.origin
  return {
    ...terms.value,
    ...asServed({ manifest, profile: terms.value.profile, services }, rehearsal),
    ...defined({ services }),
    place,
    layout,
    folders: stateFolder(layout.state),
    warnings,
    machine: thisMachine,
    ...(request.cache && { cache: cacheFor(request, request.cache, { layout, originOf }) }),
    ...(shard && { shard: { ...shard, division: divideJobs(manifest.jobs, shard.of) } }),
  }
}

/** A rehearsal is a different world: its placeholders are never found by a run that pays. */
function cacheFor(
  { stop }: WorkspaceRequest,
  cache: CacheOptions,
  { layout, originOf }: Pick<Workspace, 'layout'> & Pick<CacheWhere, 'originOf'>,
): Cache {
  const { rehearsal, state } = layout
  const { disk } = thisMachine
  if ('open' in cache) return cache.open({ rehearsal, state, disk, originOf, ...defined({ stop }) })
  return openCache({
    ...cache,
    ...defined({ originOf }),
    ...(rehearsal && { folder: `${cache.folder}.preview`, mayBeMissing: true }),
  })
}

function nameTaken({ stem }: ProjectPlace, shard: Shard): Diagnostic {
  const name = `${stem}.${shardMark(shard)}`
  const message = `a manifest is called ${name}, and the lock of this shard would be too`
  return settingProblem(
    { name: 'shard', value: shardText(shard) },
    'lock-of-another',
    message,
    'rename that one',
  )
}

function outputElsewhere(manifest: Manifest, { output }: Layout): Diagnostic {
  const message = `the output folder ${output} is a link that leads out of the project`
  const hint = 'name it yourself: --output, or `output` in your own settings (GENRUN_OUTPUT)'
  return error('outside-project', outputSpan(manifest), message, hint)
}

function outputAmong(owned: string, manifest: Manifest): Diagnostic {
  const message = `the output folder lies in ${owned}, among files that are no results`
  return error('bad-output', outputSpan(manifest), message, 'choose another folder')
}

/** A plan that nobody carries out yet, with all that it stands on. */
export interface Seen {
  readonly got: 'seen'
  readonly workspace: Workspace
  readonly recorded: Recorded
  readonly planned: PlannedRun
  readonly warnings: readonly Diagnostic[]
  /** Another genrun at work: what is open may be closed a moment later. */
  readonly holder?: HolderSeen
}

/** How a plan is looked at. */
export interface SeeingOptions {
  /** For whoever shows what is there, and not what a run would do: picks that wait are not carried out. With that comes `isForShow`. */
  readonly isAsRecorded?: boolean
  /** Nobody looks at files by it: looks may be declared elsewhere. */
  readonly isForShow?: boolean
}

/** Reads, and decides what would be done. No write and no request, so that it works where nothing may be written. */
export function seePlan(
  request: WorkspaceRequest,
  against: Against = () => undefined,
  { isAsRecorded = false, isForShow = isAsRecorded }: SeeingOptions = {},
): Seen | Refused | Damaged {
  const opened = openWorkspace(request, { isForShow })
  if ('got' in opened) return opened
  return guarded(() => {
    const refused = against(opened)
    if (refused) return refused
    // Asked before and after: it may begin or end while its records are read.
    const before = holderOf(opened)
    const found = recordedFor(opened, request)
    if ('got' in found) return found
    const left = findLeftVerdicts(found.workspace, found.recorded.purchases)
    const workspace = withLeft(found.workspace, left.own)
    const holder = before ?? holderOf(workspace)
    const sent = { ...found.recorded, purchases: asSentBy(holder, found.recorded.purchases) }
    const recorded = isAsRecorded ? sent : withWaitingPicks(sent, workspace)
    const planned = makePlan(workspace, request, recorded)
    if (planned.got === 'refused') return planned
    const warnings = [...workspace.warnings, ...left.unclear]
    return { got: 'seen', workspace, recorded, planned, warnings, ...defined({ holder }) }
  })
}

/** They count for whoever looks, and a run moves them first. */
function withLeft(workspace: Workspace, leftVerdicts: readonly string[]): Workspace {
  return leftVerdicts.length === 0
    ? workspace
    : { ...workspace, layout: { ...workspace.layout, leftVerdicts } }
}

function holderOf({ folders, machine: { disk, self } }: Workspace): HolderSeen | undefined {
  return seeHolder(folders.claim, { disk, self: self() })
}

/** An order without an answer is no doubt while the process that sent it lives: what was sent before it is. */
function asSentBy(holder: HolderSeen | undefined, purchases: readonly Purchase[]): readonly Purchase[] {
  if (holder?.is !== 'alive') return purchases
  return purchases.map(purchase => {
    const { is, since = 0, detail } = purchase.is === 'doubt' ? purchase : { is: purchase.is }
    if (is !== 'doubt' || detail !== stoppedBefore || since < holder.since) return purchase
    return { ...orderOf(purchase), is: 'under-way', saved: [], parts: [], atWork: true }
  })
}

/** What keeps a plan from being drawn at all. */
type Against = (workspace: Workspace) => Refused | undefined

/** What is recorded, be it under the manifest's former name. */
function recordedFor(
  workspace: Workspace,
  request: WorkspaceRequest,
): { readonly workspace: Workspace; readonly recorded: Recorded } | Refused | Damaged {
  const { continues } = request
  const asked =
    continues === undefined || continues === 'none'
      ? undefined
      : formerAsked(workspace, { ...request, continues })
  if (asked?.got === 'refused') return asked
  if (asked?.got !== 'former') {
    const looking = lookingWorkspace(workspace)
    const recorded = readRecords(looking)
    return 'got' in recorded ? recorded : { workspace: looking, recorded }
  }
  const { lock, text } = asked.former
  const former = formerWorkspace(asked.former, workspace)
  const recorded = readRecorded(former, { got: 'lock', lock, text })
  return 'got' in recorded ? recorded : { workspace: former, recorded }
}

function guarded<T>(read: () => T): T | Damaged {
  try {
    return read()
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}
