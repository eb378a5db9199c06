import { systemClock } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import { problemText } from '../base/diagnostic.ts'
import type { JobAddress } from '../base/names.ts'
import { addressNow, type ShownFiles } from '../plan/follow-verdicts.ts'
import { firstTake } from '../plan/picks.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { saysSomething } from '../store/verdicts/verdicts-lines.ts'
import { isLaterVerdict, type PersonsVerdict, readVerdicts } from '../store/verdicts/verdicts-text.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import type { Damaged } from '../workspace/records/recorded.ts'
import type { Exhibit } from './gallery.ts'
import { type FoundFile, findFile, judge } from './judge.ts'
import { pickWaiting } from './pick.ts'
import { type Review, reviewToDecide } from './review.ts'

/** A verdict that was taken. */
export type TakenVerdict = PersonsVerdict

type TakeResult =
  | Refused
  | Damaged
  /** The text is no file of verdicts. */
  | { readonly got: 'unreadable'; readonly why: string; readonly line?: number | undefined }
  | {
      readonly got: 'taken'
      readonly taken: readonly TakenVerdict[]
      /** What does not fit any more, and why. */
      readonly refused: readonly { readonly address: string; readonly why: string }[]
      /** Takes that are the results now. */
      readonly picked: readonly JobAddress[]
      /** Jobs that were made from another take, and are bought by the next run. */
      readonly stale: readonly JobAddress[]
      /** Takes that whoever has the manifest next picks, and why they wait. */
      readonly waiting?: { readonly addresses: readonly JobAddress[]; readonly why: string }
      /** Why something was not picked; the verdicts stand all the same. */
      readonly unpicked?: string
    }

/** A file of verdicts that somebody sent, be it a stranger's. It names results and digests, and no path. */
interface SentVerdicts {
  readonly text: string
  /** Whose they are; as the file says when absent. */
  readonly who?: string
}

/**
 * Applies verdicts that were given elsewhere, on the page of a report: each as if it were given here. One about other files than those
 * that are there, or older than what was decided here since, is given back; so is one that was taken before, when another take is
 * picked by now. An approved take is picked, by a run where that has to come first. Buys nothing.
 */
export async function takeVerdicts(request: WorkspaceRequest, sent: SentVerdicts): Promise<TakeResult> {
  const reading = readVerdicts(sent.text)
  if (reading.got === 'damaged') return { ...reading, got: 'unreadable' }
  const review = await reviewToDecide(request)
  if (review.got !== 'review') return review
  const now = `${new Date(systemClock.wall()).toISOString().slice(0, 19)}Z`
  const shown = shownOf(review)
  const dating = { now, datesOf: datesTaken(review, shown) }
  const given = asNamedNow(reading.verdicts.verdicts, shown).map(({ dates: _theirs, ...each }) => ({
    ...each,
    ...defined({ who: sent.who }),
    ...datedHere(each, dating),
  }))
  const standing = new Map(
    review.verdicts.filter(each => isAbout(each, shown)).map(each => [each.address, each] as const),
  )
  const here = {
    standing,
    decided: decidedHere(review, given, shown),
    exhibits: review.exhibits,
    picking: onlyApproved(given),
  }
  const refused = given.flatMap(each => olderRefusal(each, here) ?? repeatRefusal(each, here) ?? [])
  const not = new Set(refused.map(({ address }) => address))
  const open = given.filter(each => !not.has(each.address) && isAbout(each, shown))
  const jobs = new Set(open.map(({ address }) => firstTake(address)))
  const { find, isWhole } = await readFiles(review, jobs)
  const fitting = open.filter(isWhole)
  const meant = onlyApproved(fitting)
  const wanted = picksWanted(fitting, meant, review, now)
  const picks = () => wanted
  const place = { path: review.paths.verdicts, manifest: request.manifest, shown, find, picks }
  const bare = given.filter(({ address }) => !not.has(address))
  const said = new Set(bare.map(({ address }) => address))
  const ended = givenUp(meant, standing).filter(each => isWhole(each) && !said.has(each.address))
  const result = await judge([...bare, ...ended], place)
  if (result.got === 'damaged') return result
  const after = await pickApproved(request, wanted)
  return { got: 'taken', taken: fitting, refused: [...refused, ...result.refused], ...after }
}

interface Dating {
  readonly now: string
  readonly datesOf: (address: JobAddress) => PersonsVerdict['dates']
}

