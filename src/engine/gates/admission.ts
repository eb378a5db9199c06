import { setMaxListeners } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import type { Failure, StopRule } from '../../base/failure.ts'
import type { Gate } from '../../base/order-waits.ts'
import type { WireMode } from '../../base/state.ts'
import { afterSign, closedBreaker, isProbing, type Sign } from './breaker.ts'
import { openPolls, type Polls } from './polls.ts'
import { longestRow } from './sent-row.ts'
import { afterEnd, afterLetGo, firstSlowStart, hasRoom, type OrderResult } from './slow-start.ts'

/**
 * Who may send a request now. The first paid one of each workflow goes alone (canary), so that a wrong key, address or
 * body costs a few requests and not one per job; a busy service pauses everybody; a refused canary costs nothing, and the next
 * job is one: only refusals that look alike close the workflow, so that one bad prompt does not end a night; a service that leaves orders in doubt, or delivers nothing of use, is left alone. Until it has taken an order in this run,
 * two are out at most over all workflows: what answers may be no such service at all.
 */
export interface Admission extends Polls {
  /**
   * Resolves when a request of the workflow may go, or with the failure that closed it. Release with `report`. `onWait`
   * hears each gate that holds it back.
   */
  enter(workflow: string, mode?: WireMode, onWait?: (gate: Gate) => void): Promise<Entry>
  /** What came of the request that was let in, and when it was. One that is `proven` is at stake until it `ended`. */
  report(letIn: LetIn, verdict: Verdict, sentAt?: number): void
  /** The date before which nothing at all is sent, because the service asked for that. */
  readonly pausedUntil: number
  /** The date before which nothing is bought; never earlier than `pausedUntil`. */
  readonly closedUntil: number
  pause(until: number): void
  /** What a paid job brought; five in a row that brought nothing of use end the buying. `nth`: of an order of this run. */
  ended(orderResult: OrderResult, nth: number | undefined): void
  /** Nothing more is bought. */
  readonly isClosed: boolean
  /**
   * How many that go to the workflow may be about to enter: one where it would go alone, and none while that one is out; others
   * would only wait, with a slot in their hands.
   */
  mostOnTheirWay(workflow: string): number
  /** Aborted once nothing more is sent to the workflow: whoever waits to send to it waits for nothing. */
  shut(workflow: string): AbortSignal
  /** Closes everything: nothing more is bought in this run. */
  close(because: Failure): void
}

/** A request that was let in, or why nothing is. */
type Entry = LetIn | { readonly closed: Failure }

interface LetIn {
  readonly closed?: never
  readonly workflow: string
  readonly mode: WireMode
  /** Its place among all that were let in. */
  readonly nth: number
}

/**
 * `unproven` says nothing about the workflow: not sent. The next one goes alone again. So does the next after `busy` (no
 * room now) and `doubt`.
 */
export type Verdict =
  | { readonly is: 'proven' }
  | { readonly is: 'unproven' }
  /** `waitMs` is what the service asked for. */
  | { readonly is: 'busy'; readonly waitMs?: number | undefined }
  /** `foreign`: what answered is evidently no such service, and nothing more is bought for that. */
  | { readonly is: 'doubt'; readonly failure: Failure; readonly foreign?: Failure }
  | { readonly is: 'refused'; readonly failure: Failure }

interface Workflow {
  standing: 'new' | 'testing' | 'proven' | 'closed'
  because?: Failure
  /** Canaries in a row that were refused. */
  refusals: number
  /** Of those, the last ones that look alike. */
  alike: number
  readonly shut: AbortController
}

/** docs/contract.md section 4. Times in milliseconds. */
const rules = {
  /** Submissions without an answer, at most; after trouble, one. */
  unanswered: 4,
  /** Orders out and lost, while nobody has shown to be the service. */
  unproven: 2,
  /** Refused canaries of one workflow in a row: so many that look alike, or so many of any kind. */
  alike: 3,
  refusals: 20,
  /** A service that has no room for anybody for so long is given up. */
  longestCalmMs: 20_000,
  stuckMs: 15 * 60_000,
} as const

