import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { findUpToDate } from '../../src/planning/up-to-date/find.ts'
import { runManifest } from '../../src/verbs/run.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import type { RunRequest } from '../../src/workspace/workspace.ts'
import { type Bench, closeBench, manifestName, openBench, paidAt, toldSteps } from './bench.ts'

/** Two takes of a picture, one made from it, and one made from a photograph beside the manifest. */
export const shopManifest = `name: shop
defaults:
  aspectRatio: '1:1'
jobs:
  hero:
    model: fama-imagine-image
    prompt: A red teapot
    takes: 2
    tags: [shop]
  edit:
    model: famb-character
    prompt: The same teapot in blue
    imageUrls: \${{ jobs.hero.output }}
  photo:
    model: famb-v3
    prompt: The teapot of the photo
    imageUrls: photo.png
`

/** A manifest whose jobs were made once, for all tests of a file. */
interface MadeOnce {
  readonly gateway: Gateway
  /** The original: to look at. */
  readonly made: Bench
  /** A copy of its own for each test. */
  copy(): Bench
  /** A folder with nothing in it. */
  empty(): Bench
}

/** Makes the jobs before the first test; that buys `paid` of them. `files` lie beside the manifest. */
export function madeOnce(
  manifest: string,
  paid: number,
  files: { readonly [name: string]: string | Uint8Array } = {},
): MadeOnce {
  let gateway: Gateway
  let made: Bench
  const open: Bench[] = []

  function opened(from?: Bench): Bench {
    const bench = openBench(gateway, from)
    open.push(bench)
    return bench
  }

  beforeAll(async () => {
    gateway = await startGateway({ outputs: 'memory' })
    made = opened()
    for (const [name, contents] of Object.entries({ ...files, [manifestName]: manifest }))
      made.write(name, contents)
    expect(made.plan().paid).toBe(paid)
    expect(await made.run()).toMatchObject({ got: 'report', report: { paid, exit: 0 } })
    expect(paidAt(gateway)).toBe(paid)
  }, 60_000)

  afterAll(async () => {
    for (const bench of open) closeBench(bench)
    await gateway.close()
  })

  return {
    get gateway() {
      return gateway
    },
    get made() {
      return made
    },
    copy: () => opened(made),
    empty: () => opened(),
  }
}

/** What somebody did to a manifest or around it, and what must come of that. */
export interface Edit {
  /** What the user did. */
  readonly edit: (bench: Bench) => void
  /** Everything that is not simply kept. */
  readonly steps: readonly string[]
  /** Jobs that a run makes; the gateway must count as many paid requests. */
  readonly paid: number
  readonly choices?: { readonly failed?: boolean; readonly rebuy?: boolean }
  readonly vars?: readonly { readonly name: string; readonly value: string; readonly from: string }[]
  /** The run ends otherwise than well. */
  readonly exit?: number
  /** The next plan has something to do as well. */
  readonly stays?: true
}

/** The edit of somebody who changed nothing that counts. */
export const nothing = { steps: [], paid: 0 }

/** The plan says what is expected and touches nothing; the run does what the plan says; then there is nothing left to do. */
export async function expectAgreement(
  { gateway, copy }: MadeOnce,
  { edit, steps, paid, choices, vars, exit = 0, stays }: Edit,
): Promise<void> {
  const bench = copy()
  const asked = { ...(choices && { choices }), ...(vars && { vars }) }
  edit(bench)
  const before = bench.snapshot()
  const requests = JSON.stringify(gateway.requests())
  const plan = bench.plan(asked)
  expect(toldSteps(plan)).toEqual(steps)
  expect(plan.paid).toBe(paid)
  expect(bench.snapshot()).toEqual(before)
  expect(JSON.stringify(gateway.requests())).toBe(requests)

  const counted = paidAt(gateway)
  const result = await bench.run(asked)
  expect(paidAt(gateway) - counted).toBe(paid)
  expect(result).toMatchObject({ got: 'report', report: { paid, exit } })
  if (!stays) expect(toldSteps(bench.plan(vars && { vars }))).toEqual([])
  await expectSameRemembered({ gateway, copy }, { edit, steps, paid, ...asked, exit })
}

/** The same after a run that was remembered: the memory says what a run would say that looks at everything, or nothing. */
async function expectSameRemembered(
  { gateway, copy }: Pick<MadeOnce, 'gateway' | 'copy'>,
  { edit, steps, paid, exit, ...asked }: Edit,
): Promise<void> {
  const bench = copy()
  await remember(bench)
  expect(await findUpToDate(bench.request({ tool }))).toBeDefined()
  edit(bench)
  const counted = paidAt(gateway)
  const told: RunEvent[] = []
  const request = bench.request({ ...asked, tool, emit: each => told.push(each) })
  const found = await findUpToDate(request)
  expect(await runManifest(request)).toMatchObject({ got: 'report', report: { paid, exit } })
  expect(paidAt(gateway) - counted).toBe(paid)
  if (!found) return
  expect({ steps, paid, exit }).toEqual({ ...nothing, exit: 0 })
  expect(told).toEqual([{ ...found.planned, at: expect.any(Number) }])
}

/** Which genrun the tests are. */
export const tool = 'genrun under test'

/** Runs as if it were a while later: what changed a moment ago is not remembered. */
export async function remember(bench: Bench, more: Partial<RunRequest> = {}): Promise<void> {
  const later = Date.now() + 10_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
  try {
    expect(await bench.run({ tool, ...more })).toMatchObject({ got: 'report', report: { paid: 0, exit: 0 } })
  } finally {
    clock.mockRestore()
  }
}
