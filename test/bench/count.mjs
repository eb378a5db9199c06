// What one job costs, counted: `node test/bench/count.mjs [jobs] [dist/bin.cjs]`, after `npm run build`. What is counted
// holds on a busy machine as well. A run of many jobs less a run of few gives the system calls of one job (`strace -f -c`)
// and its processor time, which stands beside that of the raw ceiling (undici and writeFile, nothing else). Linux, with
// strace.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { executableAt } from './executable.mjs'

const run = promisify(execFile)
const [jobs = '1000', named] = process.argv.slice(2)
const executable = executableAt(named)
const [few, many] = [20, Number(jobs)]
const rounds = 3

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
const load = join(import.meta.dirname, 'load.mjs')
const hook = join(folder, 'usage.mjs')
writeFileSync(
  hook,
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write(`\\nusage ${user + system}`) })",
)
const server = spawn(process.execPath, [load, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const origin = await new Promise(done => server.stdout.once('data', text => done(String(text).trim())))
  const env = { ...process.env, GENRUN_BASE_URL: `${origin}/gw-v2`, GENRUN_API_KEY: 'bench-key' }
  // Reading a bundle of authorities would count as ours.
  delete env.NODE_EXTRA_CA_CERTS
  for (const mode of ['execute', 'submit']) {
    const sides = {
      ours: (count, by) =>
        inFolder(count, mode, cwd => run(...by([executable, 'm.yaml']), { cwd, env, maxBuffer: 1e9 })),
      raw: (count, by) =>
        inFolder(count, mode, to => run(...by([load, 'raw', origin, to, count, mode]), { env })),
    }
    const [ours, raw] = [await callsOfOne(sides.ours), await callsOfOne(sides.raw)]
    row(
      `system calls of one ${mode} job, without futex (≤ 40)`,
      total(ours),
      `raw ${total(raw).toFixed(1)}; ${most(ours)}`,
    )
    row(`futex calls of one ${mode} job (≤ 12)`, ours.futex ?? 0, `raw ${(raw.futex ?? 0).toFixed(1)}`)
    row(`syncs of one ${mode} job (≤ 2)`, (ours.fdatasync ?? 0) + (ours.fsync ?? 0), '')
    const [mine, theirs] = await processorTime(sides)
    row(
      `processor time of one ${mode} job / raw ceiling (≤ 1.5)`,
      mine / theirs,
      `${milliseconds(mine)} / ${milliseconds(theirs)}`,
    )
  }
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** How often each system call is made for one job. */
async function callsOfOne(side) {
  const out = join(folder, 'calls.txt')
  const count = async jobsMade => {
    await side(jobsMade, args => ['strace', ['-f', '-c', '-o', out, process.execPath, ...args]])
    return callsIn(readFileSync(out, 'utf8'))
  }
  const [some, all] = [await count(few), await count(many)]
  return Object.fromEntries(
    Object.entries(all).map(([name, calls]) => [name, (calls - (some[name] ?? 0)) / (many - few)]),
  )
}

function callsIn(table) {
  const lines = table.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(?<calls>\d+)\s+(?:\d+\s+)?(?<name>\w+)$/gm)
  return Object.fromEntries(
    [...lines].flatMap(({ groups: { calls, name } }) => (name === 'total' ? [] : [[name, Number(calls)]])),
  )
}

/** Microseconds of one job on each side, of all threads: medians of interleaved rounds. */
async function processorTime({ ours, raw }) {
  const by = args => [process.execPath, ['--import', hook, ...args]]
  const taken = [[], []]
  for (let round = 0; round < rounds; round++)
    for (const [nth, side] of [ours, raw].entries()) {
      const [some, all] = [usage(await side(few, by)), usage(await side(many, by))]
      taken[nth].push((all - some) / (many - few))
    }
  return taken.map(median)
}

function usage({ stderr }) {
  return Number(/usage (\d+)$/.exec(stderr)[1])
}

async function inFolder(count, mode, use) {
  const to = join(folder, 'batch')
  mkdirSync(to)
  const numbers = Array.from({ length: count }, (_, nth) => nth)
  const job = { matrix: { n: numbers }, model: 'fama-imagine-image', mode, prompt: 'Teapot ${{ matrix.n }}' }
  writeFileSync(
    join(to, 'm.yaml'),
    JSON.stringify({ limits: { execute: 32, submit: 32 }, jobs: { still: job } }),
  )
  try {
    return await use(to)
  } finally {
    rmSync(to, { recursive: true })
  }
}

function total(calls) {
  return withoutFutex(calls).reduce((sum, [, each]) => sum + each, 0)
}

function most(calls) {
  const sorted = withoutFutex(calls).toSorted(([, a], [, b]) => b - a)
  return sorted
    .slice(0, 8)
    .map(([name, each]) => `${each.toFixed(1)} ${name}`)
    .join(', ')
}

function withoutFutex(calls) {
  return Object.entries(calls).filter(([name]) => name !== 'futex')
}

function row(name, figure, more) {
  console.log(`${name.padEnd(58)} ${figure.toFixed(2).padStart(8)}   ${more}`)
}

function milliseconds(micros) {
  return `${(micros / 1000).toFixed(2)} ms`
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
