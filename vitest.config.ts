import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  ...['simulation', 'kills', 'keys', 'counts', 'wishes', 'disk', 'controls', 'useless'].map(
    name => `faults/${name}`,
  ),
  ...['terminal', 'piped', 'purchases-state', 'commands', 'recovery', 'purchases'].map(name => `e2e/${name}`),
  'gateway/models',
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
    // All of them: while one waits for a process or a socket, another works.
    maxWorkers: '100%',
    // Files share a worker, so that what they import is read once: a quarter of the suite's time. A test that changes what
    // others see (a variable, the working folder, a timer) puts it back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
