import { type Diagnostic, error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress, type PurchaseId, restStart } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import type { Job } from '../manifest/shapes/job.ts'
import {
  firstTake,
  type HeededPick,
  heededPicks,
  picksOver,
  purchasesRestored,
  takeWord,
  unheededPicks,
} from '../plan/picks.ts'
import { patternOf } from '../plan/request/pattern.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import { restBase } from '../plan/shapes/share.ts'
import { isJobStep, type Plan, type Step } from '../plan/shapes/step.ts'
import type { PlannedRun, Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { unknownAddress } from '../planning/unknown-address.ts'
import { actUnderClaim, type ClaimContext } from '../run/ledger/act-under-claim.ts'
import type { Ledger } from '../run/ledger/ledger.ts'
import { endPicks, forgetComing, settlePick } from '../run/settle-pick.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { alteredHint } from '../wording/hints.ts'
import { notRecordedHere } from '../wording/remarks.ts'
import { verdictsFileOf } from '../workspace/layout.ts'
import type { Busy } from '../workspace/records/busy.ts'
import type { Damaged } from '../workspace/records/recorded.ts'
import { waitingPicks } from '../workspace/records/waiting-picks.ts'
import type { PlanOptions } from '../workspace/workspace.ts'

type PickResult =
  | Refused
  | Damaged
  | Busy
  | {
      readonly got: 'picked'
      /** The first of them. */
      readonly address: JobAddress
      readonly addresses: readonly JobAddress[]
      /** The files of the picked takes, which have the bare names now. */
      readonly files: readonly string[]
      /** Jobs that were made from another take, and are bought by the next run. */
      readonly stale: readonly JobAddress[]
    }

interface PickWords {
  readonly address?: string
  readonly others?: readonly string[]
  /** Takes that a run had picked, and that are picked again as they were: no person chose them. */
  readonly byRun?: readonly string[]
  /** Jobs of which no take is to be picked any more: the first has the bare name again. */
  readonly none?: readonly string[]
}

/**
 * Chooses takes: each gets the bare name, and others are made from it. A word is an address, an id or a glob; `hero#2` is
 * the second take, without a number the first is meant. Nothing is picked unless all can be.
 */
export function pickTake(request: WorkspaceRequest & PickWords): Promise<PickResult> {
  return actUnderClaim(request, context => pickPlanned(context, request, request))
}

/** The same of a context. Rejects with StorageError. */
export async function pickPlanned(
  context: ClaimContext,
  words: PickWords,
  options: PlanOptions = {},
): Promise<PickResult> {
  const { workspace, recorded, planned, ledger } = context
  const { address: word, byRun = [], none = [] } = words
  const meant = takesToPick(words, planned)
  if (meant.got === 'refused') return meant
  const asBefore = takesMeant(byRun, planned.jobs)
  if (asBefore.got === 'refused') return asBefore
  const unmarked = takesMeant(none, planned.jobs)
  if (unmarked.got === 'refused') return unmarked
  const addresses = meant.jobs.map(job => job.address)
  const [address = jobAddress(word ?? '')] = addresses
  const firsts = unmarked.jobs.map(job => firstTake(job.address))
  const families = new Set([...addresses.map(firstTake), ...firsts])
  const waiting = waitingPicks(verdictsFileOf(workspace.layout), workspace.machine.disk)
  await forgetComing(families, ledger)
  const ofRuns = new Set(asBefore.jobs.map(job => job.address))
  const byHand = new Set(addresses.filter(each => !ofRuns.has(each)))
  const again = await settlePick(addresses, { workspace, options, recorded, ledger, byHand }, firsts)
  if (again.got === 'refused') return again
  // Whatever was to be picked of them before, this is the later choice.
  const isOver = ({ address }: Pick<HeededPick, 'address'>) => families.has(firstTake(address))
  const there = heededPicks(waiting, recorded.purchases)
  const unknown = unheededPicks(waiting, there).filter(pick => isUnknown(pick, recorded))
  await endPicks([...picksOver(there.filter(isOver)), ...unknown.filter(isOver)], workspace)
  return {
    got: 'picked',
    address,
    addresses,
    files: addresses.flatMap(address => filesOf(address, ledger)),
    stale: again.plan.steps.flatMap(each => (each.do === 'buy' && each.again ? [each.job.address] : [])),
  }
}

/** The takes that are meant, all of which can be picked. */
function takesToPick({ address: word, others = [], byRun = [] }: PickWords, planned: PlannedRun): Meant {
  const meant = takesMeant([...(word === undefined ? [] : [word]), ...others, ...byRun], planned.jobs)
  if (meant.got === 'refused') return meant
  const unmade = meant.jobs.filter(job => !isMade(job, planned.plan))
  if (unmade.length > 0)
    return { got: 'refused', problems: unmade.map(job => notMade(job, stepOf(job, planned.plan))) }
  const altered = meant.jobs.flatMap(job => alteredProblem(job, planned) ?? [])
  return altered.length > 0 ? { got: 'refused', problems: altered } : meant
}

/** What came of picks that waited, by the names that their takes had when they were asked for. */
interface PickedWaiting {
  readonly got: 'picked'
  readonly picked: readonly JobAddress[]
  /** They wait: for the next run, which gives their files the names by which they are picked, or until their jobs ask for them again. */
  readonly later: readonly { readonly address: JobAddress; readonly why: string }[]
  /** They are over, because they cannot be carried out. */
  readonly refused: readonly { readonly address: JobAddress; readonly problems: readonly Diagnostic[] }[]
  /** Jobs that were made from another take, and are bought by the next run. */
  readonly stale: readonly JobAddress[]
}

/** Carries out what was asked for on a page. One that cannot be carried out, or not yet, keeps no other. */
export function pickWaiting(request: WorkspaceRequest): Promise<Refused | Damaged | Busy | PickedWaiting> {
  return actUnderClaim(request, async context => {
    const { workspace, recorded, planned } = context
    const waiting = waitingPicks(verdictsFileOf(workspace.layout), workspace.machine.disk)
    const there = heededPicks(waiting, [...recorded.purchases, ...purchasesRestored(planned.plan)])
    const refused = new Map<WaitingPick, readonly Diagnostic[]>()
    const later: PickedWaiting['later'][number][] = []
    for (const pick of unheededPicks(waiting, there)) {
      if (isUnknown(pick, recorded)) later.push({ address: pick.address, why: notRecordedHere(pick) })
      else refused.set(pick, [notThere(pick)])
    }
    const good: HeededPick[] = []
    for (const each of there) {
      const why = whyLater(each, planned.plan)
      if (why !== undefined) {
        later.push({ address: each.pick.address, why })
        continue
      }
      const words = wordsOf([each])
      const unmarked = takesMeant(words.none, planned.jobs)
      const meant = unmarked.got === 'refused' ? unmarked : takesToPick(words, planned)
      if (meant.got === 'refused') refused.set(each.pick, meant.problems)
      else good.push(each)
    }
    const done = good.length > 0 ? await pickPlanned(context, wordsOf(good), request) : undefined
    if (done && done.got !== 'picked') return done
    await endPicks([...refused.keys()], workspace)
    return {
      got: 'picked',
      picked: good.map(({ pick }) => pick.address),
      later,
      refused: [...refused].map(([{ address }, problems]) => ({ address, problems })),
      stale: done?.stale ?? [],
    }
  })
}

/** Why a take that is there cannot be picked yet; undefined where it can. */
function whyLater({ of, address: now, pick: { address, pick } }: HeededPick, plan: Plan): string | undefined {
  if (isForNextRun(of, plan))
    return `the files of ${address} do not have their names yet: the next run gives them these, and picks it`
  const isAsked = plan.steps.some(step => isJobStep(step) && 'entry' in step && step.entry.id === of)
  if (isAsked || pick === 'none') return undefined
  // A run puts it aside with its pick, and both come back when what was changed is undone.
  const step = plan.steps.find(each => isJobStep(each) && each.job.address === now)
  const reasons = step?.do === 'buy' ? ` (${step.because.map(reasonText).join('; ')})` : ''
  return `what was seen of ${address} is not what it asks for by now${reasons}: it is picked when it asks for that again`
}

/** Whether a run moves its files, or gets them again, for nothing: its job has another name than the records know, or they are gone. */
function isForNextRun(of: PurchaseId, { steps }: Plan): boolean {
  return steps.some(step => {
    if (step.do === 'restore') return [step.entry.id, step.lost?.id].includes(of)
    if (!isJobStep(step) || !('entry' in step) || step.entry.id !== of) return false
    const { address } = step.job
    const isElsewhere = step.entry.address !== address || (step.do === 'adopt' && step.from !== address)
    return step.do === 'fetch' || isElsewhere
  })
}

function wordsOf(picks: readonly HeededPick[]): Required<Pick<PickWords, 'others' | 'byRun' | 'none'>> {
  const of = (kind: WaitingPick['pick']) =>
    picks.flatMap(({ pick, address }) => (pick.pick === kind ? [takeWord(address)] : []))
  return { others: of('take'), byRun: of('as-before'), none: of('none') }
}

/** Bought by another checkout: its records may come here, or the cache bring it. */
function isUnknown({ of }: WaitingPick, { purchases }: Pick<ClaimContext['recorded'], 'purchases'>): boolean {
  return of !== undefined && !purchases.some(({ id }) => id === of)
}

function notThere({ address }: WaitingPick): Diagnostic {
  const message = `${address} is another result than the one that was meant: nothing is picked`
  return settingProblem({ name: 'pick', value: address }, 'not-made', message, 'look at it again')
}

/** By whichever orders they came: those of a number that was raised since, too. */
function filesOf(address: JobAddress, { purchases, made }: Ledger): string[] {
  const orders = new Set(
    [...purchases.values()].map(each => each.address).filter(each => restBase(each) === address),
  )
  const inOrder = [...orders].toSorted((a, b) => restStart(a) - restStart(b))
  return inOrder.flatMap(each => made(each)?.files.map(({ path }) => path) ?? [])
}

type Meant = Refused | { readonly got: 'takes'; readonly jobs: readonly Job[] }

function takesMeant(words: readonly string[], jobs: readonly Job[]): Meant {
  const problems: Diagnostic[] = []
  const meant = new Map<JobAddress, Job>()
  for (const word of words) {
    const named = /#\d+$/.test(word) ? word : `${word}#1`
    const fits = patternOf(named)
    // The rest of a take's files goes along.
    const found = jobs.filter(job => fits(job.address, job.axes) && (job.share?.from ?? 0) === 0)
    if (found.length === 0) problems.push(unknownAddress(word, jobs))
    for (const job of found) {
      const first = firstTake(job.address)
      const other = meant.get(first)
      if (other && other.address !== job.address) problems.push(twoTakes(other, job))
      meant.set(first, job)
    }
  }
  return problems.length > 0 ? { got: 'refused', problems } : { got: 'takes', jobs: [...meant.values()] }
}

function twoTakes(one: Job, other: Job): Diagnostic {
  const message = `one take of a job is picked, not ${one.address} and ${other.address}`
  return settingProblem(
    { name: 'address', value: other.address },
    'bad-selector',
    message,
    'name one of them',
  )
}

function stepOf({ address }: Job, plan: Plan): Step | undefined {
  return plan.steps.find(each => isJobStep(each) && each.job.address === address)
}

function isMade(job: Job, plan: Plan): boolean {
  const { address } = job
  const step = stepOf(job, plan)
  return step?.do === 'keep' || (step?.do === 'adopt' && step.from === address && !step.entry.aside)
}

function notMade({ address, at }: Job, step: Step | undefined): Diagnostic {
  if (step?.do === 'adopt' && !step.entry.aside) {
    const message = `${address} has its files under other names still`
    return error('not-made', at, message, 'run the manifest first: it moves them, which costs nothing')
  }
  const hint = 'run the manifest first; only a take that is there can be picked'
  const isOfAnother = step?.do === 'buy' && step.again === true
  const made = isOfAnother ? 'not made yet as it is asked for by now' : 'not made yet'
  return error('not-made', at, `${address} is ${made}`, hint)
}

/** Whoever picks has looked at what the records call that take, and at nothing else. */
function alteredProblem(job: Job, { plan, facts }: PlannedRun): Diagnostic | undefined {
  const step = stepOf(job, plan)
  const altered = step && 'entry' in step ? (facts.readAltered?.(step.entry, job) ?? []) : []
  if (altered.length === 0) return undefined
  const message = `${job.address} was altered since it was made: ${listed(altered)}`
  return error('altered', job.at, message, alteredHint)
}
