import type { JobAddress, PurchaseId } from '../../base/names.ts'
import type { DonePurchase, DoubtfulPurchase, Purchase, RunningPurchase } from '../../base/purchase.ts'
import type { Recipe, RunRef, SavedFile } from '../../base/state.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import type { Reason } from './reasons.ts'
import type { Change } from './recipe.ts'
import type { ShortBy } from './share.ts'

/** What the user asked for beyond the manifest. */
export interface Choices {
  /** Order again what failed at the service. */
  readonly failed?: boolean
  /** Buy again what is locked, gone from disk and cannot be fetched. */
  readonly rebuy?: boolean
  /** Order anew what is in doubt, which may be paid for a second time. */
  readonly resubmit?: boolean
  /** What is in doubt and was ordered in another number, by the job that is ordered in its place, whatever its name was then. */
  readonly instead?: ReadonlyMap<JobAddress, readonly DoubtfulPurchase[]>
  /** Ordered again although nothing changed. */
  readonly redo?: ReadonlySet<JobAddress>
  /** They are ordered by the manifest's own `retakes`, and not by a person's `redo`. */
  readonly isRetake?: true
  /** What was made is kept although the recipe changed, and counts as made from the new one. */
  readonly accept?: ReadonlySet<JobAddress>
  /** Takes beyond those that the manifest asks for: kept as they are, and never bought for a change. */
  readonly further?: ReadonlySet<JobAddress>
  /** What is carried out; the rest is left as it is. Everything, when absent. */
  readonly only?: ReadonlySet<JobAddress>
  /** What no job asks for is dealt with all the same: somebody limited what is bought, and selected nothing. */
  readonly isLimitOnly?: true
}

/** An order in doubt that another is sent in the place of. */
export interface GivenUp {
  readonly doubt: DoubtfulPurchase
  /** It asked for something else: whoever asks for that again is held. */
  readonly isOther?: true
}

/** What is done about one job, or about an entry that has no job any more. */
export type Step =
  | {
      readonly do: 'buy'
      readonly job: Job
      readonly because: readonly Reason[]
      /** There is a paid result already, or one under way, and another is bought. */
      readonly again?: true
      /** Other records know that this very thing is paid for, or may be: it is not bought without a word. */
      readonly elsewhere?: Purchase
      /** A run that was paid for before, which is asked once more first: that is free. */
      readonly ask?: {
        readonly purchase: PurchaseId
        readonly recipe: Recipe
        readonly run: RunRef
        /** The service has said of it that it failed. */
        readonly hasFailed?: true
        /** Only where what is made anew before the job comes out as it was: else another result is wanted than that run’s. */
        readonly isIfSame?: true
      }
      /** `redo` orders it, and an order before it failed and may have been billed. */
      readonly afterFailed?: true
      /** An order of this take that came to nothing, and that a person wants anew, whatever the manifest asks for. */
      readonly renews?: Purchase
      /** What the job has: it stays, and nothing is paid, if what is made anew before it comes out as it was. */
      readonly standing?: DonePurchase
      /** Orders of the job in doubt that a person gives up for it: once it is sent, and in doubt until then. */
      readonly insteadOf?: readonly GivenUp[]
    }
  | {
      readonly do: 'resume'
      readonly job: Job
      readonly purchase: RunningPurchase
      /** The job that it was ordered for, where that is another. */
      readonly from?: JobAddress
      /** Nobody asks for another of the same: were this one to fail, that counts before anything is ordered, also in doubt. */
      readonly hasSpare?: true
      /** A person takes what comes of it for what the job asks for now. */
      readonly accepted?: readonly Reason[]
    }
  | {
      readonly do: 'fetch'
      readonly job: Job
      readonly entry: DonePurchase
      readonly run: RunRef
      readonly missing: readonly string[]
      /** Nobody asks for what is missing: where the service does not have it any more, that is the end of it. */
      readonly isNobodys?: true
      /** Its job has other takes: the manifest asks for this one, whichever is picked. */
      readonly isAmongTakes?: true
    }
  | {
      readonly do: 'keep'
      readonly job: Job
      readonly entry: DonePurchase
      readonly altered?: readonly string[]
      /** Defaults that the catalog changed since: told, never a reason to buy. */
      readonly outdated?: readonly Change[]
      /** How it differs from what is asked for: a person took it for that. */
      readonly accepted?: readonly Reason[]
      /** All takes of its job fail their looks, none more is ordered, and no person has decided. */
      readonly waits?: Hold & { readonly why: 'unapproved' }
      /** Fewer files came than were ordered, and nothing brings the others. */
      readonly short?: ShortBy
    }
  /**
   * A result that is there already is what the job asks for: under another address or other file names (it is moved), or
   * because the user accepts it for a changed recipe. `entry` is as it is to be, but for address and names.
   */
  | {
      readonly do: 'adopt'
      readonly job: Job
      readonly entry: DonePurchase
      readonly from: JobAddress
      /** Files that a hand has altered: they move as they are. */
      readonly altered?: readonly string[]
      readonly accepted?: readonly Reason[]
      /** Where they lie once it is done: a pick may have given them yet other names. */
      readonly placed?: readonly SavedFile[]
    }
  /**
   * The cache has it. `entry` names the files as the cache does; they get their places when they are brought. `lost`: the very result
   * whose files are gone, as it is recorded.
   */
  | { readonly do: 'restore'; readonly job: Job; readonly entry: DonePurchase; readonly lost?: DonePurchase }
  /** `renews`: as of an order that is not held. */
  | { readonly do: 'hold'; readonly job: Job; readonly because: Hold; readonly renews?: Purchase }
  /** `isOther`: the job asks for something else by now. */
  | { readonly do: 'doubt'; readonly job: Job; readonly purchase: DoubtfulPurchase; readonly isOther?: true }
  /** Paid for, and nobody asks for it any more: it is fetched, which is free, and kept for the day that something does. */
  | {
      readonly do: 'aside'
      readonly address: JobAddress
      readonly purchase: RunningPurchase
      /** Its run is at another service than the one that is asked now: it stays there. */
      readonly elsewhere?: string
    }
  | {
      readonly do: 'drop'
      readonly address: JobAddress
      readonly purchase: Purchase
      /** A take of a job that asks for something else by now: it is kept, aside where another gets its name, and comes back when that is undone. */
      readonly isFormer?: true
      /** In doubt, and what its job asks for, which has another order: as one that `--rebuy` sent beside the lost result. */
      readonly isBeside?: true
    }

