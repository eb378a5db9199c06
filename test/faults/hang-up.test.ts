import { expect, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { freshFolder, genrun } from '../e2e/executable.ts'
import { needsTerminal, started } from '../e2e/on-terminal.ts'
import { pixel } from '../verbs/bench.ts'
import { hangsAfterMs } from './budget.ts'

const jobs = 4
const manifest = `defaults: { model: fama-imagine-image }
limits: { submit: 1 }
jobs:
${Array.from({ length: jobs }, (_, nth) => `  job${nth}: { mode: submit, prompt: 'Teapot ${nth}' }\n`).join('')}`

// Ended by that signal, as it tells: -1.
const hungUp = 255

// A hang-up is a signal: nothing more is bought, and what was bought is fetched by the next run.
test.for([0, 150, 400])(
  'a terminal that goes away %i ms after the first order stops a run, and breaks nothing',
  { timeout: hangsAfterMs },
  async (afterMs, context) => {
    needsTerminal(context)
    const gateway = await startGateway({
      outputs: 'memory',
      render: async () => [{ bytes: pixel, type: 'image/png', extension: 'png' }],
      faults: { rules: [{ fault: { does: 'delay', ms: { from: 200, to: 200 } }, on: ['submit'] }] },
    })
    context.onTestFinished(() => gateway.close())
    const cwd = freshFolder({ 't.yaml': manifest })
    const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
    const run = started(['t.yaml'], 80, { cwd, env })
    await expect.poll(() => gateway.ledger().requests.submit, { timeout: 20_000, interval: 10 }).toBe(1)
    await new Promise(resolve => setTimeout(resolve, afterMs))
    run.hangUp()
    const { code } = await run.ended
    const bought = gateway.ledger().requests.submit
    expect({ code, isStopped: bought < jobs }).toEqual({ code: hungUp, isStopped: true })
    const rerun = await genrun(['t.yaml'], { cwd, env })
    expect(rerun).toMatchObject({ code: 0 })
    expect(gateway.ledger().billed.submit).toBe(jobs)
    expect(gateway.ledger().requests.submit).toBe(jobs)
    console.log(`hung up after ${bought} of ${jobs} orders; paid twice: 0`)
  },
)
