import { asked, type Context } from './context.ts'

/** How all workers together treat a service: one tries a workflow before the others, and all slow down when it is busy. */
export interface Manners {
  /**
   * Who sends the first order of a workflow. `go`: it was taken lately. `test`: this worker, alone; it says with `tested` what came.
   * `wait`: another one is at it.
   */
  canary(account: string, workflow: string, worker: string): Promise<'go' | 'test' | 'wait'>
  tested(account: string, workflow: string, worker: string, isProven: boolean): Promise<void>
  /** The service has no room: fewer orders are on their way at once, over all workers. Several in two seconds say it once. */
  busy(account: string): Promise<void>
  /** Orders that one worker may have on their way; undefined: as many as it likes. Twice as many with every minute. */
  room(account: string): Promise<number | undefined>
}

export function mannersOf(context: Context): Manners {
  const { statements } = context.sql
  return {
    async canary(account, workflow, worker) {
      const values = [account, workflow, worker]
      const [row] = (await asked<CanaryAnswer>(context, statements.canary, values)) ?? []
      if (row?.tests) return 'test'
      return row && !row.proven ? 'wait' : 'go'
    },
    async tested(account, workflow, worker, isProven) {
      await asked(context, statements.tested, [account, workflow, worker, isProven ? 'proven' : 'new'])
    },
    async busy(account) {
      await asked(context, statements.busy, [account])
    },
    // Asked often: one that is not answered is asked again in its turn.
    room: account =>
      context.connections.ask<{ each: number }>(statements.room, [account]).then(
        ([row]) => row && Math.max(1, Math.floor(row.each)),
        () => undefined,
      ),
  }
}

interface CanaryAnswer {
  readonly tests: boolean
  readonly proven: boolean
}
