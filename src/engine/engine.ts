import type { JobAddress } from '../base/names.ts'
import type { JobState } from '../base/state.ts'
import { openPace } from './gates/pace.ts'
import { openPolls } from './gates/polls.ts'
import { openSlots, type SlotLimits } from './gates/slots.ts'
import type { Floor } from './life.ts'
import { carryOut } from './live.ts'
import { openRuns } from './runs.ts'
import type { Outcomes, Work, World } from './world.ts'

/**
 * Carries out all work, each job once its needs are done. A failure stops only its dependants. Needs that are not
 * among the work count as done. Resolves when every job has settled.
 */
export async function runEngine(works: readonly Work[], world: World, limits: SlotLimits): Promise<Outcomes> {
  const { clock, pollFloorMs } = world
  const polls = world.polls ?? openPolls({ clock, isFree: pollFloorMs < 1000 })
  const floor: Floor = {
    world,
    slots: openSlots(limits, clock),
    pace: openPace(clock, polls),
    runs: openRuns(),
  }
  // Whoever waits for a canary would otherwise wait for ever.
  const onStop = () => {
    floor.pace.close({ why: 'stopped' })
    floor.slots.open()
  }
  world.stop.addEventListener('abort', onStop, { once: true })
  if (world.stop.aborted) onStop()
  try {
    return await settleAll(works, floor)
  } finally {
    world.stop.removeEventListener('abort', onStop)
  }
}

function settleAll(works: readonly Work[], floor: Floor): Promise<Outcomes> {
  const priorities = chainLengths(works)
  const settled = new Map<JobAddress, JobState>()
  const waiting = new Map<JobAddress, number>()
  const dependants = dependantsOf(works)
  const known = new Set(works.map(work => work.job.address))
  let running = 0
  let finished: (outcomes: Outcomes) => void
  let broken: (bug: unknown) => void

  function start(work: Work): void {
    running++
    carryOut(work, priorities.get(work.job.address) ?? 0, floor)
      .then(state => {
        finish(work, state)
        if (--running === 0) finished(settled)
      })
      .catch(bug => broken(bug))
  }

  /** Starts what has become possible; what can no longer happen is skipped, with all that hangs on it. */
  function finish(work: Work, state: JobState): void {
    const open: [Work, JobState][] = [[work, state]]
    for (let next = open.pop(); next; next = open.pop()) {
      const [done, its] = next
      settled.set(done.job.address, its)
      for (const dependant of dependants.get(done.job.address) ?? []) {
        const address = dependant.job.address
        if (settled.has(address)) continue
        if (!isOfUse(its)) {
          const skipped: JobState = { is: 'skipped', because: { why: 'needs', address: done.job.address } }
          floor.world.tell({ at: floor.world.clock.now(), address, event: 'settled', state: skipped })
          open.push([dependant, skipped])
          continue
        }
        const left = (waiting.get(address) ?? 1) - 1
        waiting.set(address, left)
        if (left === 0) start(dependant)
      }
    }
  }

  return new Promise((resolve, reject) => {
    finished = resolve
    broken = reject
    const first = works.filter(work => {
      const open = openNeeds(work, known)
      waiting.set(work.job.address, open)
      return open === 0
    })
    if (first.length === 0) resolve(settled)
    for (const work of first) start(work)
  })
}

/** A result that the user's own check turned down is kept and told; what is made from it is not bought in this run. */
function isOfUse(state: JobState): boolean {
  return state.is === 'done' && !(state.flaw?.why === 'unlike-asked' && state.flaw.fails)
}

/** Work that is under way goes on whatever became of its needs: it is paid for. */
function openNeeds(work: Work, known: ReadonlySet<JobAddress>): number {
  return work.start.is === 'ready' ? new Set(work.job.needs.filter(need => known.has(need))).size : 0
}

function dependantsOf(works: readonly Work[]): Map<JobAddress, Work[]> {
  const dependants = new Map<JobAddress, Work[]>()
  for (const work of works) {
    if (work.start.is !== 'ready') continue
    for (const need of new Set(work.job.needs)) {
      const list = dependants.get(need)
      if (list) list.push(work)
      else dependants.set(need, [work])
    }
  }
  return dependants
}

/** How many jobs wait in a row behind each: the longest chain goes first, or it would end last. */
function chainLengths(works: readonly Work[]): Map<JobAddress, number> {
  const lengths = new Map<JobAddress, number>()
  // Works stand in an order where needs come first, so that going backwards meets every dependant before its need.
  for (const work of works.toReversed()) {
    const behind = (lengths.get(work.job.address) ?? 0) + 1
    for (const need of work.job.needs) lengths.set(need, Math.max(lengths.get(need) ?? 0, behind))
  }
  return lengths
}
