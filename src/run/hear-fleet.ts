import { fuller, type Purchase } from '../base/purchase.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Unheard } from '../fleet/works.ts'
import { removeQuietly } from '../store/files/atomic-write.ts'
import type { Parts } from '../store/files/parts.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { Recorded, Setting } from '../workspace/workspace.ts'
import { asCame, placeForFleet } from './fleet-files.ts'
import { batchOf, type LeftAlone, markOf, tellAlone } from './fleet-records.ts'
import { allUnheard, followFleet } from './follow-fleet.ts'
import { partsOf } from './results/parts.ts'

export interface Heard {
  /** With all that the fleet's store knows. */
  readonly recorded: Recorded
  /** All of it stands in the records. */
  told(): Promise<void>
}

/** What the fleet bought that the records do not know yet. What an earlier run ordered has to end first. */
export async function heardFromFleet(
  setting: Setting,
  recorded: Recorded,
  { store }: Fleet,
): Promise<Heard | Busy> {
  const { request, machine } = setting
  const batch = batchOf(recorded)
  const { clock, disk } = machine
  const alone = (left: LeftAlone) => tellAlone(left, setting)
  await followFleet(batch, { store, clock, stop: request.stop, alone })
  if (request.stop.aborted)
    return {
      got: 'busy',
      message: 'the fleet is at work on what an earlier run ordered',
      hint: 'it goes on; the same command follows it again',
    }
  const parts = partsOf(setting.layout, machine)
  const news: Unheard[] = []
  const here: Purchase[] = []
  for await (const some of allUnheard(batch, store))
    for (const each of some) {
      news.push(each)
      here.push(await asHere(each.record, setting, parts))
    }
  return {
    recorded: joined(recorded, here),
    async told() {
      await store.hear(news)
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

/**
 * A record with its files at their places, where a plan would not find them: those of a failure, and those of a result with a flaw,
 * which no recipe leads to. What cannot be brought lies with the worker that fetched it.
 */
export async function asHere(record: Purchase, setting: Setting, parts: Parts): Promise<Purchase> {
  const came = record.is === 'failed' ? asCame(record) : record.is === 'done' && record.flaw && record
  if (!came || !setting.cache) return record
  const { cache, layout, folders, machine } = setting
  const where = { cache, layout, folders, parts, disk: machine.disk, isOurs: () => false }
  const trouble = await placeForFleet(came, where)
  if (!trouble || record.is !== 'failed') return record
  const { files: _elsewhere, ...rest } = record
  return rest
}
