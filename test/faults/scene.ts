import type { JobAddress, PurchaseId } from '../../src/base/names.ts'
import type { Purchase } from '../../src/base/purchase.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { openCache } from '../../src/store/cache/cache.ts'
import { type StateFolder, stateFolder } from '../../src/store/files/state-folder.ts'
import { mergeLocks } from '../../src/store/lock/lock-merge.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import type { Profile } from '../../src/wire/profile/profile.ts'
import type { Layout } from '../../src/workspace/layout.ts'
import { layoutOf } from '../../src/workspace/layout.ts'
import type { Machine } from '../../src/workspace/machine.ts'
import type { Service as Account } from '../../src/workspace/service/service.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { type Batch, drawBatch } from './batch.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Clones } from './clones.ts'
import type { Life } from './life.ts'
import { type Medium, medium } from './medium.ts'
import type { Doubt } from './records.ts'
import { openService, type Service } from './service.ts'
import { type Timeline, timeline } from './timeline.ts'
import { short, type Weather, weathers } from './weather.ts'
import { openWitness, type Witness } from './witness.ts'

/** Everything that outlives a process: one seed's world. */
export interface Scene {
  readonly seed: number
  readonly chance: Chance
  readonly timeline: Timeline
  readonly medium: Medium
  readonly service: Service
  readonly witness: Witness
  readonly batch: Batch
  readonly layout: Layout
  readonly folders: StateFolder
  readonly weather: Weather
  readonly breakage: Breakage
  readonly heeding: Heeding
  readonly merge: typeof mergeLocks
  readonly profile: Profile
  /** Nobody touches anything. */
  readonly isUntouched: boolean
  /** The number of files is what it is about. */
  readonly isCounted: boolean
  /** What is made from what is what it is about. */
  readonly isChained: boolean
  readonly isTwinned: boolean
  /** What people do in every history, where it is about that. */
  readonly acts: Acts | undefined
  /** How often another take is ordered. */
  readonly redoes: number
  /** How often what is in doubt is ordered anew by the run itself. */
  readonly resubmits: number
  readonly diskTroubles: number
  /** Results are shared through a cache that all machines reach. */
  readonly hasCache: boolean
  /** For whoever replays a seed. */
  readonly log: (line: string, about?: unknown) => void
  readonly counts: {
    lives: number
    crashes: number
    hangs: number
    diskTroubles: number
    /** Processes that were paused and went on. */
    woken: number
    resumed: number
    /** Of people. */
    acts: number
    readonly pids: WeakMap<Life, number>
    readonly doubts: Set<string>
  }
  /** As it is for the process that runs now, or begins next. */
  readonly present: {
    /** The service that the user asks. */
    origin: string
    /** Somebody had a hand in its files while it ran. */
    isMeddledWith: boolean
    /** The user said that what other records know does not count: `--continue none`. */
    startsAnew: boolean
    /** What the plan of the last run said, in words. */
    announced: string
    /** It is about some jobs only. */
    isSelective: boolean
    /** The job that is ordered anew by name, whatever there is of it. */
    redoes: JobAddress | undefined
    /** In the process at work, or the last one. */
    hasDiskFailed: boolean
    /** People do things in this history. */
    hasPeople: boolean
    /** Records were thrown away, or older ones put in their place. */
    hasThrownAway: boolean
    /** The wall clock has been wrong. */
    isClockSet: boolean
    clones: Clones
    /** The lock as a hand has changed it, and as it was. */
    forged: { readonly text: string; readonly before: Buffer } | undefined
    /** The last run ended with 0, and nothing was done since. */
    isComplete: boolean
    /** Somebody picked, accepted or settled something since the other checkout heard of this one. */
    hasDecided: boolean
    /** Another checkout has all that is asked for, and this one has heard of it. */
    hasAll: boolean
    /** Orders that only a state of another lineage knew when the process began. */
    foreign: ReadonlySet<PurchaseId>
    /** Orders in doubt that the process may give up for others: `--resubmit`. */
    resubmitted: ReadonlyMap<PurchaseId, Doubt>
  }
}

/** The two services that there are. */
export const origins = ['https://service.example', 'https://other.example'] as const

/** What a history is about, beyond its seed. */
export interface Staging {
  /** Weakens the machine, to see that it is noticed. */
  readonly breakage?: Breakage
  /**
   * `honoured`: the service answers a second request with the same idempotency key with the first one's run, as long as
   * the key lives. `trusted`: and the profile says so.
   */
  readonly keys?: 'honoured' | 'trusted'
  /** How often the service forgets a run that it accepted; never, when absent. */
  readonly gone?: number
  /** Nobody touches anything: processes, disk and network alone. */
  readonly isUntouched?: boolean
  /** In every history somebody does these things, by how often, and nothing else. */
  readonly acts?: Acts
  /** In so many lives, from 0 to 1, another take of a job is ordered; in few, when absent. */
  readonly redoes?: number
  /** In so many lives, from 0 to 1, what is in doubt is ordered anew by the run itself; in few, when absent. */
  readonly resubmits?: number
  /** In so many lives, from 0 to 1, the disk is full or fails; in few, when absent. */
  readonly diskTroubles?: number
  /** In so many histories, from 0 to 1, there is a cache; in none, when absent. */
  readonly caches?: number
  /** Pictures are asked for in numbers that people change, and fewer may come than were ordered. */
  readonly isCounted?: boolean
  /** Nearly every job is made from another's file, and there are more lives than usual. */
  readonly isChained?: boolean
  /** Jobs ask for the same, and others are made from theirs; no file is lost, and no take is ordered anew. */
  readonly isTwinned?: boolean
  /** Weakens what the plan is told of the records. */
  readonly heeding?: Heeding
  /** Weakens what git is told to make of two locks. */
  readonly merge?: typeof mergeLocks
  readonly log?: (line: string) => void
}