/** The same but for what names the job: numbers, and what stands in quotes. */
function looksAlike(one: Failure, other: Failure): boolean {
  return likenessOf(one) === likenessOf(other)
}

function likenessOf(failure: Failure): string {
  if (failure.why !== 'refused') return failure.why
  const words = failure.detail.replaceAll(/(["'`])[^"'`]*\1|\d+/gu, '#')
  return `${failure.status} ${words.slice(0, 200)}`
}

function whyRefused(workflow: string, because: Failure, alike: number): Failure {
  if (because.why !== 'refused' || alike < rules.alike) return because
  return { why: 'closed', because, rule: { is: 'alike', orders: alike, workflow } }
}

interface AdmissionOptions {
  /** Those of everybody who asks the same service. */
  readonly polls?: Polls
  /** Useless results in a row that end the buying before any was useful. */
  readonly useless?: number | undefined
  /** Usable results that earlier runs had of the same models within a day. */
  readonly earlier?: number | undefined
  /** Hears that a workflow, or everything, has closed. */
  readonly onShut?: () => void
  /** Hears that an order that went alone was answered. */
  readonly onTried?: () => void
}

export function openAdmission(
  clock: Clock,
  { polls = openPolls({ clock }), useless, earlier, onShut, onTried }: AdmissionOptions = {},
): Admission {
  const workflows = new Map<string, Workflow>()
  let breaker = closedBreaker
  let slowStart = firstSlowStart(useless, earlier)
  /** Requests that were let in so far. */
  let count = 0
  /** Requests that were let in and have not been reported. */
  let inside = 0
  let waiting: (() => void)[] = []
  let closed: Failure | undefined
  let pausedUntil = 0
  let unanswered = 0
  let isWary = false
  let busySince: number | undefined
  let busyInRow = 0
  let calmUntil = 0
  /** It has taken an order in this run. */
  let isProven = false
  /** Orders in doubt that were answered by what is evidently no such service. */
  let strangers = 0

  function workflowOf(name: string): Workflow {
    const known = workflows.get(name)
    if (known) return known
    const shut = new AbortController()
    // Every job that waits listens to it.
    setMaxListeners(0, shut.signal)
    if (closed) shut.abort('closed')
    const fresh: Workflow = { standing: 'new', refusals: 0, alike: 0, shut }
    workflows.set(name, fresh)
    return fresh
  }

  function shut(workflow: Workflow): void {
    workflow.shut.abort('closed')
    onShut?.()
  }

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }

  function close(because: Failure, rule?: StopRule): void {
    closed ??= rule ? { why: 'closed', because, rule } : because
    wake()
    for (const each of workflows.values()) shut(each)
  }

  function heed(sign: Sign): void {
    breaker = afterSign(breaker, sign, clock.now())
    if (breaker.ended) close(breaker.ended, sign.is === 'doubt' ? { is: 'doubts' } : undefined)
  }

  function end(orderResult: OrderResult, nth: number | undefined): void {
    slowStart = afterEnd(slowStart, orderResult, nth)
    if (slowStart.ended) close(slowStart.ended, { is: 'useless', orders: longestRow(slowStart.row) })
  }

  function learn(workflow: Workflow, verdict: Verdict, nth: number, sentAt: number): void {
    isWary = verdict.is !== 'proven' && verdict.is !== 'refused'
    switch (verdict.is) {
      case 'proven':
        isProven = true
        busySince = undefined
        busyInRow = 0
        heed({ is: 'taken', nth, sentAt })
        break
      case 'unproven':
        heed({ is: 'nothing', nth })
        break
      case 'busy':
        heed({ is: 'nothing', nth })
        busySince ??= clock.now()
        pausedUntil = Math.max(pausedUntil, clock.now() + (verdict.waitMs ?? 0))
        // Only orders wait without being asked to: results are worth having all the same.
        calmUntil = clock.now() + Math.min(rules.longestCalmMs, 500 * 2 ** Math.min(busyInRow++, 10))
        if (clock.now() - busySince >= rules.stuckMs)
          close({ why: 'busy', detail: 'it takes no order at all' })
        break
      case 'doubt':
        if (verdict.foreign && !isProven && ++strangers >= rules.unproven) close(verdict.foreign)
        heed({ is: 'doubt', nth, sentAt, failure: verdict.failure })
        break
      case 'refused':
        heed({ ...verdict, nth })
        break
    }
    if (workflow.standing !== 'testing') return
    workflow.standing = verdict.is === 'proven' ? 'proven' : 'new'
    if (verdict.is === 'refused') refuse(workflow, verdict.failure)
  }

  /** The first gate that holds a request back now. */
  function gateBefore({ standing }: Workflow, mode: WireMode): Gate | undefined {
    if (standing !== 'new' && standing !== 'proven') return 'canary'
    // What executes is unanswered as long as it takes; how many there are is for the slots to say.
    if (mode === 'submit' && unanswered >= (isWary ? 1 : rules.unanswered)) return 'unanswered'
    if (!isProven && inside + strangers >= rules.unproven) return 'unproven'
    if (!hasRoom(slowStart)) return 'slow-start'
    return isProbing(breaker) && inside > 0 ? 'probe' : undefined
  }

  /** What is said of a job may be right for that job alone; what is said of a body is right for all. */
  function refuse(workflow: Workflow, failure: Failure): void {
    const last = workflow.because
    workflow.alike = last !== undefined && looksAlike(last, failure) ? workflow.alike + 1 : 1
    workflow.refusals++
    workflow.because = failure
    const isOfJob = failure.why === 'refused' || failure.why === 'rejected-content'
    const isOfBody = failure.why === 'refused' && workflow.alike >= rules.alike
    if (!isOfJob || isOfBody || workflow.refusals >= rules.refusals) workflow.standing = 'closed'
    if (workflow.standing === 'closed') shut(workflow)
  }

  return {
    async enter(name, mode = 'execute', onWait) {
      const workflow = workflowOf(name)
      let told: Gate | undefined
      while (true) {
        if (closed) return { closed }
        if (workflow.standing === 'closed' && workflow.because)
          return { closed: whyRefused(name, workflow.because, workflow.alike) }
        const gate = gateBefore(workflow, mode)
        if (!gate) {
          if (workflow.standing === 'new') workflow.standing = 'testing'
          if (mode === 'submit') unanswered++
          inside++
          const nth = count++
          slowStart = afterLetGo(slowStart, nth)
          heed({ is: 'sent', nth })
          return { workflow: name, mode, nth }
        }
        if (gate !== told) onWait?.(gate)
        told = gate
        await new Promise<void>(resume => waiting.push(resume))
      }
    },
    report({ workflow: name, mode, nth }, verdict, sentAt = clock.now()) {
      if (mode === 'submit') unanswered--
      inside--
      const workflow = workflowOf(name)
      const wasAlone = workflow.standing === 'testing'
      learn(workflow, verdict, nth, sentAt)
      if (verdict.is !== 'proven') end({ is: 'nothing' }, nth)
      wake()
      if (wasAlone) onTried?.()
    },
    get pausedUntil() {
      return pausedUntil
    },
    get closedUntil() {
      return Math.max(pausedUntil, calmUntil, breaker.until)
    },
    pause(until) {
      pausedUntil = Math.max(pausedUntil, until)
    },
    ...polls,
    ended(orderResult, nth) {
      end(orderResult, nth)
      wake()
    },
    get isClosed() {
      return closed !== undefined
    },
    mostOnTheirWay(workflow) {
      const { standing } = workflowOf(workflow)
      return standing === 'testing' ? 0 : standing === 'new' ? 1 : Number.POSITIVE_INFINITY
    },
    shut: workflow => workflowOf(workflow).shut.signal,
    close,
  }
}
