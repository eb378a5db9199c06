import type { Failure } from '../base/failure.ts'

/**
 * Who may send a paid request now. The first one of each workflow goes alone (canary), so that a wrong key, address or
 * body costs one request and not one per job; a busy service pauses everybody; a refused canary closes its workflow.
 */
export interface Pace {
  /** Resolves when a request of the workflow may go, or with the failure that closed it. Release with `report`. */
  enter(workflow: string): Promise<Failure | undefined>
  /** What came of the request that was let in. */
  report(workflow: string, verdict: Verdict): void
  /** The date before which nothing is sent to the service. */
  readonly pausedUntil: number
  pause(until: number): void
  /** Closes everything: nothing more is bought in this run. */
  close(because: Failure): void
}

/** `unproven` says nothing about the workflow: not sent, busy, in doubt. The next one goes alone again. */
export type Verdict =
  | { readonly is: 'proven' }
  | { readonly is: 'unproven' }
  | { readonly is: 'refused'; readonly failure: Failure }

interface Workflow {
  standing: 'new' | 'testing' | 'proven' | 'closed'
  because?: Failure
  waiting: (() => void)[]
}

export function openPace(): Pace {
  const workflows = new Map<string, Workflow>()
  let closed: Failure | undefined
  let pausedUntil = 0

  function workflowOf(name: string): Workflow {
    const known = workflows.get(name)
    if (known) return known
    const fresh: Workflow = { standing: 'new', waiting: [] }
    workflows.set(name, fresh)
    return fresh
  }

  function wake(workflow: Workflow): void {
    for (const resume of workflow.waiting.splice(0)) resume()
  }

  return {
    async enter(name) {
      const workflow = workflowOf(name)
      while (true) {
        if (closed) return closed
        if (workflow.standing === 'closed') return workflow.because
        if (workflow.standing === 'proven') return undefined
        if (workflow.standing === 'new') {
          workflow.standing = 'testing'
          return undefined
        }
        await new Promise<void>(resume => workflow.waiting.push(resume))
      }
    },
    report(name, verdict) {
      const workflow = workflowOf(name)
      if (verdict.is === 'refused' && closesEverything(verdict.failure)) closed ??= verdict.failure
      if (workflow.standing === 'testing') {
        workflow.standing = verdict.is === 'proven' ? 'proven' : verdict.is === 'refused' ? 'closed' : 'new'
        if (verdict.is === 'refused') workflow.because = verdict.failure
      }
      if (closed) for (const each of workflows.values()) wake(each)
      else wake(workflow)
    },
    get pausedUntil() {
      return pausedUntil
    },
    pause(until) {
      pausedUntil = Math.max(pausedUntil, until)
    },
    close(because) {
      closed ??= because
      for (const each of workflows.values()) wake(each)
    },
  }
}

function closesEverything(failure: Failure): boolean {
  return failure.why === 'unauthorized' || failure.why === 'no-credit'
}
