import { defined } from '../../base/defined.ts'
import type { JobAddress, PurchaseId } from '../../base/names.ts'
import type { DonePurchase, Purchase } from '../../base/purchase.ts'
import type { Task } from '../../engine/world.ts'
import type { FileRef, Job } from '../../manifest/shapes/job.ts'
import { unapprovedNeed } from '../../plan/buy.ts'
import type { Facts } from '../../plan/facts.ts'
import { followVerdicts, type KnownVerdicts } from '../../plan/follow-verdicts.ts'
import { firstTake, type HeededPick, heededPicks } from '../../plan/picks.ts'
import { groupedBy, registerOf } from '../../plan/register.ts'
import { isApprovedSince } from '../../plan/retakes.ts'
import { type Hold, isJobStep } from '../../plan/shapes/step.ts'
import type { PlannedRun } from '../../planning/make-plan.ts'
import { type Disk, looksTheSame } from '../../store/files/disk.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { loadAll } from '../../store/verdicts/verdicts-file.ts'

/** What persons decide while a run is at work, of what it has not sent yet. It never lets anything go that was not planned. */
export interface DecidedSince {
  /** Why a job is not bought although it was planned; undefined where nothing that was decided since speaks against it. */
  against(task: Pick<Task, 'job' | 'redo' | 'resend'>): Hold | undefined
  /** Whether a person has chosen another take of its job than this one, which is on its way: it is not picked by itself. */
  isPassedOver(address: JobAddress): boolean
  /** What was held by it, by the addresses of its jobs. */
  readonly held: ReadonlyMap<JobAddress, Hold>
}

interface Since {
  readonly planned: Pick<PlannedRun, 'plan' | 'jobs' | 'redone'> &
    Partial<Pick<PlannedRun, 'facts' | 'redoing'>>
  /** As the manifest has them, before picks. */
  readonly written: readonly Job[]
  readonly purchases: () => Iterable<Purchase>
  /** When the run began, in milliseconds since 1970. */
  readonly began: number
  /** Where verdicts stand, and picks that wait. */
  readonly path: string
  readonly disk: Disk
}

type Decisions =
  | {
      readonly got: 'decisions'
      readonly verdicts: KnownVerdicts
      readonly picks: ReadonlyMap<JobAddress, JobAddress>
    }
  | { readonly got: 'unread'; readonly why: string; readonly remedy?: string }

interface KnownJobs {
  /** By their addresses. */
  readonly wanted: ReadonlyMap<JobAddress, Job>
  readonly asWritten: ReadonlyMap<JobAddress, Job>
  /** All takes of a job, by the first. */
  readonly families: ReadonlyMap<JobAddress, readonly JobAddress[]>
}

function knownJobs(planned: readonly Job[], written: readonly Job[]): KnownJobs {
  const addresses = planned.map(({ address }) => address)
  return {
    wanted: new Map(planned.map(job => [job.address, job])),
    asWritten: new Map(written.map(job => [job.address, job])),
    families: groupedBy(addresses, address => [firstTake(address)]),
  }
}

