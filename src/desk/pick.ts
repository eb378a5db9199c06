import { error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import type { Recorder } from '../engine/world.ts'
import { firstTake } from '../plan/picks.ts'
import type { Step } from '../plan/step.ts'
import { adoptAll, moversOf } from './carry/adopt.ts'
import type { Book } from './carry/book.ts'
import type { Busy } from './carry/busy.ts'
import { type Desk, underClaim } from './carry/settle.ts'
import { type Drawn, drawPlan, type Refused } from './draw/draw.ts'
import type { GroundRequest } from './ground/ground.ts'
import type { Damaged } from './ground/recorded.ts'
import type { Recorded, Wanted } from './ground/setting.ts'
import { unknownAddress } from './why.ts'

export type PickResult =
  | Refused
  | Damaged
  | Busy
  | {
      readonly got: 'picked'
      readonly address: JobAddress
      /** The files of the picked take, which have the job's bare name now. */
      readonly files: readonly string[]
      /** Jobs that were made from another take, and are bought by the next run. */
      readonly stale: readonly JobAddress[]
    }

/** Chooses a take (`hero#2`; `hero` or `hero#1` is the first): it gets the bare name, and others are made from it. */
export function pickTake(request: GroundRequest & { readonly address: string }): Promise<PickResult> {
  return underClaim(request, async ({ ground, recorded, drawn, journal, book }): Promise<PickResult> => {
    const address = jobAddress(request.address.replace(/#1$/, ''))
    const job = drawn.jobs.find(each => each.address === address)
    if (!job) return { got: 'refused', problems: [unknownAddress(request.address, drawn.jobs)] }
    const step = drawn.plan.steps.find(each => each.do !== 'drop' && each.job.address === address)
    const isThere = step?.do === 'keep' || (step?.do === 'adopt' && step.from === address)
    if (!isThere) {
      const hint = 'run the manifest first; only a take that is there can be picked'
      return { got: 'refused', problems: [error('not-made', job.at, `${address} is not made yet`, hint)] }
    }
    const again = await settlePick([address], { ground, wanted: request, recorded, journal, book })
    if (again.got === 'refused') return again
    return {
      got: 'picked',
      address,
      files: book.entries.get(address)?.files.map(file => file.path) ?? [],
      stale: again.plan.steps.flatMap(each => (each.do === 'buy' && each.again ? [each.job.address] : [])),
    }
  })
}

/** What is needed to give takes other names. */
interface PickDesk extends Pick<Desk, 'ground' | 'recorded' | 'book'> {
  readonly wanted: Wanted
  readonly journal: Recorder
  /** What was made since it was recorded. */
  readonly made?: ReadonlySet<JobAddress>
}

/** Marks takes that are there, and gives all takes of their jobs the names that follow from it. */
export async function settlePick(
  addresses: Iterable<JobAddress>,
  { ground, wanted, recorded, journal, book, made = new Set() }: PickDesk,
): Promise<Drawn | Refused> {
  const families = new Set<JobAddress>()
  for (const address of addresses) {
    markPick(address, book)
    families.add(firstTake(address))
  }
  const drawn = drawPlan(ground, wanted, withEntries(recorded, book, made))
  if (drawn.got === 'refused') return drawn
  const takes = drawn.plan.steps.filter(
    (each): each is Step & { do: 'adopt' } =>
      each.do === 'adopt' && each.from === each.job.address && families.has(firstTake(each.job.address)),
  )
  await adoptAll(takes, moversOf(ground, { book, journal }))
  return drawn
}

/** One take of a job is marked, be it the first: `.pick` waits for a mark. */
export function markPick(address: JobAddress, book: Book): void {
  for (const entry of book.entries.values()) {
    if (firstTake(entry.address) !== firstTake(address)) continue
    const { picked: _, ...bare } = entry
    book.put(entry.address === address ? { ...bare, picked: true } : bare)
  }
}

function withEntries(recorded: Recorded, book: Book, made: ReadonlySet<JobAddress>): Recorded {
  const memories = new Map(recorded.memories)
  for (const [address, entry] of book.entries) {
    const memory = memories.get(address)
    if (entry.state !== 'done') continue
    if (made.has(address)) memories.set(address, { is: 'done', entry })
    else if (memory?.is === 'done') memories.set(address, { ...memory, entry })
  }
  return { ...recorded, entries: new Map(book.entries), memories }
}
