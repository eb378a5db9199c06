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
function jobOfPick({ address }: Pick<WaitingPick, 'address'>): string {
  return address.replace(/(#\d+)?(\+\d+)?$/, '')
}

/** One as it stands in the file: its members always in one order. */
export function pickLine({ address, pick, who, when, seen, of }: WaitingPick): string {
  return JSON.stringify({ address, pick, who, when, seen, of })
}

/** What stands in the file; what is no pick waits for nothing. */
export function readPicks(list: unknown): readonly WaitingPick[] {
  if (!Array.isArray(list)) return []
  return withPicksOf(
    [],
    list.flatMap(each => readPick(each) ?? []),
  )
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

/** Those that wait, with those that were given since: of one job the last. */
export function withPicksOf(
  before: readonly WaitingPick[],
  given: readonly WaitingPick[],
): readonly WaitingPick[] {
  const byJob = new Map(before.map(each => [jobOfPick(each), each]))
  for (const each of given) byJob.set(jobOfPick(each), each)
  return [...byJob.values()]
}

/**
 * Those of two sides of a merge: what one side alone has given or carried out stands, and of two that were given apart the later.
 * Which side is which makes no difference. Pure.
 */
export function mergePicks(
  base: readonly WaitingPick[] = [],
  ours: readonly WaitingPick[] = [],
  theirs: readonly WaitingPick[] = [],
): readonly WaitingPick[] {
  const [before, mine, other] = [base, ours, theirs].map(
    all => new Map(all.map(each => [jobOfPick(each), each])),
  )
  const jobs = new Set([...(mine?.keys() ?? []), ...(other?.keys() ?? [])])
  return [...jobs].flatMap(job => mergedPick(before?.get(job), mine?.get(job), other?.get(job)) ?? [])
}

function mergedPick(
  base: WaitingPick | undefined,
  ours: WaitingPick | undefined,
  theirs: WaitingPick | undefined,
): WaitingPick | undefined {
  if (isSamePick(ours, base)) return theirs
  if (isSamePick(theirs, base)) return ours
  if (!ours || !theirs) return ours ?? theirs
  const [mine, other] = [ours, theirs].map(each => `${each.when} ${pickLine(each)}`)
  return (mine ?? '') < (other ?? '') ? theirs : ours
}

/** Whether they are one and the same, or both are none. */
export function isSamePick(one: WaitingPick | undefined, other: WaitingPick | undefined): boolean {
  return (one && pickLine(one)) === (other && pickLine(other))
}
