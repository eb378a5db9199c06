import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { hangsAfterMs } from './budget.ts'

const root = join(import.meta.dirname, '..', '..')
const parts = Math.max(1, availableParallelism())
// Beside the histories every test is slow. A project takes nothing over from the usual configuration.
const timeOuts = { testTimeout: hangsAfterMs, hookTimeout: hangsAfterMs }

/** The long fault tests: a million histories, a part for each processor, and a thousand killed processes. */
export default defineConfig({
  test: {
    pool: 'forks',
    // A part of the histories for each processor: with fewer workers than parts they would wait for each other.
    maxWorkers: parts + 1,
    projects: [
      ...Array.from({ length: parts }, (_, nth) => ({
        root,
        test: {
          ...timeOuts,
          name: `part ${nth + 1}`,
          include: ['simulation', 'keys', 'counts', 'wishes', 'clones', 'branches', 'twins', 'retakes'].map(
            name => `test/faults/${name}.test.ts`,
          ),
          env: {
            GENRUN_FAULTS_SEEDS: process.env.GENRUN_FAULTS_SEEDS ?? '1000000',
            GENRUN_FAULTS_PART: `${nth + 1}/${parts}`,
          },
        },
      })),
      {
        root,
        test: {
          ...timeOuts,
          name: 'whole',
          include: ['test/faults/*.test.ts'],
          exclude: ['test/faults/{simulation,keys,counts,wishes,clones,branches,twins,retakes}.test.ts'],
          env: { GENRUN_FAULTS_KILLS: process.env.GENRUN_FAULTS_KILLS ?? '1000' },
        },
      },
    ],
  },
})
