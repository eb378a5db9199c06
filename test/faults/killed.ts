import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemRandom } from '../../src/base/random.ts'
import { render } from '../../src/gateway/render/index.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { executable } from '../e2e/executable.ts'
import { type Chance, chanceOf } from './chance.ts'

/** What became of one batch whose processes were killed again and again. */
export interface Outcome {
  readonly kills: number
  readonly paid: number
  readonly billed: number
  readonly doubts: number
  readonly accusations: readonly string[]
}

// One that is exchanged, and one that is submitted with its file.
export const jobs = { still: 'fama-imagine-image', variant: 'famb-character' } as const

const manifest = `jobs:
  still: { model: ${jobs.still}, prompt: A teapot }
  variant: { model: ${jobs.variant}, prompt: The same in blue, imageUrls: "\${{ jobs.still.output }}" }
`

const preload = join(import.meta.dirname, 'crash-preload.mjs')

/** One folder with its own gateway. */
interface Site {
  readonly folder: string
  readonly gateway: Gateway
  /** Every word that the gateway made up; the ids of its runs are among them. */
  readonly words: readonly string[]
}

/** The calls of one undisturbed run that change or sync something on disk, in order. */
export async function listCalls(): Promise<readonly string[]> {
  return atSite(async site => {
    const file = join(site.folder, 'calls')
    await genrun(site, ['run', 't.yaml'], { GENRUN_CRASH_COUNT: file })
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  })
}

/** How the processes of one batch die. */
export interface Killing {
  /** Seeds what is left to chance. */
  readonly nth: number
  /** The call at which the first process dies. */
  readonly first: number
  readonly most: number
  /** A genrun whose journal never reaches the disk: to see that it is noticed. */
  readonly isForgetful?: boolean
}

/**
 * Kills the first run at a call and those after it soon after they have begun; then lets the batch come to its end and
 * looks at the ledger.
 */
export async function killAndFinish({ nth, first, most, isForgetful = false }: Killing): Promise<Outcome> {
  return atSite(async site => {
    const always = isForgetful ? { GENRUN_CRASH_FORGETFUL: '1' } : {}
    const chance = chanceOf(nth)
    let kills = 0
    let survivor: Ended | undefined
    // A rerun does little: nearly every one of these calls comes before its end.
    for (let at = first; kills < most; at = chance.whole(5, 30)) {
      const ended = await run(site, { ...always, ...fateOf(at, chance) })
      if (ended.signal !== 'SIGKILL') {
        survivor = ended
        break
      }
      kills++
    }
    return finish(site, kills, survivor)
  })
}

function run(site: Site, fate: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return genrun(site, ['run', 't.yaml', '--json'], fate)
}

function fateOf(at: number, chance: Chance): NodeJS.ProcessEnv {
  return { GENRUN_CRASH_AT: String(at), ...(chance.hits(0.3) && { GENRUN_CRASH_HALF: '1' }) }
}

/** `survivor` is a run that came to its end before it was to be killed. */
async function finish(site: Site, kills: number, survivor: Ended | undefined): Promise<Outcome> {
  const accusations: string[] = []
  const doubts = new Set<string>()
  let report: Report | undefined
  for (let round = 0; round < 5 && report?.exit !== 0; round++) {
    const ended = (round === 0 && survivor) || (await run(site))
    if (ended.signal) accusations.push('P20: it does not end')
    report = reportOf(ended.stdout)
    if (!report) accusations.push(`P3: it does not go on: ${ended.stdout}${ended.stderr}`)
    for (const { address, ending } of report?.jobs ?? []) {
      // The service does all that it is asked: nothing can have failed.
      if (ending === 'failed') accusations.push(`P2: ${address} is shown as failed`)
      if (ending !== 'doubt') continue
      doubts.add(address)
      accusations.push(...(await settleDoubt(site, address)))
    }
  }
  const { billed, requests } = site.gateway.ledger()
  const total = billed.execute + billed.submit
  const all = Object.keys(jobs).length
  const left = readdirSync(site.folder).filter(name => name.endsWith('.tmp'))
  if (left.length > 0) accusations.push(`P13: beside the lock lies ${left.join(' ')}`)
  if (total > all) accusations.push(`P1: ${total} orders of ${all} jobs were billed`)
  if (report?.jobs.length !== all) accusations.push(`P2: ${report?.jobs.length} of ${all} jobs are shown`)
  for (const { address, ending, files } of report?.jobs ?? [])
    if (files.length !== 1) accusations.push(`P3: ${address} ends as ${ending}`)
  return { kills, paid: requests.execute + requests.submit, billed: total, doubts: doubts.size, accusations }
}

/**
 * The user looks at the service: has it a run of this job, then that is the one. Settled in this process, none of the
 * killed ones is: what does not work is told.
 */
async function settleDoubt(site: Site, address: string): Promise<string[]> {
  const id = await findRun(site, jobs[address as keyof typeof jobs])
  const settled = await resolveOrders({
    manifest: 't.yaml',
    cwd: site.folder,
    words: [address],
    resolution: id === undefined ? { is: 'resubmit' } : { is: 'adopt', id },
  })
  return settled.got === 'resolved' ? [] : [`P2: the doubt of ${address} cannot be settled: ${settled.got}`]
}

async function findRun({ gateway, words }: Site, workflow: string): Promise<string | undefined> {
  for (const word of words) {
    const url = `${gateway.baseUrl}/workflows/${workflow}/${word}/result`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${gateway.key}` } })
    await answer.arrayBuffer()
    if (answer.ok) return word
  }
  return undefined
}

interface Report {
  readonly exit: number
  readonly jobs: readonly {
    readonly address: string
    readonly ending: string
    readonly files: readonly unknown[]
  }[]
}

function reportOf(stdout: string): Report | undefined {
  const said: Partial<Report> = stdout.startsWith('{') ? JSON.parse(stdout) : {}
  return said.jobs ? (said as Report) : undefined // as `genrun run --json` writes it
}

async function atSite<T>(task: (site: Site) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-kills-'))
  writeFileSync(join(folder, 't.yaml'), manifest)
  const words: string[] = []
  const token = () => {
    const word = systemRandom.token()
    words.push(word)
    return word
  }
  const gateway = await startGateway({
    outputs: 'memory',
    ledger: true,
    render: renderOnce,
    random: { ...systemRandom, token },
  })
  try {
    return await task({ folder, gateway, words })
  } finally {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Render = NonNullable<GatewayOptions['render']>

const rendered = new Map<string, ReturnType<Render>>()

/** The same order yields the same file everywhere: the renderer is not what is tested here. */
const renderOnce: Render = request => {
  const known = rendered.get(request.model) ?? render(request)
  rendered.set(request.model, known)
  return known
}

interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

function genrun(
  { folder, gateway }: Site,
  words: readonly string[],
  fate: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const { baseUrl, key } = gateway
  const child = spawn(process.execPath, ['--import', preload, executable, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key, ...fate },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A hang is seen by the signal that ends it.
    timeout: 120_000,
  })
  const text = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (part: string) => {
      text[stream] += part
    })
  return new Promise(resolve => child.on('close', (_, signal) => resolve({ signal, ...text })))
}
