import { basename, dirname, relative, resolve, sep } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Digest, Json, PurchaseId } from '../base/names.ts'
import { readShard, shardText } from '../base/shard.ts'
import type { Prices } from '../forms/cost.ts'
import type { Manifest } from '../manifest/shapes/job.ts'
import type { Caps } from '../plan/budget.ts'
import type { Selection } from '../plan/request/select.ts'
import { isJobStep, type JobStep, type Plan } from '../plan/step.ts'
import type { FolderCache } from '../store/cache/cache.ts'
import { digestBytes, digestOf } from '../store/files/digest.ts'
import type { ProjectPlace } from '../workspace/read/place.ts'
import { type Spoken, spokenBy } from '../workspace/service/named.ts'
import type { PlannedRun } from './make-plan.ts'
import type { Seen, WorkspaceRequest } from './open-workspace.ts'

/** A plan as `plan -o` writes it: what to do, with what, and everything that must still be so when it is done. */
export interface SavedPlan {
  readonly genrunPlan: 2
  /** The manifest, from the folder of the plan's own file. */
  readonly manifest: string
  readonly asked: {
    readonly failed: boolean
    readonly rebuy: boolean
    /** Absent in plans of an earlier genrun. */
    readonly resubmit?: boolean
    readonly redo: boolean
    readonly select: Selection
    readonly caps: Caps
    readonly rehearsal: boolean
    /** Of one shard of the manifest: `3/16`. Its caps are those of all together. */
    readonly shard?: string
    /** Values of variables that came from outside the manifest. */
    readonly vars: NonNullable<WorkspaceRequest['vars']>
  }
  /** What the plan was made with: used again, unless other ones are named. From the folder of the plan's own file. */
  readonly means: Means
  readonly digests: {
    readonly manifest: Digest
    /** Every other text that the manifest is made from, by path from its folder. */
    readonly texts: { readonly [path: string]: Digest }
    /** Absent: there was none. */
    readonly lock?: Digest
    readonly prices?: Digest
    readonly profile: Digest
    /** By path as written. */
    readonly inputs: { readonly [path: string]: Digest }
    readonly jobs: Digest
    /** Which results the plan counted on. Absent in plans of an earlier genrun. */
    readonly kept?: Digest
  }
  /** `buy clip`, `keep hero`, in order. */
  readonly steps: readonly string[]
  readonly paid: number
}

export interface Means {
  readonly output?: string
  /** The folder in which a manifest that names no output folder had its own. */
  readonly outputs?: string
  readonly prices?: string
  readonly profile?: string
  readonly cache?: Pick<FolderCache, 'folder' | 'readOnly' | 'maxBytes'>
}

/** `savedTo` is where the plan's file will lie. */
export function savedPlan(request: WorkspaceRequest & { readonly savedTo: string }, seen: Seen): SavedPlan {
  const { workspace, recorded, planned } = seen
  const { choices, redo, select = {}, caps = {}, rehearsal, vars, shard } = request
  const { manifest, place } = workspace
  const folder = dirname(resolve(request.cwd, request.savedTo))
  return {
    genrunPlan: 2,
    manifest: pathFrom(folder, place.manifest),
    asked: {
      failed: choices?.failed === true,
      rebuy: choices?.rebuy === true,
      ...(choices?.resubmit && { resubmit: true }),
      redo: redo === true,
      select,
      caps,
      rehearsal: rehearsal === true,
      vars: vars ?? [],
      ...(shard && { shard: shardText(shard) }),
    },
    means: meansOf(request, folder),
    digests: {
      manifest: digestBytes(manifest.file.text),
      texts: textDigests(manifest, place, request.cwd),
      ...(recorded.lockText !== undefined && {
        lock: digestBytes(recorded.lockText.replaceAll('\r\n', '\n')),
      }),
      ...(workspace.prices && { prices: pricesDigest(workspace.prices) }),
      profile: profilesDigest(workspace),
      inputs: Object.fromEntries(planned.inputs.digests),
      jobs: jobsDigest(planned),
      kept: keptDigest(planned.plan, boughtBy(stepWords(planned.plan))),
    },
    steps: stepWords(planned.plan),
    paid: planned.plan.buys,
  }
}

/** What things cost, whoever believes it: a plan that a person saves may be carried out where nobody watches. */
function pricesDigest({ own, ...prices }: Prices): Digest {
  const said = own?.map(({ isDoubted: _belief, ...each }) => each)
  return digestOf({ ...prices, ...defined({ own: said }) } as unknown as Json) // prices are JSON throughout
}

