// What the live view costs, by the number of jobs: the same events per second and the same number of jobs at a time, so that
// only the number of jobs differs. Prints CPU as a share of one core, memory, and what is written to the terminal.
// `node test/bench/view.mjs`; needs esbuild, which bundles the view from its sources.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')
const seconds = Number(process.env.SECONDS ?? 10)
const eventsPerSecond = 400
const atOnce = 32

const driver = `
import { openLive } from '${root}/src/cli/progress/live.ts'
import { silentView } from '${root}/src/cli/progress/view.ts'
import { systemClock } from '${root}/src/base/clock.ts'
import { colours } from '${root}/src/cli/io/colour.ts'
const [jobs, isShown] = [Number(process.argv[2]), process.argv[3] === 'live']
let written = 0
const sink = { write: text => { written += text.length }, isTerminal: true, columns: 120, rows: 40 }
const view = isShown ? openLive({ sink, clock: systemClock, paint: colours(true), isAscii: false, clean: text => text }) : silentView(() => {})
const model = 'fama-imagine-image'
const work = Array.from({ length: jobs }, (_, nth) => ({ address: 'still[' + nth + ']', model, kind: 'image', needs: [] }))
const steps = { buy: jobs, keep: 0, resume: 0, fetch: 0, adopt: 0, hold: 0, doubt: 0, drop: 0 }
view.show({ at: systemClock.now(), event: 'planned', jobs, steps, work, output: '/out', rehearsal: false, remarks: [] })
const began = Date.now()
let [next, told] = [0, 0]
const running = []
const cpu = process.cpuUsage()
while (Date.now() - began < ${seconds} * 1000) {
  await new Promise(resolve => setTimeout(resolve, 20))
  for (const due = ((Date.now() - began) / 1000) * ${eventsPerSecond}; told < due; told++) {
    const at = systemClock.now()
    if (running.length < ${atOnce} && next < jobs) {
      const { address } = work[next++]
      running.push(address)
      view.show({ at, address, event: 'sending', model, attempt: 1 })
    } else if (told % 2 === 0 && running.length > 0) {
      view.show({ at, address: running[told % running.length], event: 'progress', fraction: (told % 100) / 100 })
    } else if (running.length > 0) {
      const address = running.shift()
      const file = { path: address + '.png', digest: 'sha256:0', bytes: 1e6, type: 'image/png' }
      const state = told % 97 === 1 ? { is: 'failed', failure: { why: 'remote', detail: 'no' }, billed: 'no' } : { is: 'done', files: [file] }
      view.show({ at, address, event: 'settled', state })
    }
  }
}
const { user, system } = process.cpuUsage(cpu)
globalThis.gc()
const { heapUsed, rss } = process.memoryUsage()
await view.close()
console.log(JSON.stringify({ cpu: (user + system) / 1e4 / ${seconds}, heap: heapUsed / 1e6, rss: rss / 1e6, written: written / 1e3 / ${seconds} }))
`

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
try {
  writeFileSync(join(folder, 'driver.mts'), driver)
  const outfile = join(folder, 'driver.mjs')
  const banner = {
    js: "import { createRequire as c } from 'node:module'; const require = c(import.meta.url);",
  }
  await build({
    entryPoints: [join(folder, 'driver.mts')],
    nodePaths: [join(root, 'node_modules')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    logLevel: 'error',
  })
  const measure = (jobs, view) =>
    JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', outfile, String(jobs), view], { encoding: 'utf8' }),
    )
  console.log('jobs     CPU of the view   heap, with and without   written')
  for (const jobs of [10, 1000, 10_000, 100_000]) {
    const [live, bare] = [measure(jobs, 'live'), measure(jobs, 'silent')]
    const cells = [
      `${(live.cpu - bare.cpu).toFixed(1)} % of a core`,
      `${live.heap.toFixed(1)} / ${bare.heap.toFixed(1)} MB`,
      `${live.written.toFixed(1)} kB/s`,
    ]
    console.log(String(jobs).padEnd(9) + cells.map((cell, nth) => cell.padEnd([18, 25, 0][nth])).join(''))
  }
} finally {
  rmSync(folder, { recursive: true })
}
