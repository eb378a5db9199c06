import type { Failure } from '../base/failure.ts'
import type { JobState, RunRef } from '../base/state.ts'
import type { ReadReply } from '../wire/http/wire.ts'
import { afterStop, type Made, type Ready, type Remote } from './advance.ts'
import { askedMs, attempts, backoffMs, confirmMs, type Deadlines, pollMs } from './deadlines.ts'
import { deadlinesOf, emit, type JobRun, note } from './job-run.ts'
import { look, noteSpooled } from './look.ts'

/**
 * Where a job begins that has a run from before: that run is asked before anything is paid. Its files, or that it is still
 * at work, go before an order; only a definite word that nothing will come of it lets one go.
 */
export async function askFirst(jobRun: JobRun, ready: Ready, run: RunRef): Promise<JobState> {
  const { world } = jobRun.context
  const deadlines = deadlinesOf(jobRun)
  let hasFailed = jobRun.task.ask?.hasFailed === true
  let { notBefore } = ready
  for (let tries = 1; ; tries++) {
    const isMyTurn = await awaitTurn(jobRun, notBefore, deadlines)
    if (!isMyTurn) return { is: 'skipped', because: { why: 'busy', detail: '' } }
    const reply = world.stop.aborted ? undefined : await look(jobRun, run)
    if (!reply) return afterStop(ready)
    const now = world.clock.now()
    if (reply.got === 'failure' && !hasFailed) {
      // Said twice, as of a run under way: what was lost or gone before may never have failed.
      hasFailed = true
      notBefore = now + confirmMs
      continue
    }
    const next = afterAsk(run, reply, deadlines, now)
    if (next === 'order') {
      jobRun.deadlines = undefined
      return { ...ready, notBefore: now }
    }
    if ('is' in next) return goOn(jobRun, next)
    const { failure, waitMs = 0 } = next
    const isSettled = failure.why === 'unauthorized' || failure.why === 'not-served'
    if (tries >= attempts.ask || isSettled) return { is: 'skipped', because: failure }
    notBefore = now + Math.max(askedMs(waitMs, deadlines), backoffMs(tries, deadlines, 1000))
    emit(jobRun, { event: 'waiting', failure, untilMs: notBefore })
  }
}

/** Whether it came before the job's deadline; a stop ends the waiting. */
async function awaitTurn(jobRun: JobRun, notBefore: number, { deadline }: Deadlines): Promise<boolean> {
  const { world, admission } = jobRun.context
  let at = Math.max(notBefore, admission.pausedUntil)
  // While this one waited, another may have been told to slow down.
  for (; at <= deadline; at = admission.pausedUntil) {
    await world.clock.until(at, world.stop)
    await admission.turn({ who: jobRun, since: Number.NEGATIVE_INFINITY }, world.stop)
    if (world.stop.aborted || admission.pausedUntil <= world.clock.now()) return true
  }
  return false
}

type Trouble = ReadReply & { got: 'trouble' }

/** What an answer means for a job that may be ordered anew. */
function afterAsk(
  run: RunRef,
  reply: ReadReply,
  deadlines: Deadlines,
  now: number,
): Remote | Made | 'order' | Trouble {
  switch (reply.got) {
    case 'files':
      return { is: 'made', files: reply.files, run, credits: reply.credits, tries: 0, notBefore: now }
    case 'pending':
      return { is: 'remote', run, since: now, tries: 0, notBefore: now + pollMs(0, deadlines, reply.waitMs) }
    case 'failure':
      return 'order'
    case 'trouble':
      return reply.isFinished || isRefused(reply.failure) ? 'order' : reply
  }
}

/**
 * The service says of the run itself that it will not tell: a redirect may be somebody else's. Where the profile has no address for
 * the question, nobody was asked, and nothing is ordered.
 */
function isRefused(failure: Failure): boolean {
  return failure.why === 'refused' && failure.status >= 400
}

/** The job is that run's from now on, also for whoever goes on after a crash. */
async function goOn(jobRun: JobRun, next: Remote | Made): Promise<JobState> {
  const { task, context } = jobRun
  const { world } = context
  const prepared = task.recipe ? { recipe: task.recipe } : await world.prepare(task)
  if ('failure' in prepared) return { is: 'skipped', because: prepared.failure }
  jobRun.recipe = prepared.recipe
  if (next.run && task.ask) {
    jobRun.purchase = task.ask.purchase
    context.runs.add(next.run, { purchase: jobRun.purchase, label: task.job.address })
    await note(jobRun, {
      kind: 'ACCEPTED',
      purchase: jobRun.purchase,
      attempt: world.random.token(),
      run: next.run,
    })
    emit(jobRun, { event: 'resumed', run: next.run })
  }
  if (next.is === 'remote') await world.secured?.()
  if (next.is === 'made') {
    await noteSpooled(jobRun, next)
    emit(jobRun, { event: 'made' })
  }
  return next
}
