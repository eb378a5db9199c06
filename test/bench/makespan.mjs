// How long a batch takes when the service's limits are known: `node test/bench/makespan.mjs [jobs]`; needs esbuild, which
// bundles the engine from its sources. Time is virtual, so the figures are the same on every machine. The lower bound is
// the longest chain, or the work over the slots, whichever is longer (shared/TARGETS.md); what is lost to asking whether
// a run is finished is part of the ratio.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..')
const jobs = Number(process.argv[2] ?? 10_000)

const driver = `
import { runEngine } from '${root}/src/engine/engine.ts'
import { fakeWorld, job, run, seededRandom, work } from '${root}/test/engine/fake.ts'

const [count, kind] = [Number(process.argv[2]), process.argv[3]]
const limits = { execute: 20, submit: 60, download: 6 }
const random = seededRandom(7)
const seconds = new Map()
const works = Array.from({ length: count }, (_, nth) => {
  const isClip = kind === 'mixed' && nth % 3 === 2
  const address = 'j' + nth
  seconds.set(address, isClip ? 60 + 120 * random.next() : 5 + 15 * random.next())
  // Every third job is a clip of the still before it, and every thirtieth chain goes on for ten clips.
  const isLate = kind === 'mixed' && nth % 90 > 60 && isClip
  const needs = isLate ? ['j' + (nth - 3)] : isClip ? ['j' + (nth - 1)] : []
  return work(job(address, { mode: isClip ? 'submit' : 'execute', needs }))
})

const clock = heapClock()
const ends = new Map()
const world = { ...fakeWorld(), clock }
// The other one goes by the other clock.
world.wire = {
  ...world.wire,
  async order({ address, mode }, beforeFirstByte) {
    beforeFirstByte()
    const end = clock.now() + 1000 * seconds.get(address)
    ends.set(address, end)
    if (mode === 'submit') return { got: 'run', run: run(address) }
    await clock.until(end)
    return { got: 'files', files: [] }
  },
  read: async ({ id }) => (clock.now() >= ends.get(id) ? { got: 'files', files: [] } : { got: 'pending' }),
}

const began = clock.now()
const outcomes = await clock.run(runEngine(works, world, limits))
if ([...outcomes.values()].some(state => state.is !== 'done')) throw new Error('not all are done')
const total = mode => works.reduce((sum, { job }) => sum + (job.mode === mode ? seconds.get(job.address) : 0), 0)
const chains = new Map()
for (const { job } of works)
  chains.set(job.address, seconds.get(job.address) + Math.max(0, ...job.needs.map(need => chains.get(need))))
const bound = Math.max(total('execute') / limits.execute, total('submit') / limits.submit, ...chains.values())
console.log(JSON.stringify({ taken: (clock.now() - began) / 1000, bound }))

/** A clock that stands still until everybody waits, and then moves to the next date. */
function heapClock() {
  let now = 1_000_000
  const dates = new Map()
  const heap = []
  const push = date => {
    let at = heap.push(date) - 1
    while (at > 0 && heap[(at - 1) >> 1] > date) {
      heap[at] = heap[(at - 1) >> 1]
      at = (at - 1) >> 1
    }
    heap[at] = date
  }
  const pop = () => {
    const [first, last] = [heap[0], heap.pop()]
    if (heap.length === 0) return first
    let at = 0
    for (let next = 1; next < heap.length; next = 2 * at + 1) {
      if (next + 1 < heap.length && heap[next + 1] < heap[next]) next++
      if (heap[next] >= last) break
      heap[at] = heap[next]
      at = next
    }
    heap[at] = last
    return first
  }
  return {
    now: () => now,
    wall: () => now,
    until(date, signal) {
      if (date <= now || signal?.aborted) return Promise.resolve()
      return new Promise(resolve => {
        if (!dates.has(date)) {
          dates.set(date, new Set())
          push(date)
        }
        const wake = () => {
          dates.get(date)?.delete(wake)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        dates.get(date).add(wake)
        signal?.addEventListener('abort', wake)
      })
    },
    async run(promise) {
      let isOver = false
      promise.finally(() => (isOver = true)).catch(() => {})
      for (;;) {
        for (let turn = 0; turn < 4 && !isOver; turn++) await new Promise(resolve => setImmediate(resolve))
        if (isOver) return promise
        if (heap.length === 0) throw new Error('everybody waits and nobody has a date')
        const date = pop()
        const wakers = dates.get(date)
        dates.delete(date)
        // A date that everybody has turned away from is no reason to move.
        if (wakers.size > 0) now = date
        for (const wake of [...wakers]) wake()
      }
    },
  }
}
`

const folder = mkdtempSync(join(tmpdir(), 'genrun-bench-'))
try {
  writeFileSync(join(folder, 'driver.mts'), driver)
  const outfile = join(folder, 'driver.mjs')
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
  await build({
    entryPoints: [join(folder, 'driver.mts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'warning',
    nodePaths: [join(root, 'node_modules')],
  })
  for (const [kind, what] of [
    ['plain', 'executed'],
    ['mixed', 'mixed, with chains'],
  ]) {
    const { taken, bound } = JSON.parse(
      execFileSync(process.execPath, [outfile, String(jobs), kind], { encoding: 'utf8' }),
    )
    const name = `makespan of ${jobs} jobs, ${what} / lower bound (≤ 1.03)`
    console.log(
      `${name.padEnd(58)} ${(taken / bound).toFixed(3).padStart(8)}   ${Math.round(taken)} s / ${Math.round(bound)} s`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
