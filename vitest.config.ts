import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Those that took about half a minute and more, when last looked at. A fleet's mostly wait: they go beside those that compute all the time.
const longest = [
  ...['faults/simulation', 'faults/keys', 'verbs/fleet', 'run/planner/beside-fleet'],
  ...['kills', 'disk', 'wishes', 'controls', 'faces', 'counts', 'useless', 'clones'].map(
    name => `faults/${name}`,
  ),
  ...['terminal', 'recovery', 'commands', 'purchases-state', 'serve', 'review', 'piped'].map(
    name => `e2e/${name}`,
  ),
  ...['gate', 'overspend', 'readers', 'secrets'].map(name => `threats/${name}`),
  ...['run/money', 'gateway/models', 'services/faults', 'verbs/collect', 'profiles/hostile-files'],
  'engine/polls-processes',
].map(name => `/test/${name}.test.ts`)

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
    // One more than there are processors: a third of the time that tests take is waiting, for a process, a socket or a date. With two
    // more the suite took no less.
    maxWorkers: availableParallelism() + 1,
    // Files share a worker, so that what they import is read once: a quarter of the suite's time. A test that changes what
    // others see (a variable, the working folder, a timer) puts it back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
