import type { RunEvent } from '../../wording/report.ts'

/** Somebody who watches a run. It hears everything in order and never throws. */
export interface View {
  show(told: RunEvent): void
  /** One line that matters whatever else is shown: a stop, a warning. */
  note(line: string): void
  /** Gives the screen back; nothing is shown afterwards. */
  close(): Promise<void>
}

/** Shows notes and nothing else. */
export function silentView(say: (line: string) => void): View {
  return { show: () => undefined, note: say, close: () => Promise.resolve() }
}
