import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { problemRecord } from '../../src/base/diagnostic.ts'
import type { GatewayOptions } from '../../src/gateway/options.ts'
import { type Gateway, readRules, startGateway } from '../../src/gateway/server.ts'
import type { WorkspaceRequest } from '../../src/planning/open-workspace.ts'
import type { PlanRecord } from '../../src/planning/plan-record.ts'
import { planManifest } from '../../src/verbs/plan.ts'
import { type RunResult, runManifest } from '../../src/verbs/run.ts'
import type { RunRequest } from '../../src/workspace/workspace.ts'

/** A folder with a manifest, worked on as a user would. */
export interface Bench {
  readonly folder: string
  write(name: string, contents: string | Uint8Array): void
  read(name: string): string
  bytes(name: string): Buffer
  has(name: string): boolean
  makeFolder(name: string): void
  remove(name: string): void
  /** Replaces text of a file that must be there. */
  edit(name: string, from: string, to: string): void
  plan(more?: Partial<WorkspaceRequest>): PlanRecord
  run(more?: Partial<RunRequest>): Promise<RunResult>
  /** What `run` asks for. */
  request(more?: Partial<RunRequest>): RunRequest
  /** Every file with its size and date, to see that nothing was written. */
  snapshot(): string[]
}

export const manifestName = 'm.yaml'

export function openBench(gateway: Pick<Gateway, 'baseUrl' | 'key'>, from?: Bench): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-verbs-'))
  // A copy keeps no dates on purpose: nothing of genrun's may depend on them.
  if (from) cpSync(from.folder, folder, { recursive: true })
  const at = (name: string) => join(folder, name)
  const read = (name: string) => readFileSync(at(name), 'utf8')
  const request = (more: Partial<RunRequest> = {}): RunRequest => ({
    manifest: manifestName,
    cwd: folder,
    service: { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false },
    emit: () => undefined,
    stop: new AbortController().signal,
    ...more,
  })
  return {
    folder,
    read,
    write(name, contents) {
      mkdirSync(dirname(at(name)), { recursive: true })
      writeFileSync(at(name), contents)
    },
    bytes: name => readFileSync(at(name)),
    makeFolder: name => mkdirSync(at(name)),
    has: name => existsSync(at(name)),
    remove: name => rmSync(at(name), { recursive: true }),
    edit(name, was, is) {
      const text = read(name)
      if (!text.includes(was)) throw new Error(`${name} has no ${was}`)
      writeFileSync(at(name), text.replace(was, is))
    },
    plan(more = {}) {
      const result = planManifest({ manifest: manifestName, cwd: folder, ...more })
      if (result.got === 'plan') return result.plan
      throw new Error(JSON.stringify(result.got === 'refused' ? result.problems.map(problemRecord) : result))
    },
    run: (more = {}) => runManifest(request(more)),
    request,
    snapshot: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map(name => {
          const { size, mtimeMs } = statSync(at(name))
          return `${name} ${size} ${mtimeMs}`
        }),
  }
}

export interface With extends Partial<Omit<GatewayOptions, 'faults'>> {
  /** As for `genrun serve --fault`, and what they draw from. */
  readonly faults?: string
  readonly seed?: number
}

/** A gateway with these faults, and a folder with the manifest beside it; both are gone after the test. */
export async function openBenchWith(
  manifest: string,
  { faults = '', seed = 1, ...more }: With = {},
): Promise<{ readonly bench: Bench; readonly gateway: Gateway }> {
  const read = readRules(faults)
  if ('problem' in read) throw new Error(read.problem)
  const gateway = await startGateway({ outputs: 'memory', faults: { seed, rules: read.rules }, ...more })
  const bench = openBench(gateway)
  bench.write(manifestName, manifest)
  onTestFinished(async () => {
    closeBench(bench)
    await gateway.close()
  })
  return { bench, gateway }
}

/** A service of a test's own, and a folder beside it; both are gone after the test. */
export async function openBenchAt(answers: RequestListener): Promise<Bench & { readonly origin: string }> {
  const server = createServer(answers)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const origin = `http://127.0.0.1:${port}`
  const bench = openBench({ baseUrl: `${origin}/gw-v2`, key: 'k3y' })
  onTestFinished(() => {
    closeBench(bench)
    server.closeAllConnections()
    server.close()
  })
  return { ...bench, origin }
}

export function closeBench(bench: Bench): void {
  rmSync(bench.folder, { recursive: true, force: true })
}

/** `buy hero: not made yet`; what is simply kept is left out. */
export function toldSteps({ steps }: PlanRecord): string[] {
  return steps
    .filter(step => step.do !== 'keep' || step.because.length > 0)
    .map(step => [`${step.do} ${step.address}`, ...step.because].join(': '))
}

/** Paid requests that reached the gateway so far. */
export function paidAt(gateway: Gateway): number {
  const { execute, submit } = gateway.ledger().requests
  return execute + submit
}

/** A picture of one pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** The name of the newest file of the journal, as `bench.snapshot` lists it. */
export function journalOf(bench: Bench): string {
  return (
    bench
      .snapshot()
      .flatMap(line => /journal\/(\S+\.jnl) /.exec(line)?.[1] ?? [])
      .at(-1) ?? ''
  )
}
