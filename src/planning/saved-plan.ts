import { dirname, relative, resolve, sep } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Digest, Json, PurchaseId } from '../base/names.ts'
import { shardText } from '../base/shard.ts'
import { withLineFeeds } from '../base/source.ts'
import type { Prices } from '../forms/cost.ts'
import type { Manifest } from '../manifest/shapes/job.ts'
import type { Caps } from '../plan/budget.ts'
import type { Selection } from '../plan/request/select.ts'
import { isJobStep, type JobStep, type Plan } from '../plan/shapes/step.ts'
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
  /** By job that is bought: the orders that it had, where it had some. Absent in plans of an earlier genrun. */
  readonly ordered?: { readonly [address: string]: readonly PurchaseId[] }
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
        lock: digestBytes(withLineFeeds(recorded.lockText)),
      }),
      ...(workspace.prices && { prices: pricesDigest(workspace.prices) }),
      profile: profilesDigest(workspace),
      inputs: Object.fromEntries(planned.inputs.digests),
      jobs: jobsDigest(planned),
      kept: keptDigest(planned.plan, boughtBy(stepWords(planned.plan))),
    },
    steps: stepWords(planned.plan),
    paid: planned.plan.buys,
    ordered: ordersOf(boughtBy(stepWords(planned.plan)), recorded),
  }
}

/** What nothing was paid for is none: it is sent once more. */
function ordersOf(
  bought: ReadonlySet<string>,
  { purchases }: Seen['recorded'],
): { [address: string]: PurchaseId[] } {
  const orders = new Map<string, PurchaseId[]>()
  for (const each of purchases) {
    if (!bought.has(each.address) || each.is === 'open' || (each.is === 'failed' && each.billed === 'no'))
      continue
    orders.set(each.address, [...(orders.get(each.address) ?? []), each.id])
  }
  return Object.fromEntries(orders)
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

/** The jobs that are bought, of steps in words. */
export function boughtBy(steps: readonly string[]): Set<string> {
  const word = 'buy '
  return new Set(steps.flatMap(step => (step.startsWith(word) ? [step.slice(word.length)] : [])))
}

/** The purchases that the other jobs have, or wait for. */
export function keptDigest({ steps }: Plan, bought: ReadonlySet<string>): Digest {
  const others = steps.filter(isJobStep).filter(({ job }) => !bought.has(job.address))
  return digestOf(others.map(step => [step.job.address, purchaseOf(step)]))
}

function purchaseOf(step: JobStep): PurchaseId | null {
  if ('entry' in step) return step.entry.id
  return 'purchase' in step ? step.purchase.id : null
}
