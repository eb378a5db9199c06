import { defined } from '../base/defined.ts'
import type { Diagnostic } from '../base/diagnostic.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { type DonePurchase, withoutPick } from '../base/purchase.ts'
import { firstTake, type HeededPick, picksAsNamedNow, picksOver } from '../plan/picks.ts'
import { sameRecipe } from '../plan/shapes/recipe.ts'
import { isJobStep, type Plan, type Step } from '../plan/shapes/step.ts'
import { makePlan, type PlannedRun, type Refused } from '../planning/make-plan.ts'
import { dropPicks } from '../store/verdicts/put-verdicts.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { verdictsFileOf } from '../workspace/layout.ts'
import type { PlanOptions, Workspace } from '../workspace/workspace.ts'
import type { ClaimContext } from './ledger/act-under-claim.ts'
import type { Ledger } from './ledger/ledger.ts'
import { adoptAll, moversOf } from './results/adopt.ts'

/** What is needed to give takes other names. */
interface PickDesk extends Pick<ClaimContext, 'workspace' | 'recorded' | 'ledger'> {
  readonly options: PlanOptions
  /** Takes that a person picks; a run had picked the others. Absent: it is a run that picks, and ends no person's choice of the same take. */
  readonly byHand?: ReadonlySet<JobAddress>
}

/**
 * Marks takes that are there, and gives all takes of their jobs the names that follow from it. Of `unmarked` jobs, by their first
 * takes, none is picked any more.
 */
export async function settlePick(
  addresses: Iterable<JobAddress>,
  { workspace, options, recorded, ledger, byHand }: PickDesk,
  unmarked: readonly JobAddress[] = [],
): Promise<PlannedRun | Refused> {
  // Whatever waited has been carried out by now, and may have been followed by what is picked here.
  const { picks: _, unmet: __, ...known } = recorded
  const planOf = ({ purchases }: Marks) =>
    makePlan(workspace, options, { ...known, purchases: [...purchases.values()] })
  const purchaseAt = purchasesAt(ledger, () => planOf(ledger))
  const chosen = Array.from(addresses, address => ({
    first: firstTake(address),
    mark: defined({ take: purchaseAt(address), byHand: byHand?.has(address) }),
  }))
  const families = new Set([...unmarked, ...chosen.map(({ first }) => first)])
  const mark = async (marks: Marks) => {
    for (const first of unmarked) await markPick(first, {}, marks)
    for (const each of chosen) await markPick(each.first, each.mark, marks)
  }
  // What follows is known before anything is written: a pick whose files cannot move would be half of one.
  const draft = draftOf(ledger)
  await mark(draft)
  const planned = planOf(draft)
  if (planned.got === 'refused') return planned
  const problems = inTheWayAnew(planned, () => planOf(ledger))
  if (problems.length > 0) return { got: 'refused', problems }
  await mark(ledger)
  const takes = planned.plan.steps.filter(
    (each): each is Step & { do: 'adopt' } =>
      each.do === 'adopt' && each.from === each.job.address && families.has(firstTake(each.job.address)),
  )
  await adoptAll(takes, moversOf(workspace, ledger))
  for (const entry of ledger.purchases.values())
    if (families.has(firstTake(entry.address)) && entry.is === 'done') await settleRedo(entry, ledger)
  return planned
}

/** What picks are marked in: the records, or a draft of them. */
type Marks = Pick<Ledger, 'purchases' | 'stands'>

function draftOf(ledger: Ledger): Marks {
  const purchases = new Map(ledger.purchases)
  return { purchases, stands: async record => void purchases.set(record.id, record) }
}

/** Files that are no results, or were altered, where a plan puts some; without those that are in the way already. */
function inTheWayAnew(planned: PlannedRun, planNow: () => PlannedRun | Refused): Diagnostic[] {
  const ofPlan = ({ obstacles }: PlannedRun) => obstacles.filter(({ code }) => code === 'file-in-the-way')
  const found = ofPlan(planned)
  if (found.length === 0) return []
  const now = planNow()
  // Of a plan that neither buys nor moves anything they are in the way of this very pick.
  const isOthers =
    now.got === 'planned' && now.plan.steps.some(({ do: what }) => what === 'buy' || what === 'adopt')
  const before = new Set(isOthers ? ofPlan(now).map(({ message }) => message) : [])
  return found.filter(({ message }) => !before.has(message))
}

/**
 * What is there under an address. After a run that was killed, or a merge, two results may be: then it is the one that the job has by the
 * plan.
 */
function purchasesAt(
  { purchases }: Ledger,
  planNow: () => PlannedRun | Refused,
): (address: JobAddress) => PurchaseId | undefined {
  let owners: ReadonlyMap<JobAddress, PurchaseId | 'another'> | undefined
  return address => {
    const there = [...purchases.values()].filter(
      each => each.is === 'done' && !each.aside && each.address === address,
    )
    if (there.length < 2) return there[0]?.id
    if (!owners) {
      const planned = planNow()
      owners = planned.got === 'planned' ? ownersBy(planned.plan) : new Map()
    }
    return (there.find(({ id }) => id === owners?.get(address)) ?? there.at(-1))?.id
  }
}

