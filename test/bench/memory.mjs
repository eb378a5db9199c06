// Memory of a run of 100,000 jobs: `node test/bench/memory.mjs [jobs] [seconds] [dist/bin.cjs]`, after `npm run build`.
// A service without delay answers 32 requests at a time; after so many seconds of buying the run is stopped, and the most
// memory that it ever had is told (shared/TARGETS.md). Linux only: the kernel keeps count.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { executableAt } from './executable.mjs'

const [jobs = '100000', seconds = '60', named] = process.argv.slice(2)
const executable = executableAt(named)
const target = 400

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const server = spawn(process.execPath, [join(import.meta.dirname, 'load.mjs'), 'serve'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const origin = await new Promise(done => server.stdout.once('data', text => done(String(text).trim())))
  for (const mode of ['execute', 'submit']) {
    const { peak, made } = await peakOf(origin, mode)
    const name = `memory of ${jobs} ${mode} jobs, running (≤ ${target} MiB)`
    console.log(`${name.padEnd(58)} ${(peak / target).toFixed(2).padStart(8)}   ${peak} MiB, ${made} made`)
  }
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

async function peakOf(origin, mode) {
  const path = join(folder, `${mode}.yaml`)
  const numbers = Array.from({ length: Number(jobs) }, (_, nth) => nth)
  const job = { matrix: { n: numbers }, model: 'fama-imagine-image', mode, prompt: 'Teapot ${{ matrix.n }}' }
  writeFileSync(path, JSON.stringify({ limits: { execute: 32, submit: 32 }, jobs: { still: job } }))
  const env = { ...process.env, GENRUN_BASE_URL: `${origin}/gw-v2`, GENRUN_API_KEY: 'bench-key' }
  const run = spawn(process.execPath, [executable, path], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let [peak, made, began] = [0, 0, 0]
  const ended = new Promise(done => run.once('exit', done))
  run.stderr.on('data', text => {
    made += String(text).split(/  made  /).length - 1
    if (made > 0 && began === 0) began = Date.now()
  })
  while (run.exitCode === null && (began === 0 || Date.now() - began < Number(seconds) * 1000)) {
    peak = Math.max(peak, highWater(run.pid))
    await sleep(200)
  }
  run.kill('SIGINT')
  await ended
  return { peak, made }
}

/** The most memory a process ever had, in MiB; 0 when it is gone. */
function highWater(pid) {
  try {
    // One that has ended, and was not asked about yet, has no memory any more.
    const [, kilobytes = 0] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  } catch {
    return 0
  }
}