/** Of the usual service alone where no job names another: what others say changes nothing then. */
function profilesDigest({ profile, services, manifest }: Seen['workspace']): Digest {
  const names = [...new Set(manifest.jobs.flatMap(({ service }) => service ?? []))].toSorted()
  const named = names.map(name => [name, unpriced(spokenBy({ profile, services }, name))] as const)
  const usual = unpriced({ profile }).profile
  return digestBytes(JSON.stringify(named.length === 0 ? usual : [usual, named]))
}

/** What models cost stands with the prices, and where a catalog lies is another matter in each folder. */
function unpriced({ profile, ...spoken }: Spoken): Spoken {
  const own = profile.own?.map(({ price: _cost, ...model }) => model)
  return { ...spoken, profile: { ...profile, ...defined({ own }) } }
}

function pathFrom(folder: string, path: string): string {
  return relative(folder, path).replaceAll(sep, '/')
}

function meansOf(request: WorkspaceRequest, folder: string): Means {
  const { cwd, output, outputs, prices, profile, cache } = request
  const from = (path: string) => pathFrom(folder, resolve(cwd, path))
  return {
    ...(output !== undefined && { output: from(output) }),
    ...(outputs !== undefined && { outputs: from(outputs) }),
    ...(prices !== undefined && { prices: from(prices) }),
    ...(profile !== undefined && { profile: from(profile) }),
    ...(cache && {
      cache: {
        // What is no folder is only noted: no plan says which cache is used.
        ...('folder' in cache
          ? { folder: from(cache.folder), ...defined({ maxBytes: cache.maxBytes }) }
          : { folder: cache.place }),
        ...(cache.readOnly && { readOnly: true }),
      },
    }),
  }
}