/** What a person does between runs. */
export type Act =
  | 'edit'
  | 'undo'
  | 'swap prompts'
  | 'swap names'
  | 'rename'
  | 'rename all'
  | 'pass names on'
  | 'reorder'
  | 'delete'
  | 'restore'
  | 'check out both'
  | 'check out the manifest'
  | 'check out the lock'
  | 'copy old state'
  | 'delete the state'
  | 'delete the lock'
  | 'delete outputs'
  | 'delete state and lock'
  | 'delete state and outputs'
  | 'delete lock and outputs'
  | 'delete all'
  | 'another service'
  | 'set the clock'
  | 'recount'
  | 'count back'
  | 'settle an order'
  | 'accept'
  | 'pick'
  | 'merge the lock'
  | 'rewrite the lock'
  | 'go to the other clone'
  | 'merge the other clone'

export type Acts = { readonly [act in Act]: number }

/** What of the records the plan heeds, for these jobs. */
type Heeding = (purchases: readonly Purchase[], jobs: readonly Job[]) => readonly Purchase[]

export type Breakage = (machine: Machine) => Machine

export const place = { manifest: '/p/sim.yaml', folder: '/p', root: '/p', stem: 'sim' }
/** Where what the disk of the project does not take goes. */
export const refuge = '/refuge'
/** Of no machine, and reached by all. */
const cacheFolder = '/cache'
export const account: Account = {
  baseUrl: 'https://service.example/gw-v2',
  key: 'key',
  rehearsal: false,
}

const start = Date.UTC(2026, 0, 1)

// Longer than most histories, shorter than some.
const keyLifeMs = 6 * 3_600_000

const trusting: Profile = {
  ...gwV2,
  idempotency: { header: 'Idempotency-Key', honoured: true, ttlMs: keyLifeMs },
}

function forgetting(weather: Weather, gone: number): Weather {
  return { ...weather, runs: { ...weather.runs, gone } }
}

export function openScene(seed: number, staging: Staging): Scene {
  const {
    breakage = machine => machine,
    keys,
    gone = 0,
    isUntouched = false,
    acts,
    redoes = 0.06,
    resubmits = 0.05,
    diskTroubles = 0.15,
    caches = 0,
    isCounted = false,
    isChained = false,
    isTwinned = false,
    heeding = purchases => purchases,
    merge = mergeLocks,
    log,
  } = staging
  const keysLiveMs = keys ? keyLifeMs : 0
  const chance = chanceOf(seed)
  const time = timeline(start)
  const about = isCounted ? 'counted' : isChained ? 'chained' : isTwinned ? 'twinned' : undefined
  const batch = drawBatch(chance, about)
  const disk = medium(time.wall)
  disk.makeFolder(place.folder)
  const layout = layoutOf(place, batch.manifest(), undefined, false)
  return {
    seed,
    chance,
    timeline: time,
    medium: disk,
    service: openService(chance, time.now, keysLiveMs),
    witness: openWitness(time.now, keysLiveMs),
    batch,
    layout,
    folders: stateFolder(layout.state),
    weather: forgetting(isCounted ? short(chance.pick(weathers)) : chance.pick(weathers), gone),
    breakage,
    heeding,
    merge,
    profile: keys === 'trusted' ? trusting : gwV2,
    isUntouched,
    isCounted,
    isChained,
    isTwinned,
    acts,
    redoes,
    resubmits,
    diskTroubles,
    // Nothing is drawn where none is: every other history stays as it is.
    hasCache: caches > 0 && chance.hits(caches),
    log(line, about) {
      // Most histories are told to nobody.
      if (!log) return
      const date = String(time.now() - start).padStart(10)
      log(`${date} ${line} ${about === undefined ? '' : JSON.stringify(about)}`.trimEnd())
    },
    counts: {
      lives: 0,
      crashes: 0,
      hangs: 0,
      diskTroubles: 0,
      woken: 0,
      resumed: 0,
      acts: 0,
      pids: new WeakMap(),
      doubts: new Set(),
    },
    present: {
      origin: origins[0],
      isMeddledWith: false,
      isSelective: false,
      redoes: undefined,
      hasDiskFailed: false,
      startsAnew: false,
      announced: '',
      hasPeople: false,
      hasThrownAway: false,
      isClockSet: false,
      clones: { other: undefined, base: '', known: new Set(), seen: 0 },
      forged: undefined,
      isComplete: false,
      hasDecided: false,
      hasAll: false,
      foreign: new Set(),
      resubmitted: new Map(),
    },
  }
}

/** What a process on this machine works on. */
export function workspaceOf(scene: Scene, machine: Machine): Workspace {
  const { layout, folders, batch, profile, present, hasCache, chance } = scene
  return {
    manifest: batch.manifest(),
    place,
    layout,
    folders,
    warnings: [],
    profile,
    machine,
    ...(hasCache && { cache: openCache({ folder: cacheFolder, disk: machine.disk, random: chance }) }),
    origin: present.origin,
  }
}
