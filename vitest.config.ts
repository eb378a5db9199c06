import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
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
 * What tests write lies in memory where it may: a run waits for dozens of syncs, each some milliseconds of a disk. Not where the system
 * forbids programs or devices there, which some tests make, nor where little room is left.
 */
function inMemory(): { readonly TMPDIR?: string } {
  const folder = '/dev/shm'
  if (process.env.TMPDIR !== undefined || !existsSync('/proc/mounts')) return {}
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const options = mounts.map(line => line.split(' ')).findLast(([, at]) => at === folder)?.[3]
  if (options === undefined || /\bno(exec|dev)\b/.test(options)) return {}
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < 4 * 2 ** 30 ? {} : { TMPDIR: folder }
}

export default defineConfig({
  // The time-out is for hangs only: a busy machine is slow, and no test measures time.
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    env: { ...inMemory() },
    pool: 'forks',
    // Two for each processor: half of the time that tests take is waiting, for a process, a socket or a date.
    maxWorkers: 2 * availableParallelism(),
    // Files share a worker, so that what they import is read once: a quarter of the suite's time. A test that changes what
    // others see (a variable, the working folder, a timer) puts it back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
