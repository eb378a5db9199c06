import type { JobAddress } from '../base/names.ts'
import type { WireMode } from '../base/state.ts'
import { durationKindOf, longestMs, type SeenDurations, usualMs } from '../engine/durations.ts'
import type { SlotLimits } from '../engine/gates/slot-limits.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Plan } from '../plan/shapes/step.ts'
import { type Profile, workflowOf } from '../wire/profile/profile.ts'
import { spokenBy } from '../workspace/service/named.ts'
import type { PlanOptions, Recorded, Workspace } from '../workspace/workspace.ts'
import { durationsLately, limitsOf } from './pacing.ts'

/** How long work takes, by the results of the last day at its service. */
interface ExpectedTime {
  /** Of one job, in seconds; undefined where nothing alike was made. */
  secondsOf(job: Job): number | undefined
  /** Of all that a plan makes; undefined where it makes nothing, or something of which nothing is known. */
  secondsOfAll(plan: Plan): number | undefined
}

/** A service of the plan, and how much goes on there at a time. */
interface Site {
  readonly durations: ReadonlyMap<string, SeenDurations>
  readonly limits: SlotLimits
  readonly profile: Profile
}

/** A rehearsal is made by another machine than the results were. */
export function expectedTime(
  workspace: Workspace,
  { delivered }: Pick<Recorded, 'delivered'>,
  asked?: PlanOptions['limits'],
): ExpectedTime {
  const { layout, machine, manifest } = workspace
  const sites = new Map<string | undefined, Site | undefined>()
  function siteOf({ service }: Job): Site | undefined {
    if (layout.rehearsal) return undefined
    if (!sites.has(service)) sites.set(service, openSite(service))
    return sites.get(service)
  }
  function openSite(service: string | undefined): Site | undefined {
    const spoken = spokenBy(workspace, service)
    if (spoken.origin === undefined) return undefined
    const durations = durationsLately(delivered, { origin: spoken.origin, wall: machine.clock.wall() })
    const limits = limitsOf(manifest.limits, asked, service === undefined ? {} : spoken.limits)
    return { durations, limits, profile: spoken.profile }
  }
  const seenOf = (job: Job): SeenDurations | undefined => {
    const seen = siteOf(job)?.durations.get(durationKindOf(job.model.id, job.params))
    return seen && seen.count >= fewest ? seen : undefined
  }
  return {
    secondsOf(job) {
      const seen = seenOf(job)
      return seen && noticedMs(usualMs(seen), job.mode) / 1000
    },
    secondsOfAll({ steps }) {
      const timed: Timed[] = []
      for (const step of steps) {
        if (step.do !== 'buy' && step.do !== 'resume') continue
        const { job } = step
        const [seen, site] = [seenOf(job), siteOf(job)]
        if (!seen || !site) return undefined
        const { limits, profile } = site
        const ordered = step.do === 'buy' && {
          workflow: job.workflow ?? workflowOf(profile, job.model.id, job.params),
        }
        timed.push({ job, seen, limits, ...ordered })
      }
      return timed.length > 0 ? secondsOfAll(timed) : undefined
    },
  }
}

/** So few results say nothing about those to come. */
const fewest = 3

interface Timed {
  readonly job: Pick<Job, 'address' | 'needs' | 'mode' | 'service'> & {
    readonly model: Pick<Job['model'], 'id' | 'family'>
  }
  readonly seen: SeenDurations
  readonly limits: SlotLimits
  /** That it is ordered from; absent for what is under way already. */
  readonly workflow?: string
}

/**
 * The longest chain of dependants or the work over the slots, whichever is longer, and how much longer than usual the longest of
 * all probably takes: it may be among the last. The first order of a workflow goes alone until it is answered, which in one request is
 * when it is done. Jobs stand behind what they need. Pure.
 */
export function secondsOfAll(timed: readonly Timed[]): number {
  const ends = new Map<JobAddress, number>()
  const alone = new Map<string, number>()
  const rooms = new Map<string, Room>()
  const kinds = new Map<SeenDurations, number>()
  let least = 0
  for (const { job, seen, limits, workflow } of timed) {
    const ms = noticedMs(usualMs(seen), job.mode)
    const line =
      workflow !== undefined && job.mode === 'execute' ? `${job.service ?? ''} ${workflow}` : undefined
    const after = line === undefined ? undefined : alone.get(line)
    const end = ms + Math.max(after ?? 0, ...job.needs.map(need => ends.get(need) ?? 0))
    ends.set(job.address, end)
    kinds.set(seen, (kinds.get(seen) ?? 0) + 1)
    least = Math.max(least, end)
    for (const [name, slots, its = ms] of roomsOf(job, limits)) {
      if (slots === undefined) continue
      const room = `${job.service ?? ''} ${name}`
      enter(rooms, room, { from: 0, slots, ms: its })
      // What comes behind the first order of its workflow has the slots only then.
      if (after !== undefined) enter(rooms, `${room} ${workflow}`, { from: after, slots, ms: its })
    }
    if (line !== undefined && after === undefined) alone.set(line, end)
  }
  for (const { from, ms, slots } of rooms.values()) least = Math.max(least, from + ms / slots)
  const tail = Math.max(...[...kinds].map(([seen, count]) => longestMs(seen, count) - usualMs(seen)))
  return (least + tail) / 1000
}

/** Work from a moment on, of which so much goes on at a time. */
interface Room {
  readonly from: number
  readonly slots: number
  readonly ms: number
}

function enter(rooms: Map<string, Room>, name: string, room: Room): void {
  const known = rooms.get(name)
  rooms.set(name, known ? { ...known, ms: known.ms + room.ms } : room)
}

/** Ends of runs are noticed 6 % late (docs/contract.md P28). */
function noticedMs(ms: number, mode: WireMode): number {
  return mode === 'submit' ? 1.06 * ms : ms
}

type RoomOf = readonly [name: string, slots: number | undefined, ms?: number]

/** The limits that a job counts in; an order takes a part of its minute. */
function roomsOf({ mode, model }: Timed['job'], limits: SlotLimits): readonly RoomOf[] {
  return [
    [mode, limits[mode]],
    ['all', limits.total],
    [`family ${model.family}`, limits.families?.[model.family]],
    [`model ${model.id}`, limits.models?.[model.id]],
    ['minute', limits.perMinute, 60_000],
  ]
}
