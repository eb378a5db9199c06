import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect } from 'vitest'
import { budget, seedsOf } from './budget.ts'
import { live } from './history.ts'
import { type Kind, kinds } from './kinds.ts'
import { type Tally, tallyText } from './tally.ts'

/**
 * Lives the histories of this kind, says what was counted, and fails when anything went wrong in one of them. Or the one
 * seed that a failing test named, told from its beginning to its end.
 */
export async function simulate(kind: Kind): Promise<void> {
  if (budget.replay !== undefined) return replay(budget.replay, kind)
  const { first, count } = seedsOf(budget.seeds * kinds[kind].share)
  const tally = await livedApart(kind, first, count)
  const text = tallyText(tally, kind)
  console.log(text)
  expect(tally.bad.length, text).toBe(0)
  expect(tally.seeds).toBe(count)
  // A simulation in which nothing happens would prove nothing.
  expect(Math.min(tally.crashes, tally.paid, tally.doubts)).toBeGreaterThanOrEqual(Math.floor(count / 50))
}

async function replay(seed: number, kind: Kind): Promise<void> {
  const history = await live(seed, { ...kinds[kind].staging, log: line => console.log(line) })
  expect(history.accusations).toEqual([])
}

/**
 * By a process of its own and as one file, which takes less time: in a test every name that a module takes from another is
 * looked up at each use. Nearly all that a history makes is garbage at once, for which the usual room is small.
 */
async function livedApart(kind: Kind, first: number, count: number): Promise<Tally> {
  const modules = join(import.meta.dirname, '..', '..', 'node_modules')
  const outfile = join(modules, `.genrun-${kind}-${process.pid}.mjs`)
  try {
    await build({
      entryPoints: [join(import.meta.dirname, 'live-apart.ts')],
      ...{
        outfile,
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        logLevel: 'warning',
      },
    })
    const args = ['--max-semi-space-size=64', outfile, kind, `${first}`, `${count}`]
    const lived = promisify(execFile)(process.execPath, args, { maxBuffer: Number.POSITIVE_INFINITY })
    lived.child.stderr?.pipe(process.stderr)
    return JSON.parse((await lived).stdout) as Tally
  } finally {
    rmSync(outfile, { force: true })
  }
}

// Hours: the number of seeds is for the environment to say.
export const longest = 12 * 3_600_000
