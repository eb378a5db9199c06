import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = join(import.meta.dirname, '..', '..')
const parts = Math.max(1, availableParallelism())

/** The long fault tests: a million histories, a part for each processor, and a thousand killed processes. */
export default defineConfig({
  test: {
    projects: [
      ...Array.from({ length: parts }, (_, nth) => ({
        root,
        test: {
          name: `part ${nth + 1}`,
          include: ['test/faults/simulation.test.ts', 'test/faults/keys.test.ts'],
          env: {
            GENRUN_FAULTS_SEEDS: process.env.GENRUN_FAULTS_SEEDS ?? '1000000',
            GENRUN_FAULTS_PART: `${nth + 1}/${parts}`,
          },
        },
      })),
      {
        root,
        test: {
          name: 'whole',
          include: ['test/faults/{controls,disk,kills}.test.ts'],
          env: { GENRUN_FAULTS_KILLS: process.env.GENRUN_FAULTS_KILLS ?? '1000' },
        },
      },
    ],
  },
})
