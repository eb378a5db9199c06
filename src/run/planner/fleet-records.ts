import { basename, dirname } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Diagnostic } from '../../base/diagnostic.ts'
import { clockText, counted } from '../../base/measure.ts'
import type { SilentOrder } from '../../fleet/batches.ts'
import { runCaps } from '../../planning/make-plan.ts'
import { settingProblem } from '../../planning/obstacles.ts'
import { writeAtomically } from '../../store/files/atomic-write.ts'
import { digestOf } from '../../store/files/digest.ts'
import { shellWord } from '../../text/shell-word.ts'
import { fleetMarkOf } from '../../workspace/layout.ts'
import type { Recorded, Setting } from '../../workspace/workspace.ts'

/** All orders of one lineage of records are one batch. */
export function batchOf({ lock }: Pick<Recorded, 'lock'>): string {
  return lock.lineage
}

/** What a folder with records remembers of the fleet. */
export interface FleetMark {
  readonly batch: string
  /** The store's name; absent in a mark of an older genrun. */
  readonly store?: string
  /** This folder's own name among all checkouts of the batch. */
  readonly checkout: string
  /** A fleet may buy what the records do not know: nobody buys past it. */
  readonly open: boolean
  /** Orders that a run has told of at its end, and that the records do not know yet. */
  readonly told?: readonly string[]
}

/** It stays beside the records; whoever orders from a fleet opens it until all that was ordered stands in them. Rejects with StorageError. */
export async function writeMark(where: Pick<Setting, 'layout' | 'machine'>, mark: FleetMark): Promise<void> {
  await writeAtomically(where.machine.disk, fleetMarkOf(where.layout), `${JSON.stringify(mark)}\n`)
}

/** What cannot be read says that something may be open. Throws StorageError. */
export function readMark(where: Pick<Setting, 'layout' | 'machine'>): FleetMark | undefined {
  const { disk, random } = where.machine
  const path = fleetMarkOf(where.layout)
  if (!disk.look(path)) return undefined
  const { batch = '', store, checkout = random.token(), open = true, told } = markIn(disk.readAll(path))
  return { batch, checkout, open, ...defined({ store, told }) }
}

function markIn(bytes: Uint8Array): Partial<FleetMark> {
  try {
    const found: unknown = JSON.parse(Buffer.from(bytes).toString())
    return typeof found === 'object' && found !== null ? found : {}
  } catch {
    return {}
  }
}

/** A problem of a manifest with its fleet. */
export function fleetTrouble({ place }: Pick<Setting, 'place'>, message: string, hint: string): Diagnostic {
  return settingProblem({ name: 'manifest', value: basename(place.manifest) }, 'fleet', message, hint)
}

/** Why the mark and this store do not go together. */
export function otherStore(
  setting: Pick<Setting, 'place' | 'layout'>,
  mark: FleetMark | undefined,
  store: string,
): Diagnostic | undefined {
  if (!mark?.open || mark.store === undefined || mark.store === store) return undefined
  return fleetTrouble(
    setting,
    'what workers of a fleet bought is in another store than the one that GENRUN_STORE names, and not all in its lock',
    `name the one of then; ${storeGoneHint(setting)}`,
  )
}

/** The last way out. */
export function storeGoneHint(setting: Pick<Setting, 'layout'>): string {
  return `where it is gone for good, with all that it knew of paid orders, end its workers and remove ${fleetMarkOf(setting.layout)}: what its workers bought since is taken from their folders in ${dirname(setting.layout.state)}, and bought again where they lie on another disk`
}

/** Why this cannot be run with a fleet. */
export function fleetProblem(setting: Setting): Diagnostic | undefined {
  const { request, cache } = setting
  const problem = (message: string, hint: string) => fleetTrouble(setting, message, hint)
  if (request.service.rehearsal) return problem('a rehearsal needs no fleet', 'leave --fleet out')
  if (setting.shard) return problem('a shard is run by itself', 'leave --shard or --fleet out')
  if (!cache || request.cache?.readOnly)
    return problem(
      'files of a fleet’s workers come through a cache, and there is none that they can write to',
      'name one that all of them reach: --cache s3://bucket or a shared folder (GENRUN_CACHE)',
    )
  const { tags = {}, services = {} } = runCaps(setting, request)
  if (Object.keys(tags).length + Object.keys(services).length > 0)
    return problem(
      'a fleet keeps no caps of single tags or services yet',
      'cap the whole: --max-cost, --max-paid',
    )
  return undefined
}

/** Who makes what is wanted of this manifest: workers that read the very same. */
export function queueOf({ manifest, place }: Pick<Setting, 'manifest' | 'place'>): string {
  const texts = (manifest.sources ?? []).map(({ text }) => text)
  const digest = digestOf([manifest.file.text, ...texts])
    .replace('sha256:', '')
    .slice(0, 12)
  return `${place.stem.replaceAll(/[^\w.-]/g, '_')}-${digest}`
}

/** What was handed out, and nobody makes. */
export interface LeftAlone {
  readonly queue: string
  /** Workers that are at work on something else. */
  readonly elsewhere: number
}

/** So many are named. */
const named = 3

/** Says what it waits for, and for whom. */
export function tellSilent(orders: readonly SilentOrder[], { request, manifest, machine }: Setting): void {
  const whose = orders.slice(0, named).map(({ address, worker, seconds }) => {
    const since = seconds === null ? 'which has left' : `which was heard ${clockText(seconds)} ago`
    return `${address} waits for the worker ${personsName(worker)}, ${since}`
  })
  const more = orders.length > named ? [`and ${orders.length - named} more`] : []
  const command = `genrun work ${shellWord(manifest.file.name)}`
  const message = `${[...whose, ...more].join('; ')}: wake or end it, so that another one (${command}) takes it over`
  request.emit({ at: machine.clock.now(), event: 'warned', message })
}

/** What a worker is called among all, and what of that helps a person to find it. */
export function workerName(
  { host, pid }: { readonly host: string; readonly pid: number },
  token: string,
): string {
  return `${pid} ${token} ${host}`
}

function personsName(worker: string): string {
  const [, pid, host] = /^(\d+) \S+ (.+)$/.exec(worker) ?? []
  return pid === undefined ? worker : `${pid} on ${host}`
}

/** Says that it waits for a worker to be started. */
export function tellAlone({ queue, elsewhere }: LeftAlone, setting: Setting): void {
  const { request, manifest, machine } = setting
  const command = `genrun work ${shellWord(manifest.file.name)}`
  const others = elsewhere === 0 ? '' : `; ${counted(elsewhere, 'worker')} on other texts, or other manifests`
  const message =
    queue === queueOf(setting)
      ? `no worker is at work on this text of the manifest: start one with ${command}${others}`
      : `an earlier run handed out what another text of the manifest wants, and no worker is at work on that: go back to that text for ${command}${others}`
  request.emit({ at: machine.clock.now(), event: 'warned', message })
}