// Names of texts count from the folder in which the user is, which may be another one when the plan is carried out.
function textDigests(
  { sources = [] }: Manifest,
  { folder }: ProjectPlace,
  cwd: string,
): { [path: string]: Digest } {
  return Object.fromEntries(
    sources
      .map(({ name, text }) => [pathFrom(folder, resolve(cwd, name)), digestBytes(text)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Everything that decides what is sent and where its files go, whatever text it came from. */
export function jobsDigest({ jobs }: Pick<PlannedRun, 'jobs'>): Digest {
  const plain = jobs.map(({ address, model, service, params, files, needs, output, take, tags }) => {
    const refs = Object.fromEntries(
      Object.entries(files).map(([at, each]) => [at, each.map(ref => ({ ...ref }))]),
    )
    const at = service === undefined ? {} : { service }
    return { address, model: model.id, ...at, params, files: refs, needs, output, take, tags }
  })
  return digestOf(plain)
}

/** `buy clip`, `keep hero`, in order: what a plan comes to. */
export function stepWords({ steps }: Plan): string[] {
  return steps.map(step => `${step.do} ${isJobStep(step) ? step.job.address : step.address}`)
}

/** What is no longer as it was when the plan was made, in words. Empty when it may be carried out. */
export function changesSince(saved: SavedPlan, now: SavedPlan): string[] {
  const changes: string[] = []
  const [was, is] = [saved.digests, now.digests]
  if (basename(saved.manifest) !== basename(now.manifest))
    changes.push(`it is the plan of ${saved.manifest}, not of ${now.manifest}`)
  if (was.manifest !== is.manifest) changes.push('the manifest changed')
  changes.push(...changed(was.texts, is.texts, path => `${path} changed, which the manifest reads`))
  if (was.lock !== is.lock) changes.push('the lock changed')
  if (was.prices !== is.prices) changes.push('the prices changed')
  if (was.profile !== is.profile) changes.push('the profile changed')
  changes.push(...changed(was.inputs, is.inputs, path => `the input ${path} changed`))
  if (changes.length > 0) return changes
  const disk = diskChange(saved.steps, now.steps)
  if (disk !== undefined) return [disk]
  return was.jobs === is.jobs ? [] : ['what the manifest comes to changed']
}

/**
 * Whether all that changed is that a part of the plan was carried out, as when a cap cut it short: what is left to buy was planned,
 * and everything else has the results that it had.
 */
export function isPartlyDone(saved: SavedPlan, now: SavedPlan, plan: Plan): boolean {
  const { lock } = now.digests
  if (lock === undefined || saved.digests.kept === undefined) return false
  const [planned, left] = [boughtBy(saved.steps), boughtBy(now.steps)]
  const isPart = left.size > 0 && left.size < planned.size && [...left].every(each => planned.has(each))
  const before = { ...saved, steps: now.steps, digests: { ...saved.digests, lock } }
  const isAllElseSame = changesSince(before, now).length === 0
  return isPart && isAllElseSame && keptDigest(plan, planned) === saved.digests.kept
}

/** The jobs that are bought, of steps in words. */
function boughtBy(steps: readonly string[]): Set<string> {
  const word = 'buy '
  return new Set(steps.flatMap(step => (step.startsWith(word) ? [step.slice(word.length)] : [])))
}

/** The purchases that the other jobs have, or wait for. */
function keptDigest({ steps }: Plan, bought: ReadonlySet<string>): Digest {
  const others = steps.filter(isJobStep).filter(({ job }) => !bought.has(job.address))
  return digestOf(others.map(step => [step.job.address, purchaseOf(step)]))
}

function purchaseOf(step: JobStep): PurchaseId | null {
  if ('entry' in step) return step.entry.id
  return 'purchase' in step ? step.purchase.id : null
}

type Digests = { readonly [path: string]: Digest }

function changed(was: Digests, is: Digests, words: (path: string) => string): string[] {
  const paths = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return paths.filter(path => was[path] !== is[path]).map(words)
}

/** Files that are gone, runs that ended: nothing written down changed, and still something else would be done. */
function diskChange(saved: readonly string[], now: readonly string[]): string | undefined {
  const [planned, found] = [new Set(saved), new Set(now)]
  const lost = saved.filter(step => !found.has(step))
  const more = now.filter(step => !planned.has(step))
  if (lost.length + more.length === 0) return undefined
  const before = lost.length > 0 ? `planned was ${lost.slice(0, 3).join(', ')}` : 'nothing was planned for it'
  return `what lies on disk changed: ${before}, and now it is ${more.slice(0, 3).join(', ') || 'nothing'}`
}

/** Reads what `plan -o` wrote; a text when it is no such thing. */
export function readSavedPlan(text: string): SavedPlan | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is no saved plan: it is not JSON'
  }
  if (!isRecord(value) || value.genrunPlan === undefined) return 'it is no saved plan'
  if (value.genrunPlan !== 2) return 'it was written by another version of genrun'
  const { manifest, asked, means, digests, steps, paid } = value
  const isWhole =
    typeof manifest === 'string' &&
    isRecord(asked) &&
    isRecord(asked.select) &&
    isSelection(asked.select) &&
    isRecord(asked.caps) &&
    areCaps(asked.caps) &&
    (asked.shard === undefined || readShard(String(asked.shard)) !== undefined) &&
    Array.isArray(asked.vars) &&
    asked.vars.every(isGivenVar) &&
    !manifest.includes('\0') &&
    isRecord(means) &&
    isMeans(means) &&
    isRecord(digests) &&
    isRecord(digests.inputs) &&
    isRecord(digests.texts) &&
    typeof digests.jobs === 'string' &&
    Array.isArray(steps) &&
    steps.every(step => typeof step === 'string') &&
    typeof paid === 'number'
  return isWhole ? (value as unknown as SavedPlan) : 'it is no whole plan' // its parts were looked at above
}

type Texts = { readonly [key: string]: unknown }

/** A cap that is no amount would hold nothing, and take a person's own along. */
function areCaps({ maxPaid, maxCost, tags = {} }: Texts): boolean {
  const isAmount = (cap: unknown) => typeof cap === 'number' && Number.isFinite(cap) && cap >= 0
  const areAmounts = [maxPaid, maxCost].every(cap => cap === undefined || isAmount(cap))
  return areAmounts && isRecord(tags) && Object.values(tags).every(isAmount)
}

function isSelection({ words, tags, models, limit }: Texts): boolean {
  // What is no number would limit to nothing that anybody asked for.
  if (limit !== undefined && !(Number.isSafeInteger(limit) && Number(limit) > 0)) return false
  return [words, tags, models].every(
    list => list === undefined || (Array.isArray(list) && list.every(each => typeof each === 'string')),
  )
}

function isGivenVar(given: unknown): boolean {
  return isRecord(given) && [given.name, given.value, given.from].every(each => typeof each === 'string')
}

function isMeans({ output, outputs, prices, profile, cache }: { readonly [key: string]: unknown }): boolean {
  const arePaths = [output, outputs, prices, profile].every(
    path => path === undefined || (typeof path === 'string' && !path.includes('\0')),
  )
  return arePaths && (cache === undefined || (isRecord(cache) && typeof cache.folder === 'string'))
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