/**
 * By this machine's clock: one from a clock that is ahead would win against all that is decided here until then. It is as old as it was
 * when it was taken first, so that the same file does not reverse what was decided since.
 */
function datedHere(
  { address, when }: PersonsVerdict,
  { now, datesOf }: Dating,
): Pick<PersonsVerdict, 'when' | 'dates'> {
  const known = datesOf(address)?.[when]
  if (known === undefined && when <= now) return { when }
  const taken = known ?? now
  return { when: taken, dates: { [when]: taken } }
}

function datesTaken({ verdicts, takenBack }: Review, shown: Shown): Dating['datesOf'] {
  const about = [...verdicts, ...takenBack].filter(each => isAbout(each, shown))
  const dates = new Map(about.map(each => [each.address, each.dates]))
  return address => dates.get(address)
}

/** What there is to decide about. */
function shownOf({ exhibits }: Review): Shown {
  return new Map(
    exhibits.map(({ address, files, purchase }) => [
      address,
      { seen: files.map(({ digest }) => digest), of: purchase },
    ]),
  )
}

type Shown = ReadonlyMap<JobAddress, ShownFiles>

/**
 * Jobs may have other names since it was written. Of two about one result the later one counts; of two that do not name a purchase, as
 * an earlier genrun wrote them, the one under its own name.
 */
function asNamedNow(verdicts: readonly PersonsVerdict[], shown: Shown): readonly PersonsVerdict[] {
  const nameNow = addressNow(shown)
  const byAddress = new Map<JobAddress, PersonsVerdict>()
  const own = new Set(
    verdicts
      .filter(each => nameNow(each) === each.address && isAbout(each, shown))
      .map(({ address }) => address),
  )
  for (const each of verdicts) {
    const address = nameNow(each)
    const other = byAddress.get(address)
    const isSecond = each.of === undefined && address !== each.address && own.has(address)
    if (isSecond || (other && isLaterVerdict(other, each))) continue
    byAddress.set(address, { ...each, address })
  }
  return [...byAddress.values()]
}

function isAbout({ address, seen }: PersonsVerdict, shown: Shown): boolean {
  return shown.get(address)?.seen.join() === seen.join()
}

/** Each file once: what was altered since it was made is not what anybody decided about. */
async function readFiles({ exhibits, report }: Review, jobs: ReadonlySet<JobAddress>) {
  const found = new Map<JobAddress, readonly FoundFile[]>()
  for (const { address, files, altered } of exhibits) {
    const read = jobs.has(firstTake(address)) ? files.map(file => findFile(file, report.output)) : []
    found.set(address, [
      ...(await Promise.all(read)),
      ...altered.map(({ path }) => ({ path, is: 'altered' as const })),
    ])
  }
  return {
    find: (address: JobAddress) => Promise.resolve(found.get(address) ?? []),
    isWhole: ({ address }: PersonsVerdict) => (found.get(address) ?? []).every(({ is }) => is === 'same'),
  }
}

/** What is known here already. */
interface Here {
  /** Verdicts on files that are there. */
  readonly standing: ReadonlyMap<JobAddress, PersonsVerdict>
  /** What stands here, and is not from the file that is taken. */
  readonly decided: readonly PersonsVerdict[]
  readonly exhibits: readonly Exhibit[]
  /** Takes that the file picks. */
  readonly picking: readonly JobAddress[]
}

interface Refusal {
  readonly address: JobAddress
  readonly why: string
}

/** A verdict on files that are gone or altered counts: they may come back, and are still what was decided about. */
function decidedHere(
  { verdicts, takenBack, exhibits }: Review,
  given: readonly PersonsVerdict[],
  shown: Shown,
): PersonsVerdict[] {
  const lost = new Set(
    exhibits.flatMap(({ address, missing, altered }) =>
      missing.length + altered.length > 0 ? [address] : [],
    ),
  )
  const own = new Map(given.map(({ address, when }) => [address, when]))
  return [...verdicts, ...takenBack].filter(
    each => (isAbout(each, shown) || lost.has(each.address)) && own.get(each.address) !== each.when,
  )
}

