import { datesOfAll, isSamePick, pickLine, verdictLine, writeVerdicts } from './verdicts-lines.ts'
import {
  isLaterVerdict,
  type PersonsVerdict,
  readVerdicts,
  type Verdicts,
  verdictKey,
} from './verdicts-text.ts'
import { jobOfPick, type WaitingPick } from './waiting-picks.ts'

/** The verdicts on both sides of a merge, and where they parted. An empty base: there were none. */
interface VerdictSides {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

type MergedVerdicts =
  | { readonly got: 'merged'; readonly text: string }
  | {
      readonly got: 'damaged'
      readonly side: keyof VerdictSides
      readonly why: string
      readonly line?: number
    }

/**
 * Merges verdicts take by take: what one side alone decided stands, and of two that were decided apart the later one. Which side is
 * ours makes no difference. Pure.
 */
export function mergeVerdicts(sides: VerdictSides): MergedVerdicts {
  const base = sides.base.trim() === '' ? undefined : readVerdicts(sides.base)
  if (base?.got === 'damaged') return { ...base, side: 'base' }
  const ours = readVerdicts(sides.ours)
  if (ours.got === 'damaged') return { ...ours, side: 'ours' }
  const theirs = readVerdicts(sides.theirs)
  if (theirs.got === 'damaged') return { ...theirs, side: 'theirs' }
  const [before, mine, other] = [base?.verdicts, ours.verdicts, theirs.verdicts].map(byPlace)
  const verdicts = [...new Set([...(mine?.keys() ?? []), ...(other?.keys() ?? [])])].flatMap(
    place => mergedVerdict(before?.get(place), mine?.get(place), other?.get(place)) ?? [],
  )
  const picks = mergePicks(base?.verdicts.picks, ours.verdicts.picks, theirs.verdicts.picks)
  return { got: 'merged', text: writeVerdicts({ ...ours.verdicts, verdicts, picks }) }
}

function byPlace(all: Verdicts | undefined): ReadonlyMap<string, PersonsVerdict> {
  return new Map(all?.verdicts.map(each => [verdictKey(each), each]))
}

function mergedVerdict(
  base: PersonsVerdict | undefined,
  ours: PersonsVerdict | undefined,
  theirs: PersonsVerdict | undefined,
): PersonsVerdict | undefined {
  if (isSame(ours, base)) return theirs
  if (isSame(theirs, base)) return ours
  // Removed on one side, as an older genrun does with what is taken back, and given on the other: somebody looked at it since.
  if (!ours || !theirs) return ours ?? theirs
  return { ...(isLaterVerdict(theirs, ours) ? theirs : ours), ...datesOfAll([ours, theirs]) }
}

function isSame(a: PersonsVerdict | undefined, b: PersonsVerdict | undefined): boolean {
  if (!a || !b) return a === b
  return verdictLine(a) === verdictLine(b)
}

/**
 * Those of two sides of a merge: what one side alone has given or carried out stands, and of two that were given apart the later.
 * Which side is which makes no difference. Pure.
 */
function mergePicks(
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
