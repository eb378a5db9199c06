import type { Clock } from '../../base/clock.ts'
import { display } from '../../base/display.ts'
import { bytesText, clockText, counted, elapsedText } from '../../base/measure.ts'
import type { JobAddress } from '../../base/names.ts'
import { group } from '../../reports/workflow-command.ts'
import type { Event, Planned } from '../../wording/report.ts'
import { type Board, endOf, openBoard } from './board.ts'
import { openSkips } from './skips.ts'
import type { View } from './view.ts'
import { endedWords, endText, percent, planText, waitingText } from './words.ts'

interface LinesOptions {
  readonly say: (line: string) => void
  readonly clock: Clock
  /** What happens in between is told too: progress, bytes, every attempt. */
  readonly isVerbose: boolean
  /** Orders to a CI system, where there is one that folds the lines of a run. */
  readonly order?: (line: string) => void
}

const heartbeatMs = 15_000

/**
 * One line per change of state, each with our prefix and the time since the start, so that a log can be read and nothing
 * in it can pass for somebody else's command; and a sign of life every 15 seconds.
 */
export function openLines(options: LinesOptions): View {
  const { clock, isVerbose } = options
  const board = openBoard()
  const startedAt = clock.now()
  /** Why jobs wait, as told since the last sign of life: an outage is news once, not once for every job. */
  const toldWaits = new Set<string>()
  const toldRetries = new Map<JobAddress, number>()
  const over = new AbortController()
  const line = (at: number, ...parts: readonly string[]) => options.say(logLine(at - startedAt, ...parts))

  const beating = beat()
  async function beat(): Promise<void> {
    for (let next = startedAt + heartbeatMs; ; next += heartbeatMs) {
      await clock.until(next, over.signal)
      if (over.signal.aborted) return
      toldWaits.clear()
      tellSkips(true)
      if (board.plan) line(clock.now(), standText(board, clock.now()))
    }
  }

  let close: string | undefined
  const skips = openSkips()

  /** What is skipped together is told together, before whatever comes next. */
  function tellSkips(all: boolean): void {
    for (const { at, words } of skips.take(all, board)) line(all ? clock.now() : at, ...words)
  }

  function begin(plan: Planned): void {
    if (options.order && plan.work.length > 0) {
      const fold = group(`genrun: ${planText(plan)}`)
      options.order(fold.open)
      close = fold.close
    }
    line(plan.at, planText(plan))
    for (const remark of plan.remarks) line(plan.at, display(remark))
  }

  function isRepetition(event: Event): boolean {
    if (event.event === 'sending') return event.attempt > 1 && !isPaidRetry(event)
    if (event.event !== 'waiting') return false
    const reason = waitingText(event.failure)
    const isTold = toldWaits.has(reason)
    toldWaits.add(reason)
    return isTold
  }

  /** What may cost once more is news, unlike the further attempts of one order. */
  function isPaidRetry({ address, again }: Event & { event: 'sending' }): boolean {
    if (again === undefined || toldRetries.get(address) === again) return false
    toldRetries.set(address, again)
    return true
  }

  return {
    show(told) {
      board.take(told)
      if (told.event === 'settled' && told.state.is === 'skipped' && !isVerbose)
        return skips.add(told.at, told.address, told.state.because)
      if (told.event === 'planned') return begin(told)
      if (told.event === 'warned') {
        tellSkips(false)
        return line(told.at, display(told.message))
      }
      if (!isVerbose && isRepetition(told)) return
      const words = eventWords(told, isVerbose)
      if (!words) return
      tellSkips(false)
      line(told.at, display(told.address), ...words)
    },
    note(text) {
      tellSkips(false)
      line(clock.now(), text)
    },
    async close() {
      tellSkips(true)
      over.abort()
      await beating
      if (close !== undefined) options.order?.(close)
    },
  }
}

/** A line with our prefix and the time since the start. */
export function logLine(elapsedMs: number, ...parts: readonly string[]): string {
  return ['genrun', elapsedText(elapsedMs / 1000).padStart(7), ...parts.filter(Boolean)].join('  ')
}

/** What a line says about a job; undefined for what only `--verbose` tells. */
function eventWords(event: Event, isVerbose: boolean): readonly string[] | undefined {
  switch (event.event) {
    case 'sending': {
      if (event.again !== undefined)
        return ['sending again', display(event.model), `its run failed; paid retry ${event.again}`]
      const attempt = event.attempt > 1 ? [`attempt ${event.attempt}`] : []
      return ['sending', display(event.model), ...attempt]
    }
    // The id is told always: with it the result can be had whatever becomes of this machine.
    case 'accepted':
      return ['accepted', `run ${display(event.run.id)}`]
    case 'resumed':
      return event.run ? ['resumed', `run ${display(event.run.id)}`] : ['resumed']
    case 'waiting':
      return ['waiting', waitingText(event.failure)]
    case 'settled': {
      const end = endOf(event.state)
      return [endedWords[end.as], endText(end)]
    }
    case 'progress':
      return isVerbose ? ['progress', percent(event.fraction)] : undefined
    case 'made':
      return isVerbose ? ['ready', 'fetching its files'] : undefined
    case 'uploading':
      return isVerbose
        ? ['uploading', `${display(event.file)}, ${bytesText(event.bytes)} of ${bytesText(event.total)}`]
        : undefined
    case 'bytes':
      return isVerbose ? ['received', bytesText(event.bytes)] : undefined
  }
}

/** `still at work: 3 of 5 done, 1 failed, 2 running (clip 42 %, voice); about 1m20s left`. */
function standText(board: Board, now: number): string {
  const { counts, running, total } = board
  const named = [...running.values()]
    .slice(0, 3)
    .map(({ address, stage }) =>
      stage.is === 'progress' ? `${display(address)} ${percent(stage.fraction)}` : display(address),
    )
  const more = running.size > named.length ? [...named, `${running.size - named.length} more`] : named
  const parts = [
    total > 0 && `${counts.made} of ${total} done`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.doubt > 0 && `${counts.doubt} in doubt`,
    counts.skipped > 0 && `${counts.skipped} skipped`,
    running.size > 0 && `${counted(running.size, 'running', 'running')} (${more.join(', ')})`,
  ]
  const left = board.secondsLeft(now)
  const ahead = left === undefined ? '' : `; about ${clockText(left)} left`
  const stand = parts.filter(Boolean).join(', ')
  // What is already there is looked through, and nothing is to be made.
  return stand ? `still at work: ${stand}${ahead}` : 'still at work'
}
