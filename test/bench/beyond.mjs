// What a job of a fleet takes beyond one machine: `node test/bench/beyond.mjs [jobs] [turns] [dist/bin.cjs]`, after `npm run build`, where
// PostgreSQL's programs are. The same project by one machine with a cache and by two workers, one after the other; processor time of
// all that take part from when two fifths are ordered to the end of the run, so that starts are left out.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executableAt } from './executable.mjs'
import { startPostgres } from './postgres.mjs'
import { cpuSecondsOf, openService, pause, row, startsIn, writeProject } from './sold.mjs'

const [jobs = '1500', turns = '3', path] = process.argv.slice(2)
const executable = executableAt(path)
const counted = 0.4

for (let turn = 0; turn < Number(turns); turn++) {
  const one = await measure(0)
  const fleet = await measure(2)
  row('one machine', `${one.run.toFixed(1)} ms`, 'of processor time a job')
  row(
    'server; workers; planner',
    '',
    [fleet.server, fleet.workers, fleet.run].map(ms => ms.toFixed(1)).join('; '),
  )
  const beyond = fleet.server + fleet.workers + fleet.run - one.run
  row('a job of a fleet beyond that', `${beyond.toFixed(1)} ms`, '')
}

/** Milliseconds a job: of the server, of so many workers, and of the run. */
async function measure(many) {
  const service = await openService()
  const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
  const postgres = many > 0 ? await startPostgres() : undefined
  const shared = { GENRUN_CACHE: join(folder, 'shared'), ...(postgres && { GENRUN_STORE: postgres.url }) }
  try {
    writeProject(folder, Number(jobs) / 2, { mode: 'submit' })
    const genrun = startsIn(folder, { executable, origin: service.origin, ...shared })
    const workers = Array.from({ length: many }, () => genrun(['work', 'm.yaml']))
    const run = genrun(['run', 'm.yaml', '-q', ...(many > 0 ? ['--fleet'] : [])])
    const spent = await spentBy({ service, postgres, workers, run })
    for (const { child } of workers) child.kill('SIGTERM')
    await Promise.all(workers.map(({ ended }) => ended))
    return spent
  } finally {
    await postgres?.stop('SIGINT')
    for (const each of [folder, ...(postgres ? [postgres.folder] : [])])
      rmSync(each, { recursive: true, force: true })
    service.close()
  }
}

async function spentBy({ service, postgres, workers, run }) {
  const cpu = ({ child }) => cpuSecondsOf(child.pid) ?? 0
  const now = () => ({
    sold: service.total(),
    server: postgres?.cpuSeconds() ?? 0,
    workers: workers.reduce((sum, each) => sum + cpu(each), 0),
    run: cpu(run),
  })
  let [first, last, ended] = [now(), now(), undefined]
  void run.ended.then(end => (ended = end))
  while (!ended) {
    const seen = now()
    if (seen.sold < Number(jobs) * counted) first = seen
    // Of a process that is gone nobody tells anything.
    if (seen.run > 0) last = seen
    await pause(50)
  }
  if (ended.code !== 0) throw new Error(`the run ended with ${ended.code}: ${ended.said}`)
  const sold = service.total() - first.sold
  const of = name => (1000 * (last[name] - first[name])) / sold
  return { server: of('server'), workers: of('workers'), run: of('run') }
}