/** An approval decides about all takes of its job, as it picks one and ends approvals of others; whatever else, about one take. */
function olderRefusal(verdict: PersonsVerdict, { decided }: Here): Refusal | undefined {
  const { address, is, when } = verdict
  if (!saysSomething(verdict)) return { address, why: `it says nothing about ${address}` }
  const since = decided.filter(each => each.when > when)
  const same = since.find(each => each.address === address)
  if (same) return { address, why: `${same.who} decided about ${address} since then` }
  const other = is === 'approved' && since.find(each => firstTake(each.address) === firstTake(address))
  if (!other) return undefined
  return {
    address,
    why: `the approval of ${address} is older than what ${other.who} decided about ${other.address}`,
  }
}

/** No pick has a date; but an approval that stands here was taken before, and whoever picked another take since meant that. */
function repeatRefusal(
  { address, when }: PersonsVerdict,
  { standing, exhibits, picking }: Here,
): Refusal | undefined {
  const before = standing.get(address)
  if (!picking.includes(address) || before?.is !== 'approved' || before.when !== when) return undefined
  const takes = exhibits.filter(each => firstTake(each.address) === firstTake(address))
  const other = takes.find(each => each.picked && each.address !== address)
  const own = takes.find(each => each.address === address)
  const command = own?.pick
  // What waits to be picked was not picked over.
  if (!other || !command || own.waits) return undefined
  const why = `the approval of ${address} was taken before, and ${other.address} is picked by now; \`${command}\` picks ${address}`
  return { address, why }
}

/** Of each job the one take that is approved; where there are several, none is meant. */
function onlyApproved(given: readonly PersonsVerdict[]): JobAddress[] {
  const approved = given.filter(({ is }) => is === 'approved').map(({ address }) => address)
  const jobs = approved.map(firstTake)
  return approved.filter(address => jobs.indexOf(firstTake(address)) === jobs.lastIndexOf(firstTake(address)))
}

/** Approvals of other takes of the same jobs: one is the result. */
function givenUp(
  meant: readonly JobAddress[],
  standing: ReadonlyMap<JobAddress, PersonsVerdict>,
): PersonsVerdict[] {
  const jobs = new Set(meant.map(firstTake))
  // As old as they were: what ends them is no decision about their own takes.
  return [...standing.values()].flatMap(({ is, ...rest }) =>
    is === 'approved' && jobs.has(firstTake(rest.address)) && !meant.includes(rest.address) ? [rest] : [],
  )
}

/** They are written down with the verdicts, so that they are carried out whoever has the manifest now. */
function picksWanted(
  taken: readonly PersonsVerdict[],
  meant: readonly JobAddress[],
  { exhibits }: Review,
  when: string,
): WaitingPick[] {
  const isWaited = new Set(exhibits.flatMap(({ waits, address }) => (waits ? [firstTake(address)] : [])))
  return exhibits.flatMap(({ address, picked, files, purchase }) => {
    const verdict = meant.includes(address) && taken.find(each => each.address === address)
    const first = firstTake(address)
    if (!verdict || (picked && !isWaited.has(first))) return []
    const seen = files.map(({ digest }) => digest)
    return [{ address, pick: 'take', who: verdict.who, when, seen, ...defined({ of: purchase }) }]
  })
}

type AfterPicks = Pick<TakeResult & { got: 'taken' }, 'picked' | 'stale' | 'waiting' | 'unpicked'>

async function pickApproved(request: WorkspaceRequest, wanted: readonly WaitingPick[]): Promise<AfterPicks> {
  const nothing = { picked: [], stale: [] }
  if (wanted.length === 0) return nothing
  const addresses = wanted.map(({ address }) => address)
  const result = await pickWaiting(request)
  if (result.got !== 'picked') {
    const why = result.got === 'refused' ? result.problems.map(problemText).join('; ') : result.message
    return { ...nothing, waiting: { addresses, why } }
  }
  // What others asked for is carried out as well, and is theirs to hear.
  const later = result.later.filter(({ address }) => addresses.includes(address))
  const refused = result.refused.filter(({ address }) => addresses.includes(address))
  const reasons = refused.flatMap(({ problems }) => problems.map(problemText))
  return {
    picked: result.picked.filter(address => addresses.includes(address)),
    stale: result.stale,
    ...(later.length > 0 && {
      waiting: {
        addresses: later.map(({ address }) => address),
        why: later.map(({ why }) => why).join('; '),
      },
    }),
    ...(reasons.length > 0 && { unpicked: reasons.join('; ') }),
  }
}
