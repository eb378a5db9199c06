// How long a batch takes when the service's limits are known: `node test/bench/makespan.mjs [jobs]`; needs esbuild, which
// bundles the engine from its sources. Time is virtual, so the figures are the same on every machine. The lower bound is
// the longest chain, or the work over the slots, whichever is longer (shared/TARGETS.md); what is lost to asking whether
// a run is finished is part of the ratio. Then runs of about 30 s (log-normal, σ 0.4) on so many slots, as a service has them: how
// late their ends are noticed, with how many questions, and how long the batch takes beside the work over its slots; without
// results of an earlier run of the same day, and with them. And how far the end that a view tells is from the true one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled, root } from './driver.mjs'

const jobs = Number(process.argv[2] ?? 10_000)

const driver = `
import { findModel } from '${root}/src/catalog/index.ts'
import { durationKindOf, seenEarlier, usualMs } from '${root}/src/engine/durations.ts'
import { runEngine } from '${root}/src/engine/engine.ts'
import { openBoard } from '${root}/src/cli/progress/board.ts'
import { secondsOfAll } from '${root}/src/planning/expected-time.ts'
import { fakeWorld, job, run, seededRandom, task } from '${root}/test/engine/fake.ts'

const [count, kind, slots = 60, earlier = 0] = [Number(process.argv[2]), ...process.argv.slice(3)]
const limits = { execute: 20, submit: Number(slots), download: 6, earlier: Number(earlier) }
const random = seededRandom(Number(process.env.SEED ?? 7))
const clipModel = findModel('famc-v3')
const seconds = new Map()
const works = Array.from({ length: count }, (_, nth) => {
  const isClip = kind === 'clips' || (kind === 'mixed' && nth % 3 === 2)
  const address = 'j' + nth
  seconds.set(address, lengthOf(nth))
  if (kind === 'clips') return task(job(address, { mode: 'submit' }))
  // Every third job is a clip of the still before it, and every thirtieth chain goes on for ten clips.
  const isLate = kind === 'mixed' && nth % 90 > 60 && isClip
  const needs = isLate ? ['j' + (nth - 3)] : isClip ? ['j' + (nth - 1)] : []
  return task(job(address, { mode: isClip ? 'submit' : 'execute', needs, ...(isClip && { model: clipModel }) }))
})

const clock = heapClock()
const ends = new Map()
const durations = earlierDurations()
const board = openBoard()
const told = []
const world = {
  ...fakeWorld(),
  clock,
  durations,
  emit(event) {
    board.take(event)
    if (event.event === 'settled') told.push([clock.now(), board.secondsLeft(clock.now())])
  },
}
// The other one goes by the other clock.
world.wire = {
  ...world.wire,
  async order({ address, mode }, beforeFirstByte) {
    const lastWord = await beforeFirstByte()
    lastWord()
    const end = clock.now() + 1000 * seconds.get(address)
    ends.set(address, end)
    if (mode === 'submit') return { got: 'run', run: run(address) }
    await clock.until(end)
    return { got: 'files', files: [] }
  },
  async read({ id }) {
    questions++
    if (clock.now() < ends.get(id)) return { got: 'pending' }
    late += (clock.now() - ends.get(id)) / 1000 / seconds.get(id)
    return { got: 'files', files: [] }
  },
}
let [questions, late] = [0, 0]
let expected

const began = clock.now()
board.take(plan())
const outcomes = await clock.run(runEngine(works, world, limits))
if ([...outcomes.values()].some(state => state.is !== 'done')) throw new Error('not all are done')
const total = mode => works.reduce((sum, { job }) => sum + (job.mode === mode ? seconds.get(job.address) : 0), 0)
const chains = new Map()
for (const { job } of works)
  chains.set(job.address, seconds.get(job.address) + Math.max(0, ...job.needs.map(need => chains.get(need))))
const bound = Math.max(total('execute') / limits.execute, total('submit') / limits.submit, ...chains.values())
const each = { late: late / count, questions: questions / count, longest: Math.max(...seconds.values()) }
const taken = (clock.now() - began) / 1000
/** By how much the end that is told after so much of the run is wrong, as a part of it all. */
const wrongAt = share => {
  const [at, left] = told.find(([date, left]) => left !== undefined && date - began >= share * taken * 1000) ?? []
  return ((at - began) / 1000 + left - taken) / taken
}
console.log(JSON.stringify({ taken, bound, ...each, expected, wrong: [0.1, 0.25, 0.5].map(wrongAt) }))

function plan() {
  const timed = works.flatMap(({ job }) => (seenOf(job) ? [{ job, seen: seenOf(job), limits }] : []))
  if (timed.length === count) expected = secondsOfAll(timed)
  const work = works.map(({ job }) => ({
    address: job.address,
    model: job.model.id,
    kind: 'image',
    needs: job.needs,
    ...(seenOf(job) && { seconds: (usualMs(seenOf(job)) / 1000) * (job.mode === 'submit' ? 1.06 : 1) }),
  }))
  return { at: clock.now(), event: 'planned', work, ...(expected !== undefined && { expectedSeconds: expected }) }
}

/** As the journal of an earlier run knows them: by when their files came. */
function earlierDurations() {
  const kinds = new Map()
  for (let nth = 0; nth < Number(earlier); nth++) {
    const { job } = works[nth % works.length]
    const name = durationKindOf(job.model.id, job.params)
    const to = 1000 * lengthOf(nth % works.length) * (1 + 0.13 * random.next()) + 500
    kinds.set(name, [...(kinds.get(name) ?? []), { from: 0, to }])
  }
  return new Map([...kinds].map(([name, took]) => [name, seenEarlier(took)]))
}

function seenOf({ model, params }) {
  return durations.get(durationKindOf(model.id, params))
}

function lengthOf(nth) {
  if (kind === 'clips') return 30 * Math.exp(0.4 * normal())
  return kind === 'mixed' && nth % 3 === 2 ? 60 + 120 * random.next() : 5 + 15 * random.next()
}

function normal() {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

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
  const outfile = await bundled(folder, driver)
  const measured = (...args) =>
    JSON.parse(execFileSync(process.execPath, [outfile, ...args.map(String)], { encoding: 'utf8' }))
  for (const [kind, what] of process.env.QUICK
    ? []
    : [
        ['plain', 'executed'],
        ['mixed', 'mixed, with chains'],
      ]) {
    const { taken, bound } = measured(jobs, kind)
    const name = `makespan of ${jobs} jobs, ${what} / lower bound (≤ 1.03)`
    row(name, taken / bound, `${Math.round(taken)} s / ${Math.round(bound)} s`)
  }
  for (const [count, kind, slots] of [
    [500, 'plain', 60],
    [300, 'mixed', 60],
    [40, 'mixed', 60],
    [96, 'clips', 32],
    [2000, 'clips', 200],
  ])
    for (const earlier of [0, 100]) {
      const { taken, expected, wrong } = measured(count, kind, slots, earlier)
      const name = `the end as told after a tenth of ${count} ${kind}, ${earlier} earlier (± 0.15)`
      const [tenth, ...later] = wrong.map(each => each ?? Number.NaN)
      const plan =
        expected === undefined ? 'the plan says nothing' : `the plan says ${Math.round(expected)} s`
      const more = `after a quarter and half ${later.map(each => each.toFixed(2)).join(', ')}`
      row(name, tenth, `${Math.round(taken)} s; ${plan}; ${more}`)
    }
  for (const [count, slots] of [
    [96, 32],
    [400, 200],
    [2000, 200],
  ])
    for (const earlier of [0, 100]) {
      const { taken, bound, longest, late, questions } = measured(count, 'clips', slots, earlier)
      const name = `${count} runs of 30 s on ${slots} slots, ${earlier} earlier / bound (≤ 1.15 + tail)`
      row(
        name,
        taken / bound,
        `${Math.round(taken)} s / ${Math.round(bound)} s, the longest ${Math.round(longest)} s`,
      )
      const bounds = '8 questions: ≤ 0.06, 3: ≤ 0.12'
      row(`how late their ends are noticed (${bounds})`, late, `${questions.toFixed(1)} questions a run`)
    }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function row(name, figure, more) {
  console.log(`${name.padEnd(70)} ${figure.toFixed(3).padStart(8)}   ${more}`)
}
