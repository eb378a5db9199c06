import { type Diagnostic, error } from '../base/diagnostic.ts'
import { counted } from '../base/measure.ts'
import type { JobAddress } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { jobCost, sumOf } from '../plan/bill.ts'
import { firstTake, madeFrom } from '../plan/picks.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import type { Step } from '../plan/shapes/step.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import type { ManyAgain } from '../workspace/expectation.ts'
import type { RunRequest } from '../workspace/workspace.ts'
import type { PlannedRun } from './make-plan.ts'

/** So many results may be bought anew by one run without a word, if the settings say no other number. */
const usualGuard = 20

type Word = Pick<RunRequest, 'yes' | 'redo' | 'rebuyGuard'> & AtWork

/** What must be said before this plan may spend money. */
export function guardsAgainst(planned: PlannedRun, word: Word): Diagnostic[] {
  const many = manyAgain(planned, word)
  return [...(many ? [many.problem] : []), ...unknownCosts(planned)]
}

/** One edit of something shared can make hundreds of paid results stale. */
export function manyAgain({ plan, jobs, prices }: PlannedRun, word: Word): ManyAgain | undefined {
  const { yes, redo, rebuyGuard = usualGuard } = word
  const again = plan.steps.filter((step): step is Step & { do: 'buy' } => isAgain(step, redo === true))
  const [first] = again
  if (!first || again.length <= rebuyGuard || yes) return undefined
  return {
    results: again.length,
    because: reasonsFor(again),
    cost: sumOf(again.map(({ job }) => jobCost(job, prices))),
    ...(prices && { currency: prices.currency }),
    problem: redo ? redoProblem(first, again, jobs) : againProblem(first, again, word),
  }
}

/** What was there already is paid for once more: by an edit, because it is lost, or as the further take that `redo` orders. */
function isAgain(step: Step, redo: boolean): boolean {
  if (step.do !== 'buy') return false
  return step.again === true || isOfLost(step) || (redo && step.because.some(({ why }) => why === 'asked'))
}

function isOfLost({ because }: Step & { do: 'buy' }): boolean {
  return because.some(reason => reason.why === 'asked' && reason.word === '--rebuy')
}

/** `redo '*'` is quickly written. */
function redoProblem(
  first: Step & { do: 'buy' },
  again: readonly (Step & { do: 'buy' })[],
  jobs: readonly Job[],
): Diagnostic {
  const names = [...again.slice(0, 3).map(step => step.job.address), ...(again.length > 3 ? ['…'] : [])]
  const message = `redo would order ${counted(again.length, 'result')} once more (${listed(names)})`
  const behind = madeFrom(new Set(again.map(step => firstTake(step.job.address))), jobs)
  const stale =
    behind.length > 0
      ? `${counted(behind.length, 'job is', 'jobs are')} made from them, and stale then; `
      : ''
  return error('many-again', first.job.at, message, `${stale}--yes orders them; name fewer jobs to see them`)
}

function againProblem(
  first: Step & { do: 'buy' },
  again: readonly (Step & { do: 'buy' })[],
  atWork: AtWork,
): Diagnostic {
  const names = again.slice(0, 3).map(step => step.job.address)
  const message = `${again.length} results that are paid for would be bought again (${listed([...names, '…'])})`
  const reason = first.because[0]
  const at = reason?.why === 'changed' ? reason.at : first.job.at
  const isLost = isOfLost(first)
  const plan = commandOn(atWork, 'plan', ...(isLost ? ['--rebuy'] : []))
  const accept = commandOn(atWork, 'accept', '*')
  const isRetake = reason?.why === 'asked' && reason.word === '`retakes`'
  const unlessLost = isRetake ? 'without `retakes` the files stay' : `\`${accept}\` keeps the files`
  const otherwise = isLost ? 'files that are put back are kept' : `${unlessLost} as they are`
  const hint = `\`${plan}\` shows why; --yes buys them, ${otherwise}`
  return error('many-again', at, message, hint)
}

function reasonsFor(again: readonly (Step & { do: 'buy' })[]): ManyAgain['because'] {
  const groups = new Map<string, JobAddress[]>()
  for (const { job, because } of again) {
    const text = because.map(reasonText).join('; ')
    const group = groups.get(text)
    if (group) group.push(job.address)
    else groups.set(text, [job.address])
  }
  return [...groups].map(([text, jobs]) => ({ text, jobs })).toSorted((a, b) => b.jobs.length - a.jobs.length)
}

/** A cap on the cost cannot be kept when nobody knows the cost. */
function unknownCosts({ plan, bill, caps }: PlannedRun): Diagnostic[] {
  const cappedTags = Object.keys(caps.tags ?? {})
  const isCapped = (tags: readonly string[]) =>
    caps.maxCost !== undefined || tags.some(tag => cappedTags.includes(tag))
  const first = plan.steps.find(step => step.do === 'buy' && isCapped(step.job.tags))
  if (bill.unknown.length === 0 || first?.do !== 'buy') return []
  const hint = 'give the prices with --prices, or limit the paid requests with --max-paid'
  const message = `the cost is limited, and not all of it is known: ${listed(bill.unknown)}`
  return [error('unknown-cost', first.job.at, message, hint)]
}
