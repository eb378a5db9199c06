import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The time-out is for hangs only: a busy machine is slow, and no test measures time.
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // All of them: while one waits for a process or a socket, another works.
    maxWorkers: '100%',
  },
})
