// What the fleet's store takes by itself: `node test/bench/store.mjs [orders] [jobs] [dist/bin.js]`, after `npm run build`, where
// PostgreSQL's programs are. Rights to send under one exact budget, by so many at once as eight workers have on their way; then jobs
// handed to the queue.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { executableAt } from './executable.mjs'
import { startPostgres } from './postgres.mjs'
import { row, seconds } from './sold.mjs'

const [orders = '10000', jobs = '100000', path] = process.argv.slice(2)
const [atOnce, block] = [64, 2_000]
const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const postgres = await startPostgres()
const pool = new pg.Pool({ connectionString: postgres.url, max: atOnce })
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
  await pool.query(`insert into genrun.worker values ('w', clock_timestamp() + interval '1 hour')`)
  await pool.query(`insert into genrun.budget (batch, max_orders) values ('b', $1)`, [Number(orders) - 10])
  const text = 'select genrun.take_right($1, $2, $3, $4, $5, $6, $7, $8, $9) as got'
  const [began, cpu] = [performance.now(), postgres.cpuSeconds()]
  let next = 0
  const got = {}
  const taker = async () => {
    for (let nth = next++; nth < Number(orders); nth = next++) {
      const values = ['b', `j${nth}`, `p${nth}`, randomUUID(), 'w', `j${nth}`, '', 1, '{}']
      const { rows } = await pool.query({ name: 'right', text, values })
      got[rows[0].got] = (got[rows[0].got] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, taker))
  const took = performance.now() - began
  const each = (1000 * (postgres.cpuSeconds() - cpu)) / Number(orders)
  row(
    'rights under one budget',
    `${Math.round(Number(orders) / (took / 1000))}/s`,
    `${JSON.stringify(got)}; ${each.toFixed(2)} ms each`,
  )
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
