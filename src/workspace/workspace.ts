import type { Diagnostic } from '../base/diagnostic.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import type { Purchase } from '../base/purchase.ts'
import type { Shard } from '../base/shard.ts'
import type { PublishTo } from '../bucket/publish.ts'
import type { Budget } from '../engine/gates/budget.ts'
import type { EngineLimits } from '../engine/limits.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetBatch } from '../fleet/planners.ts'
import type { Prices } from '../forms/cost.ts'
import type { OwnGate } from '../looks/own-gate.ts'
import type { Manifest } from '../manifest/shapes/job.ts'
import type { Caps } from '../plan/budget.ts'
import type { ShardWork } from '../plan/division/shards.ts'
import type { HeededPick } from '../plan/picks.ts'
import type { Selection } from '../plan/request/select.ts'
import type { Choices } from '../plan/shapes/step.ts'
import type { Cache, CacheOptions } from '../store/cache/cache.ts'
import type { StateFolder } from '../store/files/state-folder.ts'
import type { Ages, Delivered } from '../store/journal/ages.ts'
import type { Redoing } from '../store/journal/journal.ts'
import type { Lock, Locked } from '../store/lock/lock.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import type { Profile } from '../wire/profile/profile.ts'
import type { RunEvent } from '../wording/report.ts'
import type { ManyAgain, PlanExpectation } from './expectation.ts'
import type { Layout } from './layout.ts'
import type { Machine } from './machine.ts'
import type { CheckOptions } from './read/check.ts'
import type { Notes } from './read/notes.ts'
import type { ProjectPlace } from './read/place.ts'
import type { SpokenServices } from './service/named.ts'
import type { Service } from './service/service.ts'
import type { Verify } from './verifies.ts'

/** What the user wants of a plan beyond the manifest, whether it is then carried out or not. */
export interface PlanOptions extends CheckOptions {
  readonly choices?: Pick<Choices, 'failed' | 'rebuy' | 'resubmit'>
  /** Only these jobs, with what they need. */
  readonly select?: Selection
  /** What is selected is ordered again although nothing changed. */
  readonly redo?: boolean
  /** What is selected keeps its files although its recipe changed. */
  readonly accept?: boolean
  readonly caps?: Caps
  /** The folder in which a manifest that names no output folder has one of its own; `out` beside it otherwise. */
  readonly outputs?: string
  /** More paid results than this are bought anew only with `yes`. */
  readonly rebuyGuard?: number | undefined
  /** The lock of the manifest under its former name, relative to `cwd`; `none`: nothing that was bought before counts. */
  readonly continues?: string
  /** Only what falls to this shard, with a lock and a state of its own. */
  readonly shard?: Shard
  /**
   * What it means that something looks broken in what came (`looks/judge.ts`); nothing is looked at when absent. With `off` nothing is
   * ordered or held because of what was found before.
   */
  readonly gate?: Verify
  /** How many paid requests and live runs at a time; the manifest's and genrun's own limits are not exceeded. */
  readonly limits?: {
    readonly [key in Exclude<keyof EngineLimits, 'download'>]?: EngineLimits[key] | undefined
  }
}

/** One run of a manifest. Paths are relative to `cwd`. */
export interface RunRequest extends PlanOptions {
  readonly manifest: string
  readonly cwd: string
  readonly service: Service
  /** Another output folder than the manifest's. */
  readonly output?: string
  /** The file with the prices; costs are not known without one. */
  readonly prices?: string
  readonly cache?: CacheOptions
  /** Where results are published; a rehearsal's are not. */
  readonly publish?: PublishTo
  /** What a saved plan comes to: another one is not carried out. */
  readonly expect?: PlanExpectation
  /** What several runs may spend together; one of its own by `caps` when it is absent. */
  readonly budget?: Budget
  /** Many results may be bought anew because of one edit. */
  readonly yes?: boolean
  /** Asks a person for that word; without it, or with false, nothing is bought. */
  readonly confirm?: (many: ManyAgain) => Promise<boolean>
  /** Asks a person whether the manifest is one that was renamed; without it, or with false, nothing is bought. */
  readonly confirmFormer?: (former: FormerName) => Promise<boolean>
  /** The file with the service's profile; the built-in one when there is none. */
  readonly profile?: string
  /** What a difference between what came and what was asked means; `warn` when absent. */
  readonly verify?: Verify
  /** Looks of the person's own. */
  readonly gates?: readonly OwnGate[]
  /** Takes the claim over, whoever holds it: for a machine that is gone, or a process that hangs. */
  readonly takeClaim?: boolean
  /** Which genrun this is, to the very build: with it a run that finds nothing to do is remembered for `findUpToDate`. */
  readonly tool?: string | undefined
  /** It is one of `generate`, and `manifest` its lock. */
  readonly isOfCalls?: true
  readonly emit: (told: RunEvent) => void
  /** What is bought is made by its workers; here it is planned, followed and written down. */
  readonly fleet?: Fleet
  /** Where a fleet's store is, which is asked whether a run without one would buy beside it: an address with a password in it. */
  readonly store?: string
  /** Aborted at the first stop signal: nothing more is bought and everything stays resumable. */
  readonly stop: AbortSignal
}

