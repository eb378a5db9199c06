import type { Clock } from '../base/clock.ts'
import { defined } from '../base/defined.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { type JudgeResult, judge } from '../verbs/judge.ts'
import type { Damaged } from '../workspace/records/recorded.ts'
import type { ReviewModel } from './model.ts'
import type { PickWorks } from './picks.ts'

/** What it takes to decide about what a page shows. */
export interface JudgeDesk {
  readonly manifest: string
  readonly model: ReviewModel
  readonly picks: Pick<PickWorks, 'settled'>
  readonly clock: Clock
  /** In whose name. */
  readonly who: string
}

/** As the page sent them. */
interface GivenDecisions {
  readonly verdicts: readonly unknown[]
  readonly picks: readonly unknown[]
}

type Judged = Pick<JudgeResult & { readonly got: 'judged' }, 'got' | 'given'> & {
  readonly refused: readonly { readonly address: string; readonly of?: string; readonly why: string }[]
}

/**
 * Writes down what was decided on the page, verdicts and picks in one go, about what is there now of what was seen. Resolves when it is
 * on the medium; what was not taken is given back with its reason.
 */
export async function judgeShown(
  { verdicts, picks }: GivenDecisions,
  desk: JudgeDesk,
): Promise<Judged | Damaged> {
  const { model, clock, who } = desk
  await settled(verdicts, desk)
  const { judged: shown, find } = model
  const when = `${new Date(clock.wall()).toISOString().slice(0, 19)}Z`
  // One that is taken back becomes what it was, by whom it was.
  const given = verdicts.map((each: unknown) => ({ who, when, ...(isObject(each) && each) }))
  const notPicked: { readonly address: string; readonly why: string }[] = []
  const result = await judge(given, {
    path: model.review.paths.verdicts,
    manifest: desk.manifest,
    shown,
    find,
    picks({ refused, renamed }) {
      // What nobody could decide about is not picked either.
      const not = new Set(refused.flatMap(each => [resultOf(each), each.address]))
      return picks.flatMap(each => {
        const wish = readPick(each)
        // What a browser kept of an earlier genrun has a name alone.
        if (!wish || not.has(wish.of === undefined ? wish.address : resultOf(wish))) return []
        const found = pickIn(wish, model, renamed)
        if (!('why' in found)) return [waitingPick(found, model, { who, when })]
        notPicked.push(found)
        return []
      })
    },
  })
  if (result.got === 'damaged') return result
  return { got: 'judged', given: result.given, refused: [...result.refused, ...notPicked] }
}

/** How often, and after how many milliseconds, it is looked whether a file that is not as it was has only got another name. */
const looksAgain = 3
const againMs = 250

/**
 * While files get other names nobody could say whether they are those that were seen: a pick of this page is waited for, and where a
 * result is not as it was made, another process may be giving its files their names in this very moment.
 */
async function settled(
  verdicts: readonly unknown[],
  { model, picks, clock }: Pick<JudgeDesk, 'model' | 'picks' | 'clock'>,
): Promise<void> {
  await picks.settled()
  for (let nth = 0; nth < looksAgain; nth++) {
    const meant = new Set(verdicts.flatMap(each => meantBy(each, model)))
    const found = await Promise.all([...meant].map(address => model.find(address)))
    if (found.flat().every(({ is }) => is === 'same')) return
    if (nth > 0) await clock.until(clock.now() + againMs)
    await model.renew()
  }
}

/** What a verdict is about as it is called now; nothing where it is about nothing that is shown. */
function meantBy(verdict: unknown, { judged }: ReviewModel): JobAddress[] {
  if (!isObject(verdict) || !('address' in verdict)) return []
  const known = 'of' in verdict ? nameNow(verdict.of, judged) : undefined
  const address = known ?? jobAddress(String(verdict.address))
  return judged.has(address) ? [address] : []
}

/** What the result of a purchase is called by now. */
function nameNow(of: unknown, judged: ReviewModel['judged']): JobAddress | undefined {
  return of === undefined ? undefined : [...judged].find(([, each]) => each.of === of)?.[0]
}

/** Names change, and two may have had the same one. */
function resultOf({ address, of = '' }: { readonly address: string; readonly of?: string }): string {
  return `${address}\n${of}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** A take that is to be picked, or a job of which none is to be. */
interface PickWish {
  /** Of the take; of the job's first take where none is meant. */
  readonly address: string
  readonly isNone?: boolean
  /** A run had picked it, and it is picked again as it was. */
  readonly byRun?: boolean
}

interface GivenWish extends PickWish {
  /** What was shown under that name when it was meant. */
  readonly of?: string
  readonly seen?: readonly string[]
}

function readPick(value: unknown): GivenWish | undefined {
  if (!isObject(value) || !('address' in value) || typeof value.address !== 'string') return undefined
  const { address } = value
  return {
    address,
    ...('isNone' in value && value.isNone === true && { isNone: true }),
    ...('byRun' in value && value.byRun === true && { byRun: true }),
    ...('of' in value && typeof value.of === 'string' && { of: value.of }),
    ...('seen' in value && Array.isArray(value.seen) && { seen: value.seen.map(String) }),
  }
}

/** The wish by the name that its result has now, or why there is none. */
function pickIn(
  { of, seen, ...wish }: GivenWish,
  { judged, review }: ReviewModel,
  renamed: ReadonlyMap<string, string>,
): PickWish | { readonly address: string; readonly why: string } {
  const known = nameNow(of, judged)
  const address = known ?? renamed.get(wish.address) ?? wish.address
  if (!review.exhibits.some(each => each.address === address))
    return { address: wish.address, why: `there is no result called ${wish.address}` }
  // A job of which none is to be picked is meant as a whole.
  const isOther = wish.isNone
    ? of !== undefined
    : seen && judged.get(jobAddress(address))?.seen.join() !== seen.join()
  if (known === undefined && isOther)
    return { address, why: `${address} is another result than the one that was meant: nothing is picked` }
  return { ...wish, address }
}

function waitingPick(
  { address, isNone, byRun }: PickWish,
  { judged }: ReviewModel,
  by: Pick<WaitingPick, 'who' | 'when'>,
): WaitingPick {
  const { seen, of } = judged.get(jobAddress(address)) ?? { seen: [] }
  const pick = isNone ? 'none' : byRun ? 'as-before' : 'take'
  return { address: jobAddress(address), pick, ...by, seen, ...defined({ of }) }
}
