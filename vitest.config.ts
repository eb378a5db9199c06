import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Those that took about twenty seconds and more, when last looked at. They compute all the time, or mostly wait: for a date, an answer, a process.
const computing = [
  ...['simulation', 'keys', 'kills', 'wishes', 'counts', 'clones', 'controls', 'disk', 'faces'].map(
    name => `faults/${name}`,
  ),
  ...['e2e/terminal', 'threats/readers', 'gateway/models', 'e2e/purchases-state', 'e2e/run', 'e2e/serve'],
  ...['e2e/commands', 'e2e/piped', 'threats/gate', 'run/recovery', 'planning/edits', 'pack/consumer'],
  ...['docs/newcomer', 'faults/small-disk'],
]
const waiting = [
  ...['verbs/fleet', 'faults/useless', 'threats/overspend', 'services/faults', 'verbs/collect', 'run/gone'],
  ...[
    'e2e/recovery',
    'planning/takes',
    'run/money',
    'e2e/purchases-service',
    'threats/secrets',
    'e2e/review',
  ],
  ...['profiles/hostile-files', 'run/planner/beside-fleet', 'run/failed-again', 'engine/polls-processes'],
  ...['profiles/hostile', 'services/kills'],
]

/** One that waits beside one that computes, so that no processor has nothing to do. */
const longest = Array.from({ length: Math.max(computing.length, waiting.length) }, (_, nth) => [
  computing[nth],
  waiting[nth],
])
  .flat()
  .flatMap(name => (name === undefined ? [] : `/test/${name}.test.ts`))

/** The longest files first: begun last, they would run for minutes while the other processors have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf = (file: TestSpecification, name: string) => file.moduleId.endsWith(name)
    const long = longest.flatMap(name => files.filter(file => isOf(file, name)))
    return [...long, ...(await super.sort(files)).filter(file => !long.includes(file))]
  }
}

/**
 * A folder of this run's own for all that tests write, gone with it. Runs that die on purpose leave paid answers and locks in a folder
 * that all projects of a user have in common, and every plan reads what lies there: after some days of tests, a fifth of its time.
 */
function ownFolder(): string {
  const folder = mkdtempSync(join(inMemory() ?? tmpdir(), 'genrun-'))
  // Some tests look as somebody else does.
  chmodSync(folder, 0o755)
  process.on('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // A process that a test has started still writes there: what the tests came to is not changed by that.
    }
  })
  return folder
}

/**
 * In memory where that may be: a run waits for dozens of syncs, each some milliseconds of a disk. Not where the system forbids programs
 * or devices there, which some tests make, nor where little room is left.
 */
function inMemory(): string | undefined {
  const folder = '/dev/shm'
  if (process.env.TMPDIR !== undefined || !existsSync('/proc/mounts')) return undefined
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const options = mounts.map(line => line.split(' ')).findLast(([, at]) => at === folder)?.[3]
  if (options === undefined || /\bno(exec|dev)\b/.test(options)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < 4 * 2 ** 30 ? undefined : folder
}

export default defineConfig({
  // The time-out is for hangs only: a busy machine is slow, and no test measures time.
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    env: { TMPDIR: ownFolder() },
    setupFiles: ['test/setup.ts'],
    pool: 'forks',
    // Two for each processor: half of the time that tests take is waiting, for a process, a socket or a date.
    maxWorkers: 2 * availableParallelism(),
    // Files share a worker, so that what they import is read once: a quarter of the suite's time. A test that changes what
    // others see (a variable, the working folder, a timer) puts it back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
