import { datesOfAll, pickLine, verdictLine, writeVerdicts } from './verdicts-lines.ts'
import { isLaterVerdict, type PersonsVerdict, readVerdicts, verdictKey } from './verdicts-text.ts'
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
 * Merges verdicts take by take, and picks that wait by what was bought: what one side alone decided stands, and of two that were decided
 * apart the later one. Which side is ours makes no difference. Pure.
 */
export function mergeVerdicts(sides: VerdictSides): MergedVerdicts {
  const base = sides.base.trim() === '' ? undefined : readVerdicts(sides.base)
  if (base?.got === 'damaged') return { ...base, side: 'base' }
  const ours = readVerdicts(sides.ours)
  if (ours.got === 'damaged') return { ...ours, side: 'ours' }
  const theirs = readVerdicts(sides.theirs)
  if (theirs.got === 'damaged') return { ...theirs, side: 'theirs' }
  const [before, mine, other] = [base?.verdicts, ours.verdicts, theirs.verdicts]
  const verdicts = mergeEach(before?.verdicts, mine.verdicts, other.verdicts, verdictRules)
  const picks = mergeEach(before?.picks, mine.picks, other.picks, pickRules)
  return { got: 'merged', text: writeVerdicts({ ...mine, verdicts, picks }) }
}

/** How what persons said in one way is merged. */
interface MergeRules<Said> {
  /** By what two are about one and the same. */
  readonly keyOf: (said: Said) => string
  /** As it stands in the file. */
  readonly lineOf: (said: Said) => string
  /** What counts of two that were given apart, whichever side is which. */
  readonly laterOf: (ours: Said, theirs: Said) => Said
}

const verdictRules: MergeRules<PersonsVerdict> = {
  keyOf: verdictKey,
  lineOf: verdictLine,
  laterOf: (ours, theirs) => ({
    ...(isLaterVerdict(theirs, ours) ? theirs : ours),
    ...datesOfAll([ours, theirs]),
  }),
}

// Two jobs may have exchanged their names on one side: of two picks of one job, under whatever names, whoever carries them out knows.
const pickRules: MergeRules<WaitingPick> = {
  keyOf: pick => pick.of ?? jobOfPick(pick),
  lineOf: pickLine,
  laterOf: (ours, theirs) => {
    const [mine, other] = [ours, theirs].map(each => `${each.when} ${pickLine(each)}`)
    return (mine ?? '') < (other ?? '') ? theirs : ours
  },
}

/** What one side alone has given, or is done with, stands. */
function mergeEach<Said>(
  base: readonly Said[] = [],
  ours: readonly Said[] = [],
  theirs: readonly Said[] = [],
  { keyOf, lineOf, laterOf }: MergeRules<Said>,
): Said[] {
  const [before, mine, other] = [base, ours, theirs].map(
    all => new Map(all.map(each => [keyOf(each), each] as const)),
  )
  const isSame = (one: Said | undefined, another: Said | undefined) =>
    (one && lineOf(one)) === (another && lineOf(another))
  return [...new Set([...ours, ...theirs].map(keyOf))].flatMap(key => {
    const [was, own, its] = [before?.get(key), mine?.get(key), other?.get(key)]
    if (isSame(own, was)) return its ?? []
    if (isSame(its, was)) return own ?? []
    // Removed on one side, as an older genrun does with what is taken back, and given on the other: somebody looked at it since.
    if (!own || !its) return own ?? its ?? []
    return laterOf(own, its)
  })
}
