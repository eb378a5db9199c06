// One manifest made by the workers of a fleet that are killed, put to sleep and cut off from their store:
// `node test/bench/fleet.mjs [jobs] [workers] [dist/bin.cjs]`, after `npm run build`, where PostgreSQL's programs are. KILL_MS, SLEEP_MS,
// CRASH_MS and CROWD_MS: how often a worker is killed, stopped for longer than its lease, the server is stopped as by a power cut, and
// every connection that it has left is taken for a while; 0 is never.
// The service keeps a ledger by prompt: nothing may be bought twice, and every job is there, or named as being in doubt.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executableAt } from './executable.mjs'
import { startPostgres } from './postgres.mjs'
import { compare, cpuSecondsOf, openService, pause, row, seconds, startsIn, writeProject } from './sold.mjs'

const [jobs = '1000', many = '2', path] = process.argv.slice(2)
const rows = Math.ceil(Number(jobs) / 2)
const executable = executableAt(path)
const every = name => Number(process.env[name] ?? 0)
const [killMs, sleepMs, crashMs, crowdMs] = ['KILL_MS', 'SLEEP_MS', 'CRASH_MS', 'CROWD_MS'].map(every)
const sleptMs = 15_000

const service = await openService({ latencyMs: every('LATENCY_MS') })
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const postgres = await startPostgres()
try {
  await measure()
} finally {
  await postgres.stop('SIGINT')
  rmSync(postgres.folder, { recursive: true, force: true })
  if (!process.env.KEEP) rmSync(folder, { recursive: true, force: true })
  service.close()
}

async function measure() {
  const shared = { GENRUN_STORE: postgres.url, GENRUN_CACHE: join(folder, 'shared') }
  const genrun = startsIn(folder, { executable, origin: service.origin, ...shared })
  // Half of them wait for the answer itself, and half are asked for by the run's id.
  writeProject(folder, rows, { mode: 'submit' })

  const counts = { killed: 0, slept: 0, crashed: 0, crowded: 0, started: 0, selfEnded: 0 }
  let isOver = false
  const workers = new Map()
  async function keepWorking(nth) {
    while (!isOver) {
      counts.started++
      const worker = genrun(['work', 'm.yaml'])
      workers.set(nth, worker.child)
      const { signal, said, code } = await worker.ended
      if (!isOver && signal === null) {
        counts.selfEnded++
        console.log(`a worker ended by itself with ${code}: ${said.slice(-600)}`)
        await pause(1000)
      }
    }
  }
  const began = performance.now()
  const working = Array.from({ length: Number(many) }, (_, nth) => keepWorking(nth))
  const anyOf = () => [...workers.values()][Math.floor(Math.random() * workers.size)]
  const run = genrun(['run', 'm.yaml', '--fleet', '-q'])
  const timers = [
    killMs > 0 &&
      setInterval(() => {
        if (anyOf()?.kill('SIGKILL')) counts.killed++
      }, killMs),
    sleepMs > 0 &&
      setInterval(async () => {
        const sleeper = anyOf()
        if (!sleeper?.kill('SIGSTOP')) return
        counts.slept++
        await pause(sleptMs)
        sleeper.kill('SIGCONT')
      }, sleepMs),
    crashMs > 0 &&
      setInterval(async () => {
        counts.crashed++
        await postgres.stop('SIGQUIT')
        await pause(1000)
        await postgres.start()
      }, crashMs),
    crowdMs > 0 &&
      setInterval(async () => {
        counts.crowded++
        const leave = await crowd(postgres.url)
        await pause(8_000)
        await leave()
      }, crowdMs),
    setInterval(() => {
      for (const { pid } of [...workers.values(), run.child])
        used.set(pid, cpuSecondsOf(pid) ?? used.get(pid))
    }, 200),
  ]
  const used = new Map()
  const { code, said } = await run.ended
  const made = performance.now()
  for (const timer of timers) if (timer) clearInterval(timer)
  isOver = true
  for (const child of workers.values()) {
    child.kill('SIGCONT')
    child.kill('SIGTERM')
  }
  await Promise.all(working)
  row('all jobs', seconds(made - began), `exit ${code}; ${JSON.stringify(counts)}`)
  row('jobs a second', (Number(jobs) / ((made - began) / 1000)).toFixed(1), `${many} workers`)
  row(
    'store',
    `${postgres.cpuSeconds().toFixed(1)} s`,
    `of processor time of the server: ${((1000 * postgres.cpuSeconds()) / Number(jobs)).toFixed(1)} ms a job`,
  )
  const cpu = [...used.values()].reduce((sum, each) => sum + (each ?? 0), 0)
  row(
    'workers and planner',
    `${cpu.toFixed(1)} s`,
    `of processor time: ${((1000 * cpu) / Number(jobs)).toFixed(1)} ms a job`,
  )
  if (code !== 0) console.log(said.slice(-1500))
  const { isRight, doubted } = await compare(folder, { rows, genrun, service })
  const deaths = counts.killed + counts.slept
  row(
    'in doubt',
    `${doubted}`,
    `${deaths} deaths and sleeps, ${(doubted / Math.max(1, deaths)).toFixed(1)} each`,
  )
  if (!isRight || doubted > 8 * deaths) process.exitCode = 1
}

/** Takes every connection that there is, but for those of the server's own user. */
async function crowd(url) {
  const { default: pg } = await import('pg')
  const clients = []
  for (;;) {
    const client = new pg.Client({ connectionString: url.replace('worker@', 'crowd@') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      clients.push(client)
    } catch {
      return () => Promise.allSettled(clients.map(each => each.end()))
    }
  }
}
