import type { TestContext } from 'vitest'
import { hasTerminal, type OnTerminal, onTerminal } from '../cli/terminal.ts'
import { executable } from './executable.ts'

/** Skips a test where no pseudo-terminal can be had, and prints why. */
export function needsTerminal({ skip }: TestContext): void {
  if (hasTerminal) return
  const why = 'no pseudo-terminal: python3 is missing or has no pty'
  console.warn(`skipped: ${why}`)
  skip(why)
}

/** The executable on a pseudo-terminal of its own. */
export function started(
  words: readonly string[],
  columns: number,
  { cwd, env, rows = 24 }: { cwd: string; env?: { [name: string]: string }; rows?: number },
): OnTerminal {
  return onTerminal([process.execPath, executable, ...words], { columns, rows, cwd, env })
}

/** What differs from run to run is written as what it is. */
export function steady(lines: readonly string[]): string[] {
  return lines.map(line =>
    line
      .replaceAll(/[⠋⠙⠸⠴⠦⠇]/g, '⠋')
      .replaceAll(/\b\d+\.\d s\b/g, '0.0 s')
      .replaceAll(/\+\d+\.\ds/g, '+0.0s')
      .replaceAll(/\b\d+(\.\d)? ?[kM]B\b/g, '0 kB')
      .replaceAll(/\b(\d+m)?\d+s\b/g, '0s')
      .replaceAll(/ +$/g, ''),
  )
}
