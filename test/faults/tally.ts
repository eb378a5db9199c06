import { type History, live } from './history.ts'
import type { Kind } from './kinds.ts'
import type { Staging } from './scene.ts'

/** What many histories came to. */
interface Tally {
  readonly seeds: number
  readonly jobs: number
  readonly lives: number
  readonly crashes: number
  readonly paid: number
  readonly billed: number
  readonly doubts: number
  readonly woken: number
  readonly resumed: number
  readonly hangs: number
  readonly acts: number
  /** Seeds in whose histories something went wrong, the smallest first. */
  readonly bad: readonly History[]
  /** Of this processor's time. */
  readonly seedsPerSecond: number
}

/** What is broken for good would tell of every seed. */
const mostTold = 20

/** A run of hours is not silent. */
const tellEvery = 50_000

/**
 * Lives the histories of so many seeds, one after the other. A long run tells how far it is, and the first seeds that are
 * to blame at once: nobody waits hours for them.
 */
export async function liveAll(
  first: number,
  count: number,
  staging?: Staging,
  say: (line: string) => void = line => void process.stderr.write(`${line}\n`),
): Promise<Tally> {
  // A million errors are thrown and caught here, and nobody reads where from; a seed is replayed for that.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const sums = {
    jobs: 0,
    lives: 0,
    crashes: 0,
    paid: 0,
    billed: 0,
    doubts: 0,
    woken: 0,
    resumed: 0,
    hangs: 0,
    acts: 0,
  }
  const bad: History[] = []
  const before = process.cpuUsage()
  try {
    for (let seed = first; seed < first + count; seed++) {
      const history = await live(seed, staging)
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += history[name]
      if (history.accusations.length > 0) bad.push(history)
      if (history.accusations.length > 0 && bad.length <= mostTold)
        say(`seed ${seed}: ${history.accusations.join('; ')}`)
      const lived = seed - first + 1
      if (lived % tellEvery === 0)
        say(
          `seeds ${first} to ${seed}: ${lived} of ${count} lived, ${badText(bad)} (${rate(lived, before)} a second)`,
        )
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
  return { seeds: count, ...sums, bad, seedsPerSecond: rate(count, before) }
}

/** A second of this processor's time. */
function rate(seeds: number, before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.round((seeds * 1e6) / (user + system))
}

function badText(bad: readonly History[]): string {
  const [smallest] = bad
  return smallest ? `${bad.length} bad so far, the smallest is ${smallest.seed}` : '0 bad so far'
}

/** The counts that docs/contract.md asks for, and the smallest seed that is to blame. */
export function tallyText({ bad, ...counts }: Tally, kind: Kind): string {
  const broken = (...promises: string[]) =>
    bad
      .flatMap(history => history.accusations)
      .filter(each => promises.some(promise => each.startsWith(`${promise}:`))).length
  const lines = [
    `${counts.seeds} seeds (${counts.seedsPerSecond} a second), ${counts.jobs} jobs, ${counts.lives} processes, ${counts.acts} acts of people, ${counts.crashes} crashes, ${counts.woken} woken after they had lost their claim`,
    `${counts.paid} paid requests, ${counts.billed} billed, ${counts.doubts} doubts that the user settled, ${counts.resumed} downloads gone on with`,
    `paid twice: ${broken('P1', 'P5')}, paid and shown as failed or absent: ${broken('P2')}, lost results: ${broken('P3', 'P4', 'P14', 'P39', 'P40')}, hangs: ${counts.hangs}`,
  ]
  const [smallest] = bad
  return [...lines, ...(smallest ? blame(smallest, bad.length, kind) : [])].join('\n')
}

function blame({ seed, accusations }: History, count: number, kind: Kind): string[] {
  return [
    `${count} seeds with faults, the smallest is ${seed}:`,
    ...accusations.map(each => `  ${each}`),
    `replay: GENRUN_FAULTS_SEED=${seed} npx vitest run test/faults/${kind}.test.ts`,
  ]
}
