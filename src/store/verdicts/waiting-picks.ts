import {
  type Digest,
  type JobAddress,
  jobAddress,
  type PurchaseId,
  purchaseId,
  sha256Digest,
} from '../../base/names.ts'

/** That a person wants a take to be picked, written down before it is: a run may have the manifest, and the page be gone by then. */
export interface WaitingPick {
  /** Of the take, as it was called then; of the job's first take where none is to be picked. */
  readonly address: JobAddress
  /** `as-before`: a run had picked it, and it is picked again as it was. `none`: no take of its job is to be picked any more. */
  readonly pick: 'take' | 'as-before' | 'none'
  readonly who: string
  /** A date in UTC, to the second. */
  readonly when: string
  /** The digests of its files, as they were seen; none where nothing was seen of it. */
  readonly seen: readonly Digest[]
  /** The purchase that was seen. */
  readonly of?: PurchaseId
}

/** The job whose take it is, by the address of its first take: one pick of a job waits, the last. */
export function jobOfPick({ address }: Pick<WaitingPick, 'address'>): string {
  return address.replace(/(#\d+)?(\+\d+)?$/, '')
}

/** What stands in the file; what is no pick waits for nothing. */
export function readPicks(list: unknown): readonly WaitingPick[] {
  if (!Array.isArray(list)) return []
  return list.flatMap(each => readPick(each) ?? [])
}

function readPick(value: unknown): WaitingPick | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { address, pick, who, when, seen, of }: Partial<Record<keyof WaitingPick, unknown>> = value
  if (typeof address !== 'string' || address === '' || address.length > 1000) return undefined
  if (pick !== 'take' && pick !== 'as-before' && pick !== 'none') return undefined
  if (typeof who !== 'string' || typeof when !== 'string') return undefined
  const digests = (Array.isArray(seen) ? seen : []).flatMap((each: unknown) => {
    const [, hex] = typeof each === 'string' ? (/^sha256:([0-9a-f]{64})$/.exec(each) ?? []) : []
    return hex === undefined ? [] : [sha256Digest(hex)]
  })
  const id = typeof of === 'string' ? purchaseId(of) : undefined
  return { address: jobAddress(address), pick, who, when, seen: digests, ...(id && { of: id }) }
}

/**
 * Those that wait, with those that were given since: of one job the last. `nameNow`: what a purchase is called by now, as names change
 * hands while a pick waits.
 */
export function withPicksOf(
  before: readonly WaitingPick[],
  given: readonly WaitingPick[],
  nameNow: (of: PurchaseId) => JobAddress | undefined,
): readonly WaitingPick[] {
  const news = new Map(given.map(each => [jobOfPick(each), each]))
  const kept = before.filter(({ address, of }) => {
    const now = of && nameNow(of)
    return !news.has(jobOfPick({ address: now ?? address }))
  })
  return [...kept, ...news.values()]
}
