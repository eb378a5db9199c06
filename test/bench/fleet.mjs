// One manifest made by the workers of a fleet that are killed, put to sleep and cut off from their store:
// `node test/bench/fleet.mjs [jobs] [workers] [dist/bin.js]`, after `npm run build`, where PostgreSQL's programs are. KILL_MS, SLEEP_MS,
// CRASH_MS and CROWD_MS: how often a worker is killed, stopped for longer than its lease, the server is stopped as by a power cut, and
// every connection that it has left is taken for a while; 0 is never.
// The service keeps a ledger by prompt: nothing may be bought twice, and every job is there, or named as being in doubt.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { executableAt } from './executable.mjs'

const [jobs = '2000', many = '4', path] = process.argv.slice(2)
const rows = Math.ceil(Number(jobs) / 2)
const executable = executableAt(path)
const every = name => Number(process.env[name] ?? 0)
const [killMs, sleepMs, crashMs, crowdMs, latencyMs] = [
  ...['KILL_MS', 'SLEEP_MS', 'CRASH_MS', 'CROWD_MS', 'LATENCY_MS'],
].map(every)
const sleptMs = 15_000

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
// Half of them wait for the answer itself, and half are asked for by the run's id.
const manifest = `jobs:
  still:
    matrix: { item: { rows: rows.csv, key: item } }
    model: fama-imagine-image
    mode: execute
    prompt: Teapot \${{ matrix.item.item }}
  close:
    matrix: { item: { rows: rows.csv, key: item } }
    model: famb-character
    mode: submit
    prompt: Spout \${{ matrix.item.item }}
    imageUrls: \${{ jobs.still.output }}
`
const sold = new Map()
const runs = new Map()
const pause = ms => new Promise(done => setTimeout(done, ms))
const server = createServer((request, response) => {
  let body = ''
  request.on('data', piece => (body += piece))
  request.on('end', async () => {
    const json = value =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const id = request.url.split('/').at(-2)
    if (request.url.endsWith('/result'))
      return json({ id, status: 'completed', outputs: [{ url: `${origin}/files/${id}/x.png` }] })
    const picture = prompt => response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(prompt))
    if (request.method === 'GET') return picture(runs.get(id))
    const prompt = /"prompt":"([^"]*)"/.exec(body)?.[1] ?? ''
    sold.set(prompt, (sold.get(prompt) ?? 0) + 1)
    await pause(latencyMs * (0.5 + Math.random()))
    if (request.url.endsWith('/execute')) return picture(prompt)
    const run = `r${runs.size}`
    runs.set(run, prompt)
    json({ id: run, status: 'queued' })
  })
})
await new Promise(done => server.listen(0, '127.0.0.1', done))
const origin = `http://127.0.0.1:${server.address().port}`
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const postgres = await startPostgres()
try {
  await measure()
} finally {
  await postgres.stop('SIGINT')
  rmSync(postgres.folder, { recursive: true, force: true })
  if (!process.env.KEEP) rmSync(folder, { recursive: true, force: true })
  server.close()
}

