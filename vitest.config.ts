import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Those that took half a minute and more, when last looked at.
const longest = [
  ...['simulation', 'keys', 'kills', 'disk', 'wishes', 'controls', 'faces', 'counts', 'useless'].map(
    name => `faults/${name}`,
  ),
  ...['terminal', 'recovery', 'commands', 'purchases-state'].map(name => `e2e/${name}`),
  ...['gate', 'overspend', 'readers', 'secrets'].map(name => `threats/${name}`),
  ...['run/money', 'gateway/models', 'services/faults', 'verbs/collect', 'profiles/hostile-files'],
].map(name => `/test/${name}.test.ts`)

/** The longest files first: begun last, they would run for minutes while the other processors have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf = (file: TestSpecification, name: string) => file.moduleId.endsWith(name)
    const long = longest.flatMap(name => files.filter(file => isOf(file, name)))
    return [...long, ...(await super.sort(files)).filter(file => !long.includes(file))]
  }
}

export default defineConfig({
  // The time-out is for hangs only: a busy machine is slow, and no test measures time.
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
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