/** A lock that seems to be the manifest's own, from before it was renamed. */
export interface FormerName {
  /** The lock's file, as seen from the folder of work. */
  readonly lock: string
  /** The name of the manifest that the lock names. */
  readonly manifest: string
  /** The name that it has now. */
  readonly now: string
  /** So many purchases are known by it. */
  readonly purchases: number
  /** The lock is not there: the journal that belonged to it knows them. */
  readonly isJournal?: true
  /** The manifest's own lock is there, of the same lineage, and all that goes with it has the other name. */
  readonly isTwin?: true
}

/** What a plan is about. */
export interface Workspace {
  readonly manifest: Manifest
  readonly place: ProjectPlace
  readonly layout: Layout
  readonly folders: StateFolder
  readonly warnings: readonly Diagnostic[]
  readonly machine: Machine
  readonly profile: Profile
  readonly prices?: Prices
  readonly cache?: Cache
  /** Of the service that is asked for runs; absent where none is known. */
  readonly origin?: string
  /** Those that jobs name; absent in a rehearsal, and where none can be named. */
  readonly services?: SpokenServices
  /** Absent: all of the manifest. */
  readonly shard?: ShardWork
}

/** What a run is about, fixed before it begins. */
export interface Setting extends Workspace {
  readonly request: RunRequest
  /** What may be spent, the lowest of all that say so. */
  readonly caps?: Caps
  /** Of a run with a fleet: what it plans for that. */
  readonly batch?: FleetBatch
  /** Why nothing may be ordered now: a plan that buys is refused for it, any other is carried out. */
  readonly unbuyable?: Diagnostic
  /** Said before anything is sent, beside what the plan has to say. */
  readonly remarks?: readonly string[]
  /** Of all that was looked at, for a run that is to be remembered when it finds nothing to do. */
  readonly notes?: Notes
}

interface Rescued {
  /** Absolute. */
  readonly file: string
  /** What nothing else tells of. */
  readonly purchases: readonly Locked[]
  /** False: of another lineage than the lock that is there; nothing of it is used. */
  readonly isOurs: boolean
}

/** What earlier runs left: the lock, and what is known from lock and journal. */
export interface Recorded {
  readonly lock: Lock
  /** As it stands on disk; undefined when there is none. */
  readonly lockText: string | undefined
  /** All that is known, in the order in which it was bought. */
  readonly purchases: readonly Purchase[]
  /** When each was ordered, in milliseconds since 1970, where this machine's journal knows that. No lock tells it. */
  readonly orderedAt: ReadonlyMap<PurchaseId, number>
  /** Of the purchases, what the journal does not know, or not as it stands. */
  readonly unwritten: ReadonlySet<PurchaseId>
  /** Of the purchases, what the lock tells: the journal has to hear of it, or it is forgotten when the lock is lost. */
  readonly untold: readonly Purchase[]
  /** Files in which processes that were overtaken, or whose disk was full, left what is among all that. */
  readonly overtaken: readonly string[]
  /** Locks that could not be written to their place and lie outside the project, where they tell something new. */
  readonly rescued: readonly Rescued[]
  /** Of another checkout of the lock, as it seems: known here, and not put into this one before a run has something to do. */
  readonly hidden: ReadonlySet<PurchaseId>
  /** Of a shard: what the whole or another shard has. It is counted on, and stands in their records until something becomes of it here. */
  readonly foreign?: ReadonlySet<PurchaseId>
  /** Picks that were asked for on a page, and that `purchases` do not have yet. */
  readonly picks?: readonly HeededPick[]
  /** The same of results that are not among `purchases`: the cache may bring them. */
  readonly unmet?: readonly WaitingPick[]
  /** Not ordered because the buying ended, as far as the journal tells. */
  readonly skipped: ReadonlySet<JobAddress>
  /** What was begun by `redo`, as the journal has it. */
  readonly redoing?: readonly Redoing[]
  /** Where results of earlier runs went, absolute, as far as the journal tells. */
  readonly outputs?: readonly string[]
  /** Whether the journal's dates tell how old an order is. */
  readonly ages: Ages
  /** What was delivered within a day before the journal's last record. */
  readonly delivered: readonly Delivered[]
}