async function measure() {
  const env = {
    ...process.env,
    ...{ GENRUN_BASE_URL: `${origin}/gw-v2`, GENRUN_API_KEY: 'bench-key', CI: '' },
    ...{ GENRUN_STORE: postgres.url, GENRUN_CACHE: join(folder, 'shared') },
  }
  const genrun = words => {
    const child = spawn(process.execPath, [executable, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', text => (said = (said + text).slice(-4000)))
    return {
      child,
      said: () => said,
      ended: new Promise(done => child.on('close', (code, signal) => done({ code, signal, said }))),
    }
  }
  const items = Array.from({ length: rows }, (_, nth) => `r${nth}`)
  writeFileSync(join(folder, 'rows.csv'), `item\n${items.join('\n')}\n`)
  writeFileSync(join(folder, 'm.yaml'), manifest)

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
      for (const { pid } of [...workers.values(), run.child]) used.set(pid, cpuOf(pid) ?? used.get(pid))
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
  const before = total()
  const after = await genrun(['m.yaml', '-q', '--max-paid', '0']).ended
  row('a run without a fleet after that', `exit ${after.code}`, `${total() - before} orders`)
  if (after.code !== 0) console.log(after.said.slice(-1500))

  const lock = JSON.parse(readFileSync(join(folder, 'm.lock.json'), 'utf8')).jobs.slice(0, -1)
  const states = lock.reduce((all, { state }) => ({ ...all, [state]: (all[state] ?? 0) + 1 }), {})
  const addresses = new Set(lock.map(({ address }) => address))
  const doubted = new Set(
    lock.filter(({ state }) => state === 'doubt').map(({ recipe }) => recipe.params.prompt),
  )
  const bought = new Set(lock.map(({ recipe }) => recipe.params.prompt))
  const twice = [...sold].filter(([, times]) => times > 1)
  const lost = [...sold.keys()].filter(prompt => !bought.has(prompt))
  const files = readdirSync(join(folder, 'out/m'), { recursive: true }).filter(name => name.endsWith('.png'))
  const deaths = counts.killed + counts.slept
  row('jobs in the lock', `${addresses.size}`, JSON.stringify(states))
  row('files', `${files.length}`, '')
  row('ordered twice by the ledger', `${twice.length}`, `${total()} orders of ${sold.size} prompts`)
  row('sold and in no record', `${lost.length}`, lost.slice(0, 3).join(', '))
  row(
    'in doubt',
    `${doubted.size}`,
    `${deaths} deaths and sleeps, ${(doubted.size / Math.max(1, deaths)).toFixed(1)} each`,
  )
  const held = 2 * rows - addresses.size
  row('jobs that wait for one in doubt', `${held}`, '')
  if (twice.length > 0 || lost.length > 0 || held > doubted.size || doubted.size > 8 * deaths)
    process.exitCode = 1
}

function total() {
  return [...sold.values()].reduce((sum, times) => sum + times, 0)
}

/** Like no other: its prompt stands in it. */
function pictureOf(name) {
  const body = Buffer.from(`prVt${name}`)
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([pixel.subarray(0, 33), length, body, check, pixel.subarray(33)])
}

async function startPostgres() {
  const debians = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const programs = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...debians.map(version => join('/usr/lib/postgresql', version, 'bin')),
  ].find(place => ['postgres', 'initdb'].every(name => existsSync(join(place, name))))
  if (!programs) throw new Error('postgres and initdb are not here')
  const at = mkdtempSync(join(tmpdir(), 'genrun-pg-'))
  const data = join(at, 'data')
  const idOf = flag => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  // The server refuses to be run by root.
  const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
  if (as) chownSync(at, as.uid, as.gid)
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'admin', '-A', 'trust'], {
    ...as,
    cwd: at,
    stdio: 'ignore',
  })
  let child
  let before = 0
  async function start() {
    const settings = ['listen_addresses=', 'max_connections=200'].flatMap(each => ['-c', each])
    child = spawn(join(programs, 'postgres'), ['-D', data, '-k', at, ...settings], {
      ...as,
      cwd: at,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8')
    for await (const [text] of on(child.stderr)) if (text.includes('ready to accept connections')) break
    child.stderr.on('data', () => undefined)
  }
  await start()
  // Who is no superuser finds no connection when all are taken; so are the workers.
  const url = `postgres://admin@/postgres?host=${encodeURIComponent(at)}`
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const text of ['role crowd login', 'role worker login', 'database fleet owner worker'])
    await client.query(`create ${text}`)
  await client.end()
  return {
    folder: at,
    url: url.replace('admin@/postgres', 'worker@/fleet'),
    start,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      before = this.cpuSeconds()
      child.kill(signal)
      await gone
    },
    /** Of all its processes, those that have ended included, by what the kernel says of their parent. */
    cpuSeconds() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
      const own = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
      const children = readdirSync('/proc').flatMap(pid => {
        try {
          const its = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
          return Number(its[1]) === child.pid ? Number(its[11]) + Number(its[12]) : []
        } catch {
          return []
        }
      })
      return before + children.reduce((sum, each) => sum + each, own) / 100
    },
  }
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

/** Seconds of processor time that a process and its children had. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / 100
  } catch {
    return undefined
  }
}

async function* on(stream) {
  for (;;) yield await once(stream, 'data')
}

function row(what, figure, about) {
  console.log(`${what.padEnd(36)} ${figure.padStart(10)}   ${about}`)
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
