import { defined } from '../../base/defined.ts'
import type { JobAddress } from '../../base/names.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Facts } from '../facts.ts'
import { firstTake, withPicks } from '../picks.ts'
import { planJobs } from '../plan.ts'
import { withRests } from '../rests.ts'
import { retakesDue } from '../retakes.ts'
import type { Choices, Plan } from '../shapes/step.ts'
import { arrivals, redoOf, withTakes } from '../takes.ts'
import { withinLimit } from './limit.ts'
import { isEmptySelection, type Selected, type Selection, selectJobs } from './select.ts'
import { addressesOf, beyondTakes, goneBy, type SettledPicks, settlePicks } from './settle-picks.ts'
import { standingsOf } from './standings.ts'

const none: ReadonlySet<JobAddress> = new Set()

/** What is asked of a plan. */
interface Request {
  /** As the manifest has them. */
  readonly jobs: readonly Job[]
  /** Takes that somebody picked. */
  readonly picked: readonly JobAddress[]
  readonly choices?: Pick<Choices, 'failed' | 'rebuy' | 'resubmit'>
  readonly select?: Selection
  /** What is selected is ordered again although nothing changed. */
  readonly redo?: boolean
  /** What is selected keeps its files although its recipe changed. */
  readonly accept?: boolean
}

export interface PlannedJobs {
  readonly got: 'planned'
  readonly plan: Plan
  /** With picks applied, and with the takes that the manifest does not ask for. */
  readonly jobs: readonly Job[]
  /** Takes that `redo` orders, or has ordered: each is to be picked when it is there. */
  readonly redone: ReadonlySet<JobAddress>
  /** All that this `redo` is to bring, be it there already. */
  readonly redoing?: ReadonlySet<JobAddress>
  /** The jobs as they will be called once those are picked. */
  readonly afterPicks: readonly Job[]
  /** Jobs that would be bought without the limit. */
  readonly leftOut?: number
  /** What the files are to be accepted of, needs left out. */
  readonly accepting?: ReadonlySet<JobAddress>
  /** Picks that hold no longer: what was picked is made anew, or is no longer what is asked for. */
  readonly unpicked: readonly JobAddress[]
}

/** The plan with everything that picks and takes have to do with it. Pure. */
export function planRequest(
  request: Request,
  facts: Facts,
): PlannedJobs | Extract<Selected, { got: 'nothing' }> {
  const settled = settlePicks(request, facts)
  const { jobs, whole, more, unpicked } = settled
  const done = (plan: Plan): PlannedJobs => {
    const redone = arrivals(plan)
    const afterPicks = redone.size === 0 ? jobs : pickedLater(request, settled, redone, facts)
    return { got: 'planned', plan, jobs, redone, afterPicks, unpicked }
  }
  const { select = {}, redo, accept } = request
  const due = redo || accept ? none : retakesDue(request.jobs, whole, facts, settled.picked)
  if (isEmptySelection(select) && !redo && !accept && due.size === 0) return done(whole)
  const selected = selectJobs(jobs, select, standingsOf(whole, facts))
  if (selected.got === 'nothing') return selected
  const { limit, ...words } = select
  const only = !isEmptySelection(words) && { only: selected.all }
  if (accept) return planAccepted(request, facts, { accept: selected.asked, ...only })
  const choices: Choices = { ...request.choices, further: addressesOf(more), ...only }
  // Whoever limits what is bought says a number of his own.
  const retaken = limit === undefined ? new Set([...due].filter(each => selected.all.has(each))) : none
  if (!redo && retaken.size === 0) {
    const { plan, leftOut } = planLimited(jobs, facts, choices, limit)
    return { ...done(plan), ...defined({ leftOut }) }
  }
  const ordered = redo
    ? orderAgain(request, settled, selected.asked, { facts, choices })
    : orderAgain(request, settled, retaken, { facts, choices: { ...choices, isRetake: true } })
  return { ...done(ordered.plan), ...ordered }
}

/** The jobs as they are called once takes of an earlier `redo` have come, and are picked. */
function pickedLater(
  { jobs: written, choices }: Request,
  { picked, more, undivided }: SettledPicks,
  redone: ReadonlySet<JobAddress>,
  facts: Facts,
): readonly Job[] {
  const rules = {
    ...choices,
    mayOrder: beyondTakes(written, more, [...redone, ...picked]),
    undivided,
    isGone: goneBy(facts),
  }
  return withRests(withPicks(withTakes(written, more), [...redone, ...picked]), facts, rules)
}

