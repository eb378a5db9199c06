import type { Listener } from './orders.ts'

/** What a call asks of a manifest. */
interface Asked {
  /** Its absolute path. */
  readonly manifest: string
  /** The same for calls that ask for the same. */
  readonly what: string
}

/** `stop`: its client cancelled it. */
interface Caller extends Listener {
  /** Aborted as well when the client cannot be told any more. */
  readonly gone: AbortSignal
}

type Work<Result> = (listener: Listener) => Promise<Result>

type Attended<Result> =
  /** `joined`: an earlier call had begun it. */
  { readonly got: 'begun' | 'joined'; readonly result: Result } | { readonly got: 'at-work' }

/** The runs of manifests that calls have this server at work on, one of each manifest at a time. */
export interface RunsAtWork<Result> {
  /**
   * Carries out a run, or waits for the one that a call like it began and whose client cannot be told any more. One that
   * was cancelled orders nothing more: the next begins when it is over.
   */
  carryOut(asked: Asked, caller: Caller, work: Work<Result>): Promise<Attended<Result>>
  isAtWorkOn(manifest: string): boolean
}

interface Run<Result> {
  readonly what: string
  readonly cancelled: AbortController
  readonly result: Promise<Result>
  /** The last who asked for it. */
  caller: Caller
}

export function openRunsAtWork<Result>(): RunsAtWork<Result> {
  const underWay = new Map<string, Run<Result>>()

  function begin({ manifest, what }: Asked, caller: Caller, work: Work<Result>): Run<Result> {
    const cancelled = new AbortController()
    const run: Run<Result> = {
      what,
      cancelled,
      caller,
      result: Promise.resolve()
        .then(() => work({ stop: cancelled.signal, emit: told => run.caller.emit(told) }))
        .finally(() => underWay.delete(manifest)),
    }
    underWay.set(manifest, run)
    return run
  }

  async function uncancelled(manifest: string): Promise<Run<Result> | undefined> {
    const run = underWay.get(manifest)
    if (!run?.cancelled.signal.aborted) return run
    await Promise.allSettled([run.result])
    return uncancelled(manifest)
  }

  return {
    async carryOut(asked, caller, work) {
      const earlier = await uncancelled(asked.manifest)
      if (!earlier) return { got: 'begun', result: await attend(begin(asked, caller, work), caller) }
      if (!earlier.caller.gone.aborted || earlier.what !== asked.what) return { got: 'at-work' }
      return { got: 'joined', result: await attend(earlier, caller) }
    },
    isAtWorkOn: manifest => underWay.has(manifest),
  }
}

function attend<Result>(run: Run<Result>, caller: Caller): Promise<Result> {
  run.caller = caller
  // A connection that was cut off may be closed when another waits already.
  const cancel = () => run.caller === caller && run.cancelled.abort()
  if (caller.stop.aborted) cancel()
  else caller.stop.addEventListener('abort', cancel, { once: true })
  return run.result
}
