import {
  type Digest,
  type JobAddress,
  jobAddress,
  type PurchaseId,
  purchaseId,
  sha256Digest,
} from '../../base/names.ts'
import { conflictAt } from '../files/conflict.ts'
import { readPicks, type WaitingPick } from './waiting-picks.ts'

/** What a person thinks of a result. It is about the very files that were seen: other files end it. */
export interface PersonsVerdict {
  /** Of the take. */
  readonly address: JobAddress
  /** Absent: nothing is decided, and only stars or a note were given; or, without these, what was decided was taken back. */
  readonly is?: 'approved' | 'rejected'
  /** 1 to 5. */
  readonly stars?: number
  readonly note?: string
  readonly who: string
  /** A date in UTC, to the second: `2026-03-01T09:30:00Z`. */
  readonly when: string
  /** The digests of its files, as they were seen. */
  readonly seen: readonly Digest[]
  /** The purchase that was seen: it is about that one, whatever its job is called by now. Absent in what an earlier genrun wrote. */
  readonly of?: PurchaseId
  /**
   * Of verdicts about this result that came in files of others and were dated ahead of this machine's clock: when each was taken, by the
   * date that it had. It stays whatever is decided later, so that none of them is taken as a new one.
   */
  readonly dates?: { readonly [sent: string]: string }
}

/** All that was decided about the results of one manifest. */
export interface Verdicts {
  /** The manifest's file name: `teapots.yaml`. */
  readonly manifest: string
  /** One for each take and what was bought of it; any order, written sorted. */
  readonly verdicts: readonly PersonsVerdict[]
  /** What is to be picked, and is not yet. Absent in what an earlier genrun wrote, which passes over it. */
  readonly picks?: readonly WaitingPick[]
}

type VerdictsReading =
  | { readonly got: 'verdicts'; readonly verdicts: Verdicts }
  /** What is wrong, after the file's name: `it holds the marks of a merge conflict`. */
  | { readonly got: 'damaged'; readonly why: string; readonly line?: number }

/** Of files of verdicts. */
export const verdictsFormat = 1

/** By what two verdicts are one and the same in a file: the name that was seen, and what was bought under it. */
export function verdictKey({ address, of }: PersonsVerdict): string {
  return `${address}\n${of ?? ''}`
}

/** Reads what `writeVerdicts` wrote, also when git changed its line ends. Everything else is damage, in words. Pure. */
export function readVerdicts(text: string): VerdictsReading {
  const plain = text.replace(/^\ufeff/, '')
  const conflict = conflictAt(plain)
  if (conflict >= 0)
    return damaged('it holds the marks of a merge conflict', plain.slice(0, conflict).split('\n').length)
  const whole = parsed(plain)
  if (!isRecord(whole) || typeof whole.genrunReview !== 'number') return damaged(notOurs)
  if (whole.genrunReview > verdictsFormat)
    return damaged(`it was written by a newer genrun (format ${whole.genrunReview})`)
  const { manifest, verdicts: list, picks } = whole
  if (typeof manifest !== 'string' || !Array.isArray(list)) return damaged(notOurs)
  if (list.at(-1) !== null) return damaged('its last line is missing')
  return readAll({ manifest, picks: readPicks(picks) }, list.slice(0, -1))
}

const notOurs = 'it is not a file of verdicts'

function readAll(
  { manifest, picks }: Required<Pick<Verdicts, 'manifest' | 'picks'>>,
  list: readonly unknown[],
): VerdictsReading {
  const found = new Map<string, PersonsVerdict>()
  for (const [index, each] of list.entries()) {
    const verdict = readVerdict(each)
    // Written by us, the first stands in the second line.
    if (!verdict) return damaged('a verdict is not what genrun writes', index + 2)
    const place = verdictKey(verdict)
    if (found.has(place)) return damaged(`${verdict.address} stands in it twice`, index + 2)
    found.set(place, verdict)
  }
  return {
    got: 'verdicts',
    verdicts: { manifest, verdicts: [...found.values()], ...(picks.length > 0 && { picks }) },
  }
}

/** A verdict from outside: of a file, or of a page. Undefined for anything else. */
export function readVerdict(value: unknown): PersonsVerdict | undefined {
  if (!isRecord(value)) return undefined
  const { address, is, stars, note, who, when, seen } = value
  const of = typeof value.of === 'string' ? purchaseId(value.of) : undefined
  if (typeof address !== 'string' || address === '' || address.length > 1000) return undefined
  if (is !== undefined && is !== 'approved' && is !== 'rejected') return undefined
  if (stars !== undefined && !(Number.isInteger(stars) && Number(stars) >= 1 && Number(stars) <= 5))
    return undefined
  if (note !== undefined && (typeof note !== 'string' || note.length > longestNote)) return undefined
  if (typeof who !== 'string' || who.length > 200) return undefined
  if (!isDate(when)) return undefined
  if (!Array.isArray(seen) || seen.length === 0) return undefined
  const digests = seen.flatMap(each => digestIn(each) ?? [])
  if (digests.length !== seen.length) return undefined
  return {
    address: jobAddress(address),
    ...(is && { is }),
    ...(stars !== undefined && { stars: Number(stars) }),
    ...(note !== undefined && note !== '' && { note }),
    who,
    when,
    seen: digests,
    // An id that is none says as little as none.
    ...(of && { of }),
    ...datesIn(value.dates),
  }
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)
}

/** A note on earlier files: what cannot be right in it is left out. */
function datesIn(value: unknown): Pick<PersonsVerdict, 'dates'> {
  if (!isRecord(value)) return {}
  const dates = Object.entries(value).filter((each): each is [string, string] => each.every(isDate))
  return dates.length > 0 ? { dates: Object.fromEntries(dates) } : {}
}

/** Longer is a document, and no remark on a picture. */
const longestNote = 4000

function digestIn(value: unknown): Digest | undefined {
  const [, hex] = typeof value === 'string' ? (/^sha256:([0-9a-f]{64})$/.exec(value) ?? []) : []
  return hex === undefined ? undefined : sha256Digest(hex)
}

/** Of two decisions about one result the one that counts; of two in one second always the same, and one that takes back first. */
export function isLaterVerdict(one: PersonsVerdict, other: PersonsVerdict): boolean {
  return one.when === other.when ? saidIn(one) > saidIn(other) : one.when > other.when
}

/** Its name last: what it says goes before under which name that was said. */
function saidIn({ address, ...rest }: PersonsVerdict): string {
  const { is, stars, note, who, seen, of } = rest
  return JSON.stringify({ is, stars, note, who, seen, of, address })
}

function damaged(why: string, line?: number): VerdictsReading {
  return { got: 'damaged', why, ...(line !== undefined && { line }) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