/**
 * Carries out picks that wait, and says so where they were asked for; those that are `over` are not carried out. Names may have changed
 * hands since the plan: each take is marked under the name that it has by now. Where that name is another's by the plan, the pick goes
 * with its take to where that lies, and counts again when somebody asks for it. What the cache was to bring, and did not, is waited for
 * still. Rejects with StorageError.
 */
export async function settleWaiting(
  waiting: { readonly heeded: readonly HeededPick[]; readonly over: readonly WaitingPick[] },
  { workspace, recorded, ledger, plan }: Omit<PickDesk, 'options' | 'byHand'> & Pick<PlannedRun, 'plan'>,
): Promise<void> {
  await endPicks(waiting.over, workspace)
  const heeded = waiting.heeded.filter(({ of }) => ledger.purchases.has(of))
  if (heeded.length === 0) return
  const owners = ownersBy(plan)
  const isDisplaced = ({ of }: HeededPick) => {
    const made = ledger.purchases.get(of)
    return made?.is === 'done' && (made.aside === true || (owners.get(made.address) ?? of) !== of)
  }
  for (const pick of heeded) if (isDisplaced(pick)) await markAlone(pick, ledger)
  const picks = picksAsNamedNow(
    heeded.filter(pick => !isDisplaced(pick)),
    ledger.purchases,
  )
  const of = (...kinds: WaitingPick['pick'][]) =>
    picks.flatMap(({ pick, address }) => (kinds.includes(pick.pick) ? [address] : []))
  await forgetComing(new Set(picks.map(({ address }) => firstTake(address))), ledger)
  const settled = await settlePick(
    of('take', 'as-before'),
    { workspace, options: {}, recorded, ledger, byHand: new Set(of('take')) },
    of('none'),
  )
  if (settled.got === 'refused') return
  await endPicks(picksOver(heeded), workspace)
}

/** The purchase that each job has by a plan, and `another` where that is none which there is. */
function ownersBy({ steps }: Plan): Map<JobAddress, PurchaseId | 'another'> {
  return new Map(
    steps.flatMap(step =>
      isJobStep(step) ? [[step.job.address, 'entry' in step ? step.entry.id : 'another'] as const] : [],
    ),
  )
}

/** Of takes that were ordered with the same words, and lie beside each other, this one is picked, or none. */
async function markAlone({ of, pick: { pick } }: HeededPick, ledger: Ledger): Promise<void> {
  const meant = ledger.purchases.get(of)
  if (meant?.is !== 'done') return
  const first = firstTake(meant.address)
  for (const each of ledger.purchases.values()) {
    if (each.is !== 'done' || firstTake(each.address) !== first) continue
    if (!sameRecipe({ ...each.recipe, take: meant.recipe.take }, meant.recipe)) continue
    const bare = withoutPick(each)
    if (each.id === of && pick !== 'none')
      await ledger.stands({ ...bare, picked: true, ...(pick === 'take' && { byHand: true }) })
    else if (each.picked) await ledger.stands(bare)
  }
}

/** They wait no more. Rejects with StorageError. */
export function endPicks(
  over: readonly WaitingPick[],
  { layout, place, machine }: Pick<Workspace, 'layout' | 'place' | 'machine'>,
): Promise<void> {
  return dropPicks({ path: verdictsFileOf(layout), manifest: place.manifest, disk: machine.disk }, over)
}

/** A person chose while a take of an earlier `redo` was on its way: it stays one take among the others. */
export async function forgetComing(families: ReadonlySet<JobAddress>, ledger: Ledger): Promise<void> {
  for (const { redo, ...bare } of ledger.purchases.values())
    if (redo && bare.is === 'under-way' && families.has(firstTake(bare.address))) await ledger.stands(bare)
}

/** Whoever has picked, and has moved what that moves, is done with what `redo` was to pick. */
async function settleRedo({ redo, ...bare }: DonePurchase, ledger: Ledger): Promise<void> {
  if (redo && bare.picked) await ledger.stands(bare)
}

/**
 * One take of a job is marked, be it the first: `.pick` waits for a mark. Without a take none is. What `redo` ordered is still its own
 * until the files have moved: were it not, the same words after a crash in between would order one more.
 */
async function markPick(
  first: JobAddress,
  { take, byHand }: { readonly take?: PurchaseId; readonly byHand?: boolean },
  marks: Marks,
): Promise<void> {
  for (const entry of marks.purchases.values()) {
    if (entry.is !== 'done' || entry.aside || firstTake(entry.address) !== first) continue
    const isMeant = entry.id === take
    const isHands = byHand ?? entry.byHand === true
    const isAsMeant = entry.picked === true && isHands === (entry.byHand === true)
    if (isMeant ? isAsMeant : !entry.picked && !entry.redo) continue
    const { redo, ...bare } = withoutPick(entry)
    const choice = { ...defined({ redo }), picked: true, ...(isHands && { byHand: true }) } as const
    await marks.stands(isMeant ? { ...bare, ...choice } : bare)
  }
}
