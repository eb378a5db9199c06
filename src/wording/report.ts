import type { ExitCode } from '../base/exit.ts'
import type { Failure } from '../base/failure.ts'
import type { JobAddress, RunId } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import type { OutputKind } from '../catalog/index.ts'
import type { Event } from '../engine/event.ts'

export type { Event } from '../engine/event.ts'

/** What became of a job, in the user's words. `made`, `kept`, `fetched` and `moved` have their files on disk. */
export type Ending =
  | 'made'
  /** Nothing changed since it was made; no request. */
  | 'kept'
  /** Paid for in an earlier run, its file was missing: got again without paying. */
  | 'fetched'
  /** The same result under another address or file name; no request. */
  | 'moved'
  | 'failed'
  /** Not carried out, waits for a decision: it failed at the service before, or its files are gone. */
  | 'held'
  /** A paid request was sent and no answer proves what became of it. */
  | 'doubt'
  /** Accepted by the service and not finished in this run; the next run goes on without paying. */
  | 'detached'
  /** Not sent: a need failed, the run was stopped, or an earlier refusal made it pointless. */
  | 'skipped'

/** What became of one job. */
export interface JobReport {
  readonly address: JobAddress
  readonly model: string
  readonly kind: OutputKind
  /** Where the job stands in the text. Counted from 1. */
  readonly file: string
  readonly line: number
  readonly ending: Ending
  /** `path` is relative to the output folder. Of one that failed: what came all the same, and is kept. */
  readonly files: readonly SavedFile[]
  /** Why it did not end well, or a flaw of what was delivered. */
  readonly failure?: Failure
  readonly message?: string
  /** What to do next, when there is something certain to say. */
  readonly hint?: string
  /** How its files differ from what is asked for: a person took them for that (`genrun accept`). */
  readonly accepted?: readonly string[]
  readonly run?: RunId
  /** The address that accepted its run, where another one is asked now. */
  readonly elsewhere?: string
  /** From sending to the end in this run. */
  readonly seconds?: number
  /** What its orders cost, where this run sent them or heard of it. */
  readonly spent?: Spending
}

/** What was spent: by the user's prices, and as the service told. */
export interface Spending {
  readonly estimated?: number
  readonly currency?: string
  /** In the service's own credits. */
  readonly credits?: number
}

/** The end of a run. */
export interface Report {
  readonly manifest: string
  readonly name: string
  /** Made by the embedded gateway: nothing was paid, and the files are placeholders. */
  readonly rehearsal: boolean
  /** Absolute. */
  readonly output: string
  /** Absolute. */
  readonly lock: string
  readonly jobs: readonly JobReport[]
  readonly counts: { readonly [ending in Ending]?: number }
  /** Orders in doubt that no job asks for, as `genrun resolve` takes them. */
  readonly doubts?: readonly string[]
  /** Requests of this run that could cost money. */
  readonly paid: number
  /** Requests of any kind, downloads included. */
  readonly requests: number
  /** What the run cost by the user's prices, doubts included, and what the service told in it that its orders cost. */
  readonly cost?: Spending
  readonly seconds: number
  /** What could not be written at the very end, in words: journal, lock or cache. The jobs are told as they are. */
  readonly damage?: string
  /** Why the index in the output folder may not know everything; lock and journal do. */
  readonly unindexed?: string
  /** Why not everything stands in the cache now; the results are here, and the next run goes on with that. */
  readonly unshared?: string
  /** Nothing else was to be done: what was there already was published. */
  readonly published?: true
  readonly exit: ExitCode
}

/** Told once, before anything is sent. */
export interface Planned {
  readonly at: number
  readonly event: 'planned'
  readonly jobs: number
  /** How many jobs each kind of step concerns. */
  readonly steps: {
    readonly buy: number
    readonly keep: number
    readonly resume: number
    readonly fetch: number
    readonly adopt: number
    readonly hold: number
    readonly doubt: number
    /** From the cache. */
    readonly restore?: number
    /** Fetched for nobody, and kept. */
    readonly aside?: number
    readonly drop: number
  }
  /** The jobs that will be carried out, in order, with what they need among themselves. */
  readonly work: readonly {
    readonly address: JobAddress
    readonly model: string
    readonly kind: OutputKind
    readonly needs: readonly JobAddress[]
    /** What ordering it costs by the user's prices; absent where it is not ordered or not known. */
    readonly cost?: number
    /** What it usually takes, by the results of the last day; absent where they do not tell. */
    readonly seconds?: number
  }[]
  /** How long the work takes by the results of the last day; absent where they do not tell it of all of it. */
  readonly expectedSeconds?: number
  /** Of the costs. */
  readonly currency?: string
  readonly output: string
  readonly rehearsal: boolean
  /** Said once, in plain words: what an earlier run left, altered files, dropped entries. */
  readonly remarks: readonly string[]
}

/** Something about the whole run that a person should know at once. */
interface Warned {
  readonly at: number
  readonly event: 'warned'
  readonly message: string
}

/** Everything a view hears: the plan, then what happens. */
export type RunEvent = Planned | Warned | Event

/** Another size or length is told and is for a person to judge, unless the user says otherwise: sizes are often only named. */
export function isFlawed({ failure }: Pick<JobReport, 'failure'>): boolean {
  if (failure?.why === 'short-delivery') return !failure.borne
  return failure !== undefined && (failure.why !== 'unlike-asked' || failure.fails === true)
}

/** How many came to which end. */
export function endingCounts(jobs: readonly Pick<JobReport, 'ending'>[]): Report['counts'] {
  const counts: { [ending in Ending]?: number } = {}
  for (const { ending } of jobs) counts[ending] = (counts[ending] ?? 0) + 1
  return counts
}
