import type { JobAddress } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import type { Job } from '../manifest/job.ts'
import type { Memory } from '../plan/facts.ts'
import { idOf, type Pattern, partsOf, patternOf } from '../plan/pattern.ts'
import { type Slip, slipOf } from '../plan/slip.ts'
import type { Drawn } from './draw/draw.ts'
import type { Recorded } from './ground/setting.ts'

/** Which open orders a user means. All that is given must hold. */
export interface Meaning {
  /**
   * Ids, addresses, globs and axes by name, as a plan's selection has them. They mean jobs in doubt; only an address in
   * full means a job that is under way or has failed as well.
   */
  readonly words: readonly string[]
  readonly allDoubts?: boolean
  /** Only doubts that were sent before or after that date, in milliseconds since 1970. */
  readonly before?: number
  readonly after?: number
}

export type Meant =
  /** One at least. */
  | { readonly got: 'orders'; readonly addresses: readonly JobAddress[] }
  /** A word that fits no such order is probably a slip: then nothing is done. */
  | ({ readonly got: 'slip'; readonly word: string } & Slip)

interface Sight {
  readonly recorded: Pick<Recorded, 'memories' | 'journal'>
  readonly drawn: Pick<Drawn, 'jobs'>
}

/** Pure. */
export function meantOrders(meaning: Meaning, sight: Sight): Meant {
  const words = meaning.words.map(word => ({ word, isMeant: orderPattern(word, sight) }))
  const open = [...sight.recorded.memories].filter(([, memory]) => memory.is !== 'done')
  const addresses = open
    .filter(
      ([address, memory]) => isNamed(address, memory, words, meaning) && isInTime(address, meaning, sight),
    )
    .map(([address]) => address)
  const slip = words.find(({ isMeant }) => !addresses.some(isMeant))
  if (slip) return { got: 'slip', word: slip.word, ...slipText(slip, open, meaning, sight) }
  if (addresses.length > 0) return { got: 'orders', addresses }
  return { got: 'slip', word: '', message: 'no job in doubt is meant' }
}

interface Word {
  readonly word: string
  readonly isMeant: (address: JobAddress) => boolean
}

function isNamed(
  address: JobAddress,
  { is }: Memory,
  words: readonly Word[],
  { allDoubts, before, after }: Meaning,
): boolean {
  if (words.some(({ word }) => word === address)) return true
  const isByTime = words.length === 0 && (before !== undefined || after !== undefined)
  return is === 'doubt' && (allDoubts === true || isByTime || words.some(({ isMeant }) => isMeant(address)))
}

/** What only the lock knows of has no date. */
function isInTime(address: JobAddress, { before, after }: Meaning, { recorded }: Sight): boolean {
  if (before === undefined && after === undefined) return true
  const known = recorded.journal.get(address)
  return known?.is === 'doubt' && known.since < (before ?? Infinity) && known.since > (after ?? -Infinity)
}

/** A cell that left the manifest has the axes that the others of its job still have. */
function orderPattern(word: string, { drawn: { jobs } }: Sight): (address: JobAddress) => boolean {
  const isMeant: Pattern = patternOf(word)
  return address => address === word || isMeant(address, axesOf(address, jobs))
}

function axesOf(address: JobAddress, jobs: readonly Job[]): readonly string[] {
  const { id, keys = [] } = partsOf(address)
  const kin = jobs.find(job => job.address === address) ?? jobs.find(job => idOf(job.address) === id)
  return kin?.axes?.length === keys.length ? kin.axes : []
}

function slipText(
  { word, isMeant }: Word,
  open: readonly (readonly [JobAddress, Memory])[],
  { before, after }: Meaning,
  { drawn: { jobs } }: Sight,
): Slip {
  const fitting = open.filter(([address]) => isMeant(address))
  const isTimed = before !== undefined || after !== undefined
  if (isTimed && fitting.length > 0) return { message: `no order of ${word} in doubt was sent in that time` }
  const [other] = fitting
  if (other) {
    const [address, { is }] = other
    const message = `no job in doubt is called ${word}: ${address} ${is === 'failed' ? 'failed' : 'is under way'}`
    return { message, hint: `name it in full, ${address}, to settle it all the same` }
  }
  if (jobs.some(job => isMeant(job.address))) return { message: `${word} is not in doubt` }
  return slipOf(word, jobs) ?? unknownText(word, open, jobs)
}

function unknownText(
  word: string,
  open: readonly (readonly [JobAddress, Memory])[],
  jobs: readonly Job[],
): Slip {
  const known = [...open.map(([address]) => address), ...jobs.map(job => job.address)]
  const near = nearest(word, known)
  return {
    message: `no job in doubt is called ${word}`,
    ...(near !== undefined && { hint: `did you mean ${near}` }),
  }
}
