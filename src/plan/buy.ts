import { defined } from '../base/defined.ts'
import { type JobAddress, purchaseId, restStart } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { digestOf } from '../store/files/digest.ts'
import type { PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import type { Facts } from './facts.ts'
import { firstTake } from './picks.ts'
import { brokenBy, isPersonsPick } from './retakes.ts'
import type { Reason } from './shapes/reasons.ts'
import { type DraftRecipe } from './shapes/recipe.ts'
import { upToOthers } from './shapes/share.ts'
import { type Hold, isJobStep, type Step } from './shapes/step.ts'
import type { Table } from './table.ts'
import { takeOf } from './takes.ts'

/** A job whose inputs cannot come now is held; what needs them would be bought in vain. */
export function buy(job: Job, draft: DraftRecipe, because: readonly Reason[], table: Table): Step {
  const unpicked = Object.values(job.files)
    .flat()
    .find(ref => ref.from === 'job' && ref.nth === 'pick')
  if (unpicked?.from === 'job') {
    return { do: 'hold', job, because: { why: 'unpicked', address: unpicked.address } }
  }
  const unfit = unfitInput(job, table)
  if (unfit) return { do: 'hold', job, because: unfit }
  const blocked = [...draft.open, ...job.needs].find(address => !willBeDone(table.decided.get(address)))
  if (blocked) return { do: 'hold', job, because: { why: 'needs', address: blocked } }
  const unapproved = unapprovedNeed(job, table)
  if (unapproved) return { do: 'hold', job, because: unapproved }
  const altered = alteredInput(job, table)
  if (altered) return { do: 'hold', job, because: altered }
  const isAskedFor = because.some(reason => reason.why === 'asked')
  const bought: Step = { do: 'buy', job: upToOthers(job), because }
  return isAskedFor ? bought : (restore(job, draft, table) ?? bought)
}

/**
 * An order that was delivered short lacks the file, and only another order can bring it. What somebody took as it came, and is no
 * media, is never sent.
 */
function unfitInput(
  job: Job,
  { decided, facts }: Table,
): (Hold & { why: 'no-file' | 'odd-file' }) | undefined {
  for (const ref of Object.values(job.files).flat()) {
    if (ref.from !== 'job' || ref.nth === 'pick') continue
    const step = decided.get(ref.address)
    if (step?.do !== 'keep' && step?.do !== 'adopt') continue
    const { files } = step.entry
    const file = files[ref.nth]
    if (!file) return { why: 'no-file', address: ref.address, nth: ref.nth, files: files.length }
    if (facts.isSendable?.(file.type) === false)
      return { why: 'odd-file', address: ref.address, path: file.path }
  }
  return undefined
}

/** A look at sizes is enough to tell here; what is of the same size is told when it is sent. */
function alteredInput(job: Job, { decided, facts }: Table): (Hold & { why: 'altered-file' }) | undefined {
  for (const ref of Object.values(job.files).flat()) {
    if (ref.from !== 'job' || ref.nth === 'pick') continue
    const step = decided.get(ref.address)
    if (step?.do !== 'keep' && step?.do !== 'adopt') continue
    const file = step.entry.files[ref.nth]
    const standing = facts.standing(step.entry, step.job)
    if (file && standing.is === 'altered' && standing.paths.includes(file.path))
      return { why: 'altered-file', address: ref.address, path: file.path }
  }
  return undefined
}

/**
 * A result of which no take is good, that says how often it is ordered anew, and that nobody has decided about: it waits for a person,
 * whether anything is made from it or not.
 */
export function isWaiting(job: Job, table: Approving): (Hold & { why: 'unapproved' }) | undefined {
  const entry = entryIn(table.decided.get(job.address))
  if (job.retakes === undefined || !entry) return undefined
  const first = firstTake(job.address)
  const isOtherPicked = table.takesOf(first).some(take => entryIn(table.decided.get(take))?.picked)
  if (!(entry.picked || (job.address === first && !isOtherPicked))) return undefined
  const hold = unapprovedNeed({ files: {}, needs: [first] }, table)
  return hold?.isBroken && hold
}

/** What of a table decides about approvals. */
type Approving = Pick<Table, 'decided' | 'wanted' | 'takesOf' | 'facts' | 'choices' | 'register'>

/**
 * Of what files come from, that very take has to be approved; of a job that is only waited for, any take. So it is where the job says so,
 * and where it says how often what fails its looks is ordered anew (`retakes`), and none of that came out well.
 */
export function unapprovedNeed(
  { files, needs }: Pick<Job, 'files' | 'needs'>,
  table: Approving,
): (Hold & { why: 'unapproved' }) | undefined {
  const { decided, wanted, takesOf, facts } = table
  const { verdicts } = facts
  const sources = new Set(
    Object.values(files)
      .flat()
      .flatMap(ref => (ref.from === 'job' ? [ref.address] : [])),
  )
  for (const need of needs) {
    const isSource = sources.has(need)
    const takes = isSource ? [need] : takesOf(firstTake(need))
    const broken = brokenAmong(takes, table)
    if (!wanted.get(need)?.isApprovalRequired && broken === undefined) continue
    const address = isSource ? need : firstTake(need)
    if (verdicts && 'unread' in verdicts)
      return { why: 'unapproved', address, but: verdicts.unread, ...defined({ remedy: verdicts.remedy }) }
    const against = takes.flatMap(take => {
      const step = decided.get(take)
      const verdict = verdicts?.on(take, entryIn(step))
      return verdict?.is ? [againstApproval(verdict, step, facts)] : []
    })
    const [but = broken && `it fails its looks (${broken})`] = against
    const isBroken = broken !== undefined && { isBroken: true as const }
    const isAltered = but === alteredSince && { isAltered: true as const }
    if (against.every(each => each !== undefined))
      return { why: 'unapproved', address, ...defined({ but }), ...isAltered, ...isBroken }
  }
  return undefined
}

/**
 * What was found of the first, where all that came of them fails its looks, their job says so of `retakes`, be it none, and no person
 * chose one.
 */
function brokenAmong(takes: readonly JobAddress[], table: Approving): string | undefined {
  const { decided, wanted } = table
  const found = takes.flatMap(take => {
    const step = decided.get(take)
    if (!step || !willBeDone(step)) return []
    return [
      wanted.get(take)?.retakes === undefined || isChosen(step, table)
        ? undefined
        : brokenBy(step, table.facts),
    ]
  })
  return found.every(each => each !== undefined) ? found[0] : undefined
}

function isChosen(step: Step, { choices: { further }, takesOf, register }: Approving): boolean {
  const entry = entryIn(step)
  if (!entry?.picked || !isJobStep(step)) return false
  const family = takesOf(firstTake(step.job.address))
  const takes = Math.max(0, ...family.filter(take => !further?.has(take)).map(takeOf))
  return isPersonsPick(entry, { takes, numbers: family.map(takeOf), register })
}

function entryIn(step: Step | undefined): DonePurchase | undefined {
  return step && 'entry' in step ? step.entry : undefined
}

/** A verdict is about the very files that were seen: those that are made now nobody has seen yet. */
function againstApproval(
  { is, seen }: PersonsVerdict,
  step: Step | undefined,
  facts: Facts,
): string | undefined {
  const files = entryIn(step)?.files ?? []
  const areSeen = files.map(({ digest }) => digest).join() === seen.join()
  if (!areSeen) return 'its files are others than those that were looked at'
  if (is !== 'approved') return 'it is rejected'
  // A look at its size is enough to keep a file, and not to make something from it because of what somebody saw. What is still to come
  // is looked at when it is sent.
  const isThere = step?.do === 'keep' || step?.do === 'adopt'
  const altered = isThere ? (facts.readAltered?.(step.entry, step.job) ?? []) : []
  return altered.length > 0 ? alteredSince : undefined
}

const alteredSince = 'it was altered since it was made'

/** What the cache has, instead of buying it. */
export function restore(
  job: Job,
  { recipe, open }: DraftRecipe,
  { facts }: Table,
): (Step & { do: 'restore' }) | undefined {
  const found = open.length === 0 ? facts.cached?.(recipe, restStart(job.address)) : undefined
  if (!found) return undefined
  const { address } = job
  // The same each time: what is taken from the cache twice is one purchase.
  const id = purchaseId(
    digestOf(['cached', address, { ...recipe, inputs: { ...recipe.inputs } }]).slice(7, 39),
  )
  return id && { do: 'restore', job, entry: { id, address, is: 'done', recipe, ...found } }
}

/** The same for what is there already and is paid for once more. */
export function buyAgain(job: Job, draft: DraftRecipe, because: readonly Reason[], table: Table): Step {
  const step = buy(job, draft, because, table)
  return step.do === 'buy' ? { ...step, again: true } : step
}

function willBeDone(step: Step | undefined): boolean {
  return step !== undefined && step.do !== 'hold' && step.do !== 'doubt'
}
