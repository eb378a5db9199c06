import type { Shown, ShownPage, ShownVerdict } from './shown.ts'

/** What a key decides about a result. */
export type Judging =
  | { readonly is: 'approved' | 'rejected' | 'undecided' }
  | { readonly stars: number }
  | { readonly note: string }

/** A verdict as the page sends it: the server says who and when, unless it is one that is taken back. */
export interface GivenVerdict extends Omit<ShownVerdict, 'who' | 'when'> {
  readonly who?: string
  readonly when?: string
}

/** A take to be picked, or, by its first take, a job of which none is to be. */
export interface GivenPick {
  readonly address: string
  readonly isNone?: true
  /** A run had picked it: it is picked again as it was, and no person's choice. */
  readonly byRun?: true
  /** What was shown under that name when it was meant: names change. */
  readonly of?: string
  readonly seen?: readonly string[]
}

/** Everything that one key changes, and what takes all of it back. */
export interface Deed {
  /** In words, for whoever undoes it: `hero#2 picked`. */
  readonly what: string
  readonly verdicts: readonly GivenVerdict[]
  readonly picks: readonly GivenPick[]
}

export interface UndoableDeed extends Deed {
  readonly back: Deed
}

export type VerdictsBy = ReadonlyMap<string, ShownVerdict>

/** Results by their addresses. */
type ShownBy = ReadonlyMap<string, Shown>

/** Whether there is anything to decide about: what somebody altered is not what was made. */
export function canBeJudged({ files, altered }: Shown): boolean {
  return files.length > 0 && !altered
}

/** Why nothing can be decided about a result, for whoever tries. */
export function whyNotJudged({ address, altered = [] }: Shown): string {
  if (altered.length === 0) return `there is nothing to see of ${address}`
  return `${address} was altered on disk (${altered.join(', ')}): nothing is decided about it. ${alteredAdvice}`
}

export const alteredAdvice =
  'Put back the file that was made, or move this one away: the next run gets that one again, without paying where the service or a cache has it.'

/** The verdict on a result as it is now: one on other files is over. */
export function verdictOn(result: Shown, verdicts: VerdictsBy): ShownVerdict | undefined {
  const verdict = verdicts.get(result.address)
  return verdict && !result.altered && isAbout(verdict, result) ? verdict : undefined
}

/** One that was given to other files than those that are there now. */
export function formerVerdict(result: Shown, verdicts: VerdictsBy): ShownVerdict | undefined {
  const verdict = verdicts.get(result.address)
  return verdict && result.files.length > 0 && !isAbout(verdict, result) ? verdict : undefined
}

function isAbout({ seen }: ShownVerdict, { files }: Shown): boolean {
  return seen.join() === seenOf(files).join()
}

function seenOf(files: Shown['files']): string[] {
  return files.map(({ key }) => `sha256:${key}`)
}

/**
 * What a decision about a result comes to. Of the takes of one job one is approved, and that one is picked; what was picked and is
 * rejected stays picked until another is.
 */
export function stepFor(
  decision: Judging,
  result: Shown,
  { verdicts, takes }: { readonly verdicts: VerdictsBy; readonly takes: readonly Shown[] },
): UndoableDeed | undefined {
  if (!canBeJudged(result)) return undefined
  const isApproving = 'is' in decision && decision.is === 'approved'
  const others = isApproving
    ? takes.filter(each => each.address !== result.address && verdictOn(each, verdicts)?.is === 'approved')
    : []
  const changed = [
    given(result, decided(verdictOn(result, verdicts), decision)),
    // As old as it was: what ends it is no decision about that take.
    ...others.map(each => withoutWord(asItWas(each, verdicts))),
  ]
  // Whoever takes it back decides that anew: with its old date it would lose to what was decided meanwhile and taken back.
  const before = [result, ...others].map(each => given(each, saidOf(verdictOn(each, verdicts))))
  const pickedNow = takeChosen(takes)
  const isPicking = isApproving && pickedNow?.address !== result.address
  const first = takes.find(({ take }) => take === 1) ?? result
  const back: GivenPick = pickedNow
    ? { ...meant(pickedNow), ...(!isByHand(pickedNow) && { byRun: true }) }
    : { ...meant(first), isNone: true }
  const what = `${result.address} ${decisionText(decision)}`
  return {
    what,
    verdicts: changed,
    picks: isPicking ? [meant(result)] : [],
    back: { what: `${what}, taken back`, verdicts: before, picks: isPicking ? [back] : [] },
  }
}

/** The take that is picked, or is to be. */
function takeChosen(takes: readonly Shown[]): Shown | undefined {
  if (takes.some(({ waits }) => waits === 'none')) return undefined
  return takes.find(({ waits }) => waits) ?? takes.find(({ picked }) => picked)
}

function isByHand({ waits, byHand }: Shown): boolean {
  return waits ? waits === 'take' : byHand === true
}

/** Whether it is the picked take of its job, in a word. One that was chosen while a run has the manifest is picked after that, any other in a moment. */
export function pickWord({ picked, waits }: Shown, { run }: Pick<ShownPage, 'run'>): string | undefined {
  if (waits && waits !== 'none') return run ? 'waits for the run' : 'to be picked'
  return picked ? 'picked' : undefined
}

function decided(
  verdict: ShownVerdict | undefined,
  decision: Judging,
): Pick<GivenVerdict, 'is' | 'stars' | 'note'> {
  const before = saidOf(verdict)
  if ('stars' in decision) {
    const { stars: _, ...rest } = before
    return decision.stars === 0 ? rest : { ...rest, stars: decision.stars }
  }
  if ('note' in decision) {
    const { note: _, ...rest } = before
    return decision.note === '' ? rest : { ...rest, note: decision.note }
  }
  const { is: _, ...rest } = before
  return decision.is === 'undecided' ? rest : { ...rest, is: decision.is }
}