export function openDecidedSince({ planned, written, purchases, began, path, disk }: Since): DecidedSince {
  let known: KnownJobs | undefined
  // In most runs nobody asks, and there may be a hundred thousand jobs.
  const jobs = () => (known ??= knownJobs(planned.jobs, written))
  const takesOf = (first: JobAddress) => jobs().families.get(first) ?? []
  const held = new Map<JobAddress, Hold>()
  let look: ReturnType<Disk['look']> | 'never' = 'never'
  let last: Decisions | undefined
  let asPlanned: Pick<Parameters<typeof unapprovedNeed>[1], 'decided' | 'register' | 'choices'> | undefined

  /** Read again when the file is another: a look at it is all that most orders cost. */
  function now(): Decisions {
    try {
      const here = disk.look(path)
      if (last && look !== 'never' && looksTheSame(here, look)) return last
      const { verdicts, picks = [] } = loadAll(path, disk)
      look = here
      const all = [...purchases()]
      last = {
        got: 'decisions',
        verdicts: followVerdicts(verdicts, jobs().asWritten.keys(), all),
        picks: choicesIn(heededPicks(picks, all)),
      }
    } catch (trouble) {
      if (!(trouble instanceof StorageError)) throw trouble
      look = 'never'
      last = { got: 'unread', why: trouble.message, ...defined({ remedy: trouble.remedy }) }
    }
    return last
  }

  const mayMatter = (job: Job) =>
    job.needs.some(need => {
      const its = jobs().wanted.get(need)
      return its?.isApprovalRequired || its?.retakes !== undefined || takesOf(firstTake(need)).length > 1
    })
  // Where it could not be read from the beginning on, the plan has said what that means.
  const wasUnread = planned.jobs.some(mayMatter) && now().got === 'unread'

  const approvedBefore = planned.redone.size > 0 ? approvalsIn(now()) : new Map<PurchaseId, string>()

  /** When each result was approved that is. */
  function approvalsIn(decisions: Decisions): ReadonlyMap<PurchaseId, string> {
    if (decisions.got === 'unread') return new Map()
    const made = [...purchases()].filter((each): each is DonePurchase => each.is === 'done')
    return new Map(
      made.flatMap(each => {
        const verdict = decisions.verdicts.on(each.address, each)
        return verdict?.is === 'approved' ? [[each.id, verdict.when] as const] : []
      }),
    )
  }

  function against(task: Pick<Task, 'job' | 'redo' | 'resend'>): Hold | undefined {
    const { job } = task
    // What may have been sent is none of this.
    if (task.resend) return undefined
    const isRetake = task.redo === true && planned.redoing === undefined && job.retakes !== undefined
    if (!isRetake && !mayMatter(job)) return undefined
    const decisions = now()
    return (
      (isRetake ? againstRetake(job, decisions) : undefined) ??
      anotherTake(job, decisions) ??
      unapproved(job, decisions)
    )
  }

  /** Nobody asked for it but its own job, while no person had chosen among its takes. */
  function againstRetake({ address }: Job, decisions: Decisions): Hold | undefined {
    const first = firstTake(address)
    if (decisions.got === 'unread') return wasUnread ? undefined : unreadHold(first, decisions)
    const isChosen = decisions.picks.has(first) || madeOf(first).some(each => isApprovedNow(each, decisions))
    return isChosen ? { why: 'chosen-since', address: first, isRetake: true } : undefined
  }

  function isApprovedNow(made: DonePurchase, { verdicts }: Decisions & { got: 'decisions' }): boolean {
    const before = planned.facts?.verdicts
    const wasApproved = before && 'on' in before && before.on(made.address, made)?.is === 'approved'
    return !wasApproved && isApprovedSince(made, verdicts, Number.NEGATIVE_INFINITY)
  }

  function anotherTake(job: Job, decisions: Decisions): Hold | undefined {
    for (const [used, first] of chosenBy(
      job,
      jobs().asWritten.get(job.address) ?? jobs().asWritten.get(firstTake(job.address)),
    )) {
      if (takesOf(first).length < 2) continue
      if (decisions.got === 'unread') {
        if (!wasUnread) return unreadHold(first, decisions)
        continue
      }
      const picked = decisions.picks.get(first)
      const isOther = picked === undefined ? isPassedOver(used) : picked !== used
      if (isOther) return { why: 'chosen-since', address: first }
    }
    return undefined
  }

  function unapproved(job: Job, decisions: Decisions): Hold | undefined {
    const { facts, plan } = planned
    if (!facts?.verdicts) return undefined
    const { readAltered: _, ...rest } = facts
    const verdicts: NonNullable<Facts['verdicts']> =
      decisions.got === 'decisions'
        ? decisions.verdicts
        : { unread: decisions.why, ...defined({ remedy: decisions.remedy }) }
    // Of all jobs: made once, however many are asked about.
    asPlanned ??= {
      decided: new Map(plan.steps.filter(isJobStep).map(step => [step.job.address, step])),
      register: registerOf(facts.purchases),
      choices: {
        further: new Set([...jobs().wanted.keys()].filter(address => !jobs().asWritten.has(address))),
      },
    }
    return unapprovedNeed(job, { ...asPlanned, wanted: jobs().wanted, takesOf, facts: { ...rest, verdicts } })
  }

  function madeOf(first: JobAddress): DonePurchase[] {
    return [...purchases()].filter(
      (each): each is DonePurchase => each.is === 'done' && !each.aside && firstTake(each.address) === first,
    )
  }

  function isPassedOver(address: JobAddress): boolean {
    if (!planned.redone.has(address)) return false
    const decisions = now()
    if (decisions.got === 'unread') return !wasUnread
    const first = firstTake(address)
    const picked = decisions.picks.get(first)
    if (picked !== undefined) return picked !== address
    const sent = [...purchases()].findLast(each => each.address === address && each.is !== 'open')?.sent?.at
    if (sent === undefined) return false
    const approved = approvalsIn(decisions)
    // Dates of verdicts are to the second: what stood when the run began that ordered this one was not given since.
    const stoodBefore = ({ id }: DonePurchase) => sent >= began && approved.get(id) === approvedBefore.get(id)
    return madeOf(first).some(
      each =>
        each.address !== address && !stoodBefore(each) && isApprovedSince(each, decisions.verdicts, sent),
    )
  }

  return {
    held,
    isPassedOver,
    against(task) {
      const hold = against(task)
      if (hold) held.set(task.job.address, hold)
      return hold
    },
  }
}

/** The takes that are to be used, by the first takes of their jobs. */
function choicesIn(picks: readonly HeededPick[]): ReadonlyMap<JobAddress, JobAddress> {
  return new Map(picks.map(({ address }) => [firstTake(address), address]))
}

function unreadHold(address: JobAddress, { why, remedy }: Decisions & { got: 'unread' }): Hold {
  return { why: 'chosen-since', address, but: why, ...defined({ remedy }) }
}

/** The takes that a job is made from because they are picked, or because none is, with the first takes of their jobs. */
function chosenBy(job: Job, written: Job | undefined): (readonly [used: JobAddress, first: JobAddress])[] {
  return Object.entries(job.files).flatMap(([at, refs]) =>
    refs.flatMap((ref, nth) => {
      if (ref.from !== 'job') return []
      const asWritten: FileRef | undefined = Object.entries(written?.files ?? {}).find(
        ([its]) => its === at,
      )?.[1][nth]
      const first = firstTake(ref.address)
      // Another take than the first, by its number: no pick changes that.
      const isNamed = asWritten?.from === 'job' && asWritten.nth !== 'pick' && asWritten.address !== first
      return isNamed ? [] : [[ref.address, first] as const]
    }),
  )
}
