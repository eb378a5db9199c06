import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { type Chance, chanceOf } from './chance.ts'
import { atSite, type Ended, genrun, type Site } from './site.ts'

/** What became of one batch whose processes were killed again and again. */
export interface Outcome {
  readonly kills: number
  readonly paid: number
  readonly billed: number
  readonly doubts: number
  readonly accusations: readonly string[]
}

// One that is exchanged, and one that is submitted with its file.
const jobs = { still: 'fama-imagine-image', variant: 'famb-character' } as const

const manifest = `jobs:
  still: { model: ${jobs.still}, prompt: A teapot }
  variant: { model: ${jobs.variant}, prompt: The same in blue, imageUrls: "\${{ jobs.still.output }}" }
`

/** The calls of one undisturbed run that change or sync something on disk, in order. */
export async function listCalls(): Promise<readonly string[]> {
  return atSite(async site => {
    writeFileSync(join(site.folder, 't.yaml'), manifest)
    const file = join(site.folder, 'calls')
    await genrun(site, ['run', 't.yaml'], { GENRUN_CRASH_COUNT: file })
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  })
}

/** How the processes of one batch die. */
interface Killing {
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
    writeFileSync(join(site.folder, 't.yaml'), manifest)
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
