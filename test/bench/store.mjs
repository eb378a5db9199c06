// What the fleet's store takes by itself: `node test/bench/store.mjs [orders] [jobs] [dist/bin.cjs]`, after `npm run build`, where
// PostgreSQL's programs are. Rights to send under one exact budget, asked for as workers do; then jobs handed to the queue.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import pg from 'pg'
import { executableAt } from './executable.mjs'
import { startPostgres } from './postgres.mjs'
import { row, seconds } from './sold.mjs'

const [orders = '10000', jobs = '100000', path] = process.argv.slice(2)
// As eight workers have on their way.
const [workers, inAir, block] = [8, 8, 2_000]
// As long as those of a lock are.
const record = { text: 'x'.repeat(600) }
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const postgres = await startPostgres()
const pool = new pg.Pool({ connectionString: postgres.url })
// One that the server ends while it is being closed.
pool.on('error', () => undefined)
try {
  writeFileSync(join(folder, 'm.yaml'), 'jobs:\n  tea: { model: fama-imagine-image, prompt: tea }\n')
  const env = { ...process.env, GENRUN_STORE: postgres.url }
  // It makes the tables, and a worker's queue makes its own.
  execFileSync(process.execPath, [executableAt(path), 'status', 'm.yaml', '--fleet'], { cwd: folder, env })
  await takeRights()
  await handOut()
} finally {
  await pool.end()
  await postgres.stop('SIGINT')
  for (const each of [postgres.folder, folder]) rmSync(each, { recursive: true, force: true })
}

async function takeRights() {
  const { openFleetStore } = await bundled('src/fleet/fleet-store.ts')
  await pool.query(`insert into genrun.worker values ('w', 'q', clock_timestamp() + interval '1 hour')`)
  const stores = await Promise.all(Array.from({ length: workers }, () => openFleetStore(postgres.url)))
  await stores[0].allow('b', { maxOrders: Number(orders) - 10 })
  const [began, cpu] = [performance.now(), postgres.cpuSeconds()]
  let next = 0
  const got = {}
  const taker = async store => {
    for (let nth = next++; nth < Number(orders); nth = next++) {
      const name = `j${nth}`
      const answer = await store.right('w', {
        batch: 'b',
        identity: name,
        address: name,
        request: '',
        price: 1,
        record,
      })
      got[answer.got] = (got[answer.got] ?? 0) + 1
    }
  }
  await Promise.all(stores.flatMap(store => Array.from({ length: inAir }, () => taker(store))))
  const took = performance.now() - began
  const each = (1000 * (postgres.cpuSeconds() - cpu)) / Number(orders)
  row(
    'rights under one budget',
    `${Math.round(Number(orders) / (took / 1000))}/s`,
    `${JSON.stringify(got)}; ${each.toFixed(2)} ms each`,
  )
  await Promise.all(stores.map(store => store.close()))
}

/** A module of the sources, as it is built. */
async function bundled(path) {
  const outfile = join(folder, 'bundled.mjs')
  const root = join(import.meta.dirname, '..', '..')
  await build({
    absWorkingDir: root,
    entryPoints: [path],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  // Where its packages are found.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return import(pathToFileURL(outfile).href)
}

async function handOut() {
  const [began, cpu] = [performance.now(), postgres.cpuSeconds()]
  for (let from = 0; from < Number(jobs); from += block) {
    const entries = Array.from({ length: Math.min(block, Number(jobs) - from) }, (_, nth) => {
      const address = `j${from + nth}`
      return {
        id: address,
        name: address,
        data: { batch: 'b', address },
        opts: {},
        attempts: 9,
        timestamp: Date.now(),
      }
    })
    await pool.query('select bullmq.add_jobs_bulk($1, $2::jsonb)', ['q', JSON.stringify(entries)])
  }
  const { rows } = await pool.query(`select count(*)::int as many from bullmq.job where queue = 'q'`)
  const took = seconds(performance.now() - began)
  row(
    'jobs handed to the queue',
    took,
    `${rows[0].many}; ${(postgres.cpuSeconds() - cpu).toFixed(1)} s of processor time`,
  )
}
