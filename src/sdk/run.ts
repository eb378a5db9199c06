import { defined } from '../base/defined.ts'
import type { OwnGate } from '../looks/own-gate.ts'
import { runManifest } from '../verbs/run.ts'
import type { Report, RunEvent } from '../wording/report.ts'
import type { Service } from '../workspace/service/service.ts'
import { type SessionBudget, spendInRun } from '../workspace/session-budget.ts'
import type { RunRequest } from '../workspace/workspace.ts'
import { callTrouble, refusal } from './error.ts'

/** What a run of a manifest may be told. */
export interface RunOptions
  extends Pick<RunRequest, 'select' | 'caps' | 'limits' | 'cache' | 'choices' | 'redo' | 'yes' | 'output'> {
  /** Aborted: nothing more is bought, and the next run goes on. */
  readonly signal?: AbortSignal
}

/**
 * A run under way. `for await (const event of run)` hears everything, also what happened before; `report` is its end.
 * It goes on whether anybody listens or not.
 */
export interface ManifestRun extends AsyncIterable<RunEvent> {
  /** Rejects with GenrunError when nothing could be done. Jobs that failed are part of the report. */
  readonly report: Promise<Report>
}

interface Workspace {
  readonly manifest: string
  readonly cwd: string
  readonly output: string | undefined
  readonly profile: string | undefined
  readonly prices: string | undefined
  readonly catalog: readonly string[] | undefined
  /** Throws where one of them is none. */
  readonly gates: () => readonly OwnGate[]
  readonly served: <T>(work: (service: Service) => Promise<T>) => Promise<T>
  /** What everything that is ordered together may still spend; throws where models cannot be read. */
  readonly together: () => SessionBudget | undefined
}

export function startRun(workspace: Workspace, options: RunOptions): ManifestRun {
  const { served, together, gates, output, profile, prices, catalog, ...of } = workspace
  const { signal, ...wanted } = options
  const told: RunEvent[] = []
  let isOver = false
  let wake: () => void = () => undefined
  let more = new Promise<void>(resolve => (wake = resolve))
  const stir = () => {
    wake()
    more = new Promise<void>(resolve => (wake = resolve))
  }
  const request = {
    ...of,
    ...defined({ output, profile, prices, catalog }),
    ...wanted,
    stop: signal ?? new AbortController().signal,
    emit(event: RunEvent) {
      told.push(event)
      stir()
    },
  }
  const report = served(async service =>
    reportOf({ ...request, service, gates: gates() }, together()),
  ).finally(() => {
    isOver = true
    stir()
  })
  // Whoever only listens hears of the trouble there.
  report.catch(() => undefined)
  return {
    report,
    async *[Symbol.asyncIterator]() {
      for (let nth = 0; ; nth++) {
        while (nth >= told.length && !isOver) await more
        const event = told[nth]
        if (!event) break
        yield event
      }
      await report
    },
  }
}

async function reportOf(request: RunRequest, budget: SessionBudget | undefined): Promise<Report> {
  const result = await (budget
    ? spendInRun(
        budget,
        request.caps ?? {},
        caps => runManifest({ ...request, caps }),
        ran => (ran.got === 'report' ? ran.report : undefined),
      )
    : runManifest(request))
  switch (result.got) {
    case 'refused':
      throw refusal(result.problems)
    case 'busy':
    case 'damaged':
      throw callTrouble({ ...result, hint: result.hint })
    case 'report':
      return result.report
  }
}