function planLimited(
  jobs: readonly Job[],
  facts: Facts,
  choices: Choices,
  limit: number | undefined,
): Pick<PlannedJobs, 'plan' | 'leftOut'> {
  const plan = planJobs(jobs, facts, choices)
  const only = limit === undefined ? undefined : withinLimit(plan, limit)
  if (!only) return { plan }
  const isLimitOnly = choices.only === undefined && { isLimitOnly: true as const }
  const limited = planJobs(jobs, facts, { ...choices, only, ...isLimitOnly })
  return { plan: limited, leftOut: plan.buys - limited.buys }
}

/** What is accepted is as good as unchanged: a pick of it holds, and its takes keep their names. */
function planAccepted(
  request: Request,
  facts: Facts,
  word: Required<Pick<Choices, 'accept'>> & Pick<Choices, 'only'>,
): PlannedJobs {
  const choices = { ...request.choices, accept: word.accept }
  const { jobs, more, unpicked } = settlePicks({ ...request, choices }, facts)
  const plan = planJobs(jobs, facts, { ...request.choices, ...word, further: addressesOf(more) })
  return { got: 'planned', plan, jobs, redone: new Set(), afterPicks: jobs, unpicked, accepting: word.accept }
}

interface Table {
  readonly facts: Facts
  readonly choices: Choices
}

/** Orders takes until it is clear which: a job whose need is ordered again is made anew by that, and needs no take. */
function orderAgain(
  { jobs: written }: Request,
  { whole, picked, more, undivided, arriving }: SettledPicks,
  asked: ReadonlySet<JobAddress>,
  { facts, choices }: Table,
): Pick<PlannedJobs, 'plan' | 'jobs' | 'redone' | 'redoing' | 'afterPicks'> {
  // What a manifest orders again by itself is known by the takes that there are.
  const redoing = choices.isRetake ? undefined : facts.redoing
  const { purchases } = facts
  const { added, again, open, had } = redoOf(asked, withTakes(written, more), whole, {
    purchases,
    ...defined({ redoing }),
  })
  // What was picked and is lost is made anew: as any other take it is to be picked when it is there.
  const held = picked.filter(address => !again.has(address))
  const repicked = picked.filter(address => again.has(address))
  const isGone = goneBy(facts)
  let takes = added
  for (;;) {
    const names = addressesOf(takes)
    const all = withTakes(written, [...more, ...takes])
    const wanted = [...picked, ...arriving.arrive, ...names]
    const rules = {
      ...choices,
      mayOrder: beyondTakes(written, [...more, ...takes], wanted),
      undivided,
      isGone,
    }
    const divided = (those: readonly Job[]) => withRests(those, facts, rules)
    const jobs = divided(withPicks(all, held, new Set([...names, ...repicked]), arriving))
    const plan = planJobs(jobs, facts, {
      ...choices,
      further: addressesOf([...more, ...takes]),
      instead: undivided,
      redo: new Set([...names, ...again]),
      ...(choices.only && { only: new Set([...choices.only, ...names, ...open]) }),
    })
    const anew = madeAnew(plan, asked, names)
    const left = takes.filter(job => !anew.has(firstTake(job.address)))
    if (left.length === takes.length) {
      const redone = new Set([...names, ...open, ...repicked])
      const brought = { redoing: new Set([...names, ...open, ...again, ...had, ...boughtAmong(plan, asked)]) }
      const afterPicks = divided(withPicks(all, [...redone, ...held]))
      return { plan, jobs, redone, ...(!choices.isRetake && brought), afterPicks }
    }
    takes = left
  }
}

/** Jobs that are bought as they are, by the addresses of their first takes. */
function madeAnew(
  { steps }: Plan,
  asked: ReadonlySet<JobAddress>,
  takes: ReadonlySet<JobAddress>,
): Set<JobAddress> {
  const bought = boughtAmong({ steps }, asked)
  return new Set(bought.filter(address => !takes.has(address)).map(firstTake))
}

function boughtAmong({ steps }: Pick<Plan, 'steps'>, asked: ReadonlySet<JobAddress>): JobAddress[] {
  return steps.flatMap(step => (step.do === 'buy' && asked.has(step.job.address) ? [step.job.address] : []))
}
