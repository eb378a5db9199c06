import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../../src/gateway/faults/faults.ts'
import { startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun } from '../e2e/executable.ts'
import { pixel } from '../verbs/bench.ts'
import { hangsAfterMs } from './budget.ts'

/** Sixteen jobs of three models, so that no workflow's first order keeps the others waiting. */
function manifestOf(modes: readonly string[]): string {
  const models = ['fama-imagine-image', 'fama-imagine-image-2.0', 'famb-v3']
  const jobs = Array.from(
    { length: 16 },
    (_, nth) =>
      `  job${nth}: { model: ${models[nth % 3]}, mode: ${modes[nth % modes.length]}, prompt: 'Teapot ${nth}' }\n`,
  )
  return `jobs:\n${jobs.join('')}`
}

async function served(fault: Fault) {
  const gateway = await startGateway({
    outputs: 'memory',
    render: async () => [{ bytes: pixel, type: 'image/png', extension: 'png' }],
    // What is useless takes a moment, as everywhere: orders go out as far as they may.
    faults: {
      rules: [{ fault }, { fault: { does: 'delay', ms: { from: 150, to: 150 } }, on: ['file', 'result'] }],
    },
  })
  onTestFinished(() => gateway.close())
  return {
    gateway,
    env: {
      GENRUN_BASE_URL: gateway.baseUrl,
      GENRUN_API_KEY: gateway.key,
      CI: '1',
      GENRUN_UNTRUSTED: 'false',
    },
  }
}

const cases: readonly (readonly [name: string, modes: readonly string[], fault: Fault, ends: string])[] = [
  ['submitted, a page', ['submit'], { does: 'html', type: 'text/html' }, '5 unfinished'],
  ['executed, a page called a picture', ['execute'], { does: 'html', type: 'image/png' }, '5 unfinished'],
  ['both, a page', ['submit', 'execute'], { does: 'html', type: 'text/html' }, '5 unfinished'],
  ['both, every run fails', ['submit', 'execute'], { does: 'fail' }, '5 failed'],
]

// All at once: a download is tried again for half a minute before it is given up.
test(
  'of sixteen jobs five are paid at a service that brings nothing of use',
  async () => {
    const told = await Promise.all(
      cases.map(async ([name, modes, fault]) => {
        const { gateway, env } = await served(fault)
        const cwd = freshFolder({ 't.yaml': manifestOf(modes) })
        const { code, stderr } = await genrun(['t.yaml'], { cwd, env })
        const { billed, requests } = gateway.ledger()
        const ends = /16 jobs: (.*?); /.exec(stderr)?.[1]
        return {
          name,
          code,
          billed: billed.execute + billed.submit,
          requests: requests.execute + requests.submit,
          ends,
        }
      }),
    )
    expect(told).toEqual(
      cases.map(([name, , , ends]) => ({
        name,
        code: 6,
        billed: 5,
        requests: 5,
        ends: `${ends}, 11 skipped`,
      })),
    )
  },
  hangsAfterMs,
)
