import { basename, join } from 'node:path'
import type { Diagnostic } from '../base/diagnostic.ts'
import { fuller, type Purchase } from '../base/purchase.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { removeQuietly, writeAtomically } from '../store/files/atomic-write.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { Recorded, Setting } from '../workspace/workspace.ts'
import { followFleet } from './follow-fleet.ts'

/** All orders of one lineage of records are one batch. */
export function batchOf({ lock }: Pick<Recorded, 'lock'>): string {
  return lock.lineage
}

/** Whoever orders from a fleet leaves a mark beside the records, until all that was ordered stands in them: nobody buys past it. */
export async function markFleet(setting: Setting, batch: string): Promise<void> {
  await writeAtomically(setting.machine.disk, markOf(setting), `${JSON.stringify({ batch })}\n`)
}

function markOf({ layout }: Pick<Setting, 'layout'>): string {
  return join(layout.state, 'fleet.json')
}

/** Why this cannot be run, with the fleet that was asked for or without one. Throws StorageError. */
export function fleetProblem(setting: Setting): Diagnostic | undefined {
  const { request, place, manifest, machine, cache, caps } = setting
  const problem = (message: string, hint: string) =>
    settingProblem({ name: 'manifest', value: basename(place.manifest) }, 'fleet', message, hint)
  const name = shellWord(manifest.file.name)
  if (!request.fleet) {
    if (!machine.disk.look(markOf(setting))) return undefined
    const message = 'workers of a fleet may be at work on it, and what they buy is not all in its lock'
    return problem(
      message,
      `genrun run ${name} --fleet; where the fleet’s store is gone for good, remove ${markOf(setting)}`,
    )
  }
  if (request.service.rehearsal) return problem('a rehearsal needs no fleet', 'leave --fleet out')
  if (setting.shard) return problem('a shard is run by itself', 'leave --shard or --fleet out')
  if (!cache || request.cache?.readOnly)
    return problem(
      'files of a fleet’s workers come through a cache, and there is none that they can write to',
      'name one that all of them reach: --cache s3://bucket or a shared folder (GENRUN_CACHE)',
    )
  const { tags = {}, services = {} } = { ...caps, tags: caps?.tags, services: caps?.services }
  if (Object.keys(tags ?? {}).length + Object.keys(services ?? {}).length > 0)
    return problem(
      'a fleet keeps no caps of single tags or services yet',
      'cap the whole: --max-cost, --max-paid',
    )
  return undefined
}

interface Heard {
  /** With all that the fleet's store knows. */
  readonly recorded: Recorded
  /** All of it stands in the records. */
  told(): Promise<void>
}

/** What the fleet bought that the records do not know yet. What an earlier run ordered has to end first. */
export async function heardFromFleet(setting: Setting, recorded: Recorded): Promise<Heard | Busy> {
  const { request, machine } = setting
  if (!request.fleet) return { recorded, told: async () => undefined }
  const { store } = request.fleet
  const batch = batchOf(recorded)
  const { clock, disk } = machine
  await followFleet(batch, { store, clock, stop: request.stop })
  if (request.stop.aborted)
    return {
      got: 'busy',
      message: 'the fleet is at work on what an earlier run ordered',
      hint: 'it goes on; the same command follows it again',
    }
  const news = await store.unheard(batch)
  return {
    recorded: joined(
      recorded,
      news.map(({ record }) => asHere(record)),
    ),
    async told() {
      await store.hear(batch, news)
      const works = await store.works(batch)
      if (works.every(({ ended }) => ended) && (await store.unheard(batch)).length === 0)
        removeQuietly(disk, markOf(setting))
    },
  }
}

function joined(recorded: Recorded, news: readonly Purchase[]): Recorded {
  const known = new Map(recorded.purchases.map(each => [each.id, each]))
  const told = news.filter(each => {
    const before = known.get(each.id)
    return !before || fuller(before, each) === each
  })
  for (const each of told) known.set(each.id, each)
  return {
    ...recorded,
    purchases: [...known.values()],
    unwritten: new Set([...recorded.unwritten, ...told.map(({ id }) => id)]),
    untold: [...recorded.untold, ...told],
  }
}

/** What came of a failure lies with the worker that fetched it. */
export function asHere(record: Purchase): Purchase {
  if (record.is !== 'failed' || !record.files) return record
  const { files: _elsewhere, ...rest } = record
  return rest
}