/** What is done about a job, and not about a purchase that has none. */
export type JobStep = Extract<Step, { job: Job }>

export function isJobStep(step: Step): step is JobStep {
  return 'job' in step
}

/** Why a job is not carried out although it is not done. */
export type Hold =
  /**
   * `isGone`: the service did not know its run any more. `files`: what came of it and is no result. `lost`: those of them
   * that are gone or altered, by their paths, so that nobody can take it for a result.
   */
  | {
      readonly why: 'failed-before'
      readonly purchase: PurchaseId
      readonly message: string
      readonly isGone?: true
      readonly files?: readonly SavedFile[]
      readonly lost?: readonly string[]
    }
  /** `isNobodys`: of a take that nobody asks for, and nobody chose. */
  | { readonly why: 'files-gone'; readonly paths: readonly string[]; readonly isNobodys?: true }
  /** Its run is at another service than the one that is asked now. */
  | { readonly why: 'other-service'; readonly run: RunRef; readonly origin: string }
  /** Another genrun sent it, and waits for the answer. */
  | { readonly why: 'at-work' }
  | { readonly why: 'needs'; readonly address: JobAddress }
  /** It is made from a file that was delivered short: the job that should have made it has only so many. */
  | { readonly why: 'no-file'; readonly address: JobAddress; readonly nth: number; readonly files: number }
  /** It is made from a file that somebody took although it is no media: that cannot be sent. */
  | { readonly why: 'odd-file'; readonly address: JobAddress; readonly path: string }
  /** It is made from a result whose file is not what was made any more: whoever buys from that buys anew with every change of it. */
  | { readonly why: 'altered-file'; readonly address: JobAddress; readonly path: string }
  /** It is made from a take that somebody has to pick first. */
  | { readonly why: 'unpicked'; readonly address: JobAddress }
  /** It needs a result that somebody has to approve first. `but`: what speaks against the verdict that there is; `remedy`: what to do about that. */
  | {
      readonly why: 'unapproved'
      readonly address: JobAddress
      readonly but?: string
      readonly remedy?: string
      /** It was approved, and is not what was seen any more: no verdict is taken of it. */
      readonly isAltered?: true
      /** Nobody has to approve it but because it fails its looks, and was ordered anew in vain. */
      readonly isBroken?: true
    }
  /**
   * Never in a plan: while the run was at work a person chose another take than the one that it was to be made from, or, of a take that its
   * job ordered anew, any. `but`: why nobody can tell; `remedy`: what to do about that.
   */
  | {
      readonly why: 'chosen-since'
      readonly address: JobAddress
      readonly isRetake?: true
      readonly but?: string
      readonly remedy?: string
    }
  /** Never in a plan: stands for what the user did not select while the rest is decided. */
  | { readonly why: 'not-selected' }

/** Steps in an order where needs come first; `aside` and `drop` last. `buys` is the number of paid requests of a clean run. */
export interface Plan {
  readonly steps: readonly Step[]
  readonly buys: number
  /** What is owed, and nothing is done about, as it was not selected; absent where that is nothing. */
  readonly unselected?: { readonly doubts: number; readonly running: number }
}

/** The job that the purchase of a step was for, as far as that is known of what is there, on its way or in doubt. */
export function formerAddress(step: Step): JobAddress | undefined {
  if (step.do === 'doubt') return step.purchase.address
  if (step.do === 'fetch') return step.entry.address
  if (step.do === 'restore') return step.lost?.address
  return step.do === 'adopt' || step.do === 'resume' ? step.from : undefined
}
