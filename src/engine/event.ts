import type { Failure } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import type { JobState, RunRef } from '../base/state.ts'

/**
 * What happens during a run, in order, for views and logs. `at` is `Clock.now`: good for how long things took, whatever the
 * machine's clock is set to meanwhile. Whoever prints it as a date asks `wallDates`. The same holds for `untilMs`.
 */
export type Event = { readonly at: number; readonly address: JobAddress } & (
  | {
      readonly event: 'sending'
      readonly model: string
      readonly attempt: number
      /** Ordered anew after its run failed, so often by now; each may cost again. */
      readonly again?: number
    }
  /** Told after the id is durable and before the first poll: with it a result can be had from anywhere. */
  | { readonly event: 'accepted'; readonly run: RunRef }
  | { readonly event: 'resumed'; readonly run?: RunRef }
  | { readonly event: 'progress'; readonly fraction: number }
  | { readonly event: 'made' }
  | { readonly event: 'bytes'; readonly bytes: number; readonly total?: number }
  /** An input on its way to the service, before the job is sent; a few times a second at most. */
  | { readonly event: 'uploading'; readonly file: string; readonly bytes: number; readonly total: number }
  | { readonly event: 'waiting'; readonly failure: Failure; readonly untilMs: number }
  | { readonly event: 'settled'; readonly state: JobState }
)

export type Emit = (event: Event) => void
