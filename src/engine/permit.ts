import type { Failure } from '../base/failure.ts'
import { unrecorded } from './job-run.ts'
import type { Task, World } from './world.ts'

interface Gates extends Pick<World, 'journal'> {
  /** Why a paid request must not leave now (a stop, a lost claim, a spent budget); what it costs is taken out. */
  gate(task: Task): Failure | undefined
  /** Why one that the gate let pass must not leave after all. */
  revoked(): Failure | undefined
}

/** Permits where the process is alone with its journal: docs/contract.md section 2, steps 2 to 4. The order of the lines is the contract. */
export function permitsOf({ gate, revoked, journal }: Gates): World['permit'] {
  return async (task, { purchase, attempt, tell }) => {
    const failure = gate(task)
    if (failure) return { got: 'held', failure }
    tell()
    try {
      await journal.append({ kind: 'SENDING', purchase, attempt })
      // What is in doubt is given up for an order that stands: who dies in between has both, and forgets neither.
      const givenUp = (task.insteadOf ?? []).map(each =>
        journal.append({ kind: 'RESOLVE', purchase: each.purchase, decision: { is: each.decision } }),
      )
      await Promise.all(givenUp)
    } catch (trouble) {
      return { got: 'held', failure: unrecorded(trouble) }
    }
    // Asked again at last: who takes over from now on reads SENDING, and who did before may not have; and the user may have
    // stopped meanwhile.
    return { got: 'permit', lastWord: revoked }
  }
}
