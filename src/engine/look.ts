import { defined } from '../base/defined.ts'
import type { RunRef } from '../base/state.ts'
import type { ReadReply } from '../wire/http/wire.ts'
import type { Made } from './advance.ts'
import { answeredBy } from './gates/polls.ts'
import { type JobRun, note } from './job-run.ts'

/** Asks for a run's result once, and heeds what the answer says of the service. Undefined when a stop cut it off. */
export async function look(jobRun: JobRun, run: RunRef): Promise<ReadReply | undefined> {
  const { world, admission, reach } = jobRun.context
  const reply = await world.wire.read(run, world.stop)
  // An answer to a request that the stop cut off says nothing.
  if (world.stop.aborted && reply.got === 'trouble') return undefined
  if (reply.got === 'trouble' && reply.failure.why === 'unreachable') reach.unheard(reply.failure)
  else reach.heard()
  admission.answered(answeredBy(reply), jobRun)
  if (reply.got === 'trouble' && reply.failure.why === 'busy')
    admission.pause(world.clock.now() + (reply.waitMs ?? 0))
  return reply
}

/** A run's links are signed and can be asked for again by its id, so only what is spooled is written down. */
export async function noteSpooled(jobRun: JobRun, state: Made): Promise<void> {
  const files = state.files.filter(file => file.from === 'spool')
  if (files.length < state.files.length || files.length === 0) return
  await note(jobRun, {
    kind: 'RESULT',
    purchase: jobRun.purchase,
    files,
    ...defined({ run: state.run, credits: state.credits }),
  })
}