/** Whatever it says, and nothing of who said it. */
function saidOf({
  is,
  stars,
  note,
}: Partial<GivenVerdict> = {}): Pick<GivenVerdict, 'is' | 'stars' | 'note'> {
  return {
    ...(is && { is }),
    ...(stars !== undefined && { stars }),
    ...(note !== undefined && { note }),
  }
}

/**
 * The result of a deed about which something else stands by now than the deed has given, on another page perhaps: nobody takes that
 * back who has not seen it.
 */
export function decidedSince(
  { verdicts: given }: Deed,
  { byAddress, verdicts }: { readonly byAddress: ShownBy; readonly verdicts: VerdictsBy },
): string | undefined {
  return given.find(each => {
    const own = byAddress.get(each.address)
    const isOwn = each.of === undefined || own?.of === each.of
    const result = isOwn ? own : ([...byAddress.values()].find(({ of }) => of === each.of) ?? own)
    // Its job has another name by now, which the server finds.
    const stands = result
      ? verdictOn(result, verdicts)
      : [...verdicts.values()].find(({ seen }) => seen.join() === each.seen.join())
    return JSON.stringify(saidOf(stands)) !== JSON.stringify(saidOf(each))
  })?.address
}

function given(
  { address, files, of }: Shown,
  says: Pick<GivenVerdict, 'is' | 'stars' | 'note'>,
): GivenVerdict {
  return { address, ...says, seen: seenOf(files), ...(of !== undefined && { of }) }
}

function meant({ address, files, of }: Shown): GivenPick {
  return { address, ...(of !== undefined && { of }), seen: seenOf(files) }
}

function asItWas(result: Shown, verdicts: VerdictsBy): GivenVerdict {
  return verdictOn(result, verdicts) ?? given(result, {})
}

function withoutWord(verdict: GivenVerdict): GivenVerdict {
  const { is: _, ...rest } = verdict
  return rest
}

function decisionText(decision: Judging): string {
  if ('stars' in decision) return decision.stars === 0 ? 'without stars' : '★'.repeat(decision.stars)
  if ('note' in decision) return decision.note === '' ? 'without note' : 'noted'
  return decision.is === 'approved' ? 'picked' : decision.is
}

/** What waits, with what is decided now: of one result the last word counts, whatever that was called when it was given. */
export function withNews(
  before: readonly GivenVerdict[],
  news: readonly GivenVerdict[],
): readonly GivenVerdict[] {
  const resultOf = ({ address, of }: GivenVerdict) => (of === undefined ? `name ${address}` : `of ${of}`)
  const about = new Set(news.map(resultOf))
  return [...before.filter(each => !about.has(resultOf(each))), ...news]
}

/**
 * The verdicts with those that were given a moment ago, before the server has answered. `results`: as they are called now; one that has
 * another name than it had is found by what was bought.
 */
export function withGiven(
  verdicts: VerdictsBy,
  given: readonly GivenVerdict[],
  { who, when, results }: { readonly who: string; readonly when: string; readonly results: ShownBy },
): VerdictsBy {
  const next = new Map(verdicts)
  for (const each of given) {
    const address = nameNow(each, results)
    const isEmpty = each.is === undefined && each.stars === undefined && each.note === undefined
    if (isEmpty) next.delete(address)
    else next.set(address, { who, when, ...each, address })
  }
  return next
}

/** A result that somebody holds on to, as it is called by now: the same purchase, and the same files. Undefined where it is not shown. */
export function resultNow(held: Shown, results: ShownBy): Shown | undefined {
  const isIt = ({ of, files }: Shown) => of === held.of && seenOf(files).join() === seenOf(held.files).join()
  const own = results.get(held.address)
  if (own && isIt(own)) return own
  return held.of === undefined ? undefined : [...results.values()].find(isIt)
}

function nameNow({ address, of }: GivenVerdict, results: ShownBy): string {
  if (of === undefined || results.get(address)?.of === of) return address
  return [...results.values()].find(each => each.of === of)?.address ?? address
}

/** Whether what was decided is on the disk. */
export function savedText({
  verdicts,
  picks,
  isLost,
  trouble,
}: {
  readonly verdicts: readonly unknown[]
  readonly picks: readonly unknown[]
  readonly isLost: boolean
  readonly trouble?: string
}): string {
  if (verdicts.length + picks.length === 0) return 'all saved'
  return isLost || trouble !== undefined ? 'not saved yet' : 'saving…'
}

/** Those that say something: what was taken back says nothing. */
export function saying(given: readonly GivenVerdict[]): readonly GivenVerdict[] {
  return given.filter(({ is, stars, note }) => is !== undefined || stars !== undefined || note !== undefined)
}

/** What was decided on a page without a server, as the file that `genrun review --take` reads: in the form of the verdicts beside a lock. */
export function verdictsText(
  given: readonly GivenVerdict[],
  about: { readonly manifest: string; readonly who: string; readonly when: string },
): string {
  const { manifest, who, when } = about
  const lines = saying(given).map(({ address, is, stars, note, seen, of }) =>
    JSON.stringify({ address, is, stars, note, who, when: `${when.slice(0, 19)}Z`, seen, of }),
  )
  const name = manifest.replace(/^.*[/\\]/, '')
  const head = `{"genrunReview":1,"manifest":${JSON.stringify(name)},"verdicts":[`
  return `${[head, ...lines.map(line => `${line},`), 'null]}'].join('\n')}\n`
}
