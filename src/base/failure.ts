import { counted } from './measure.ts'
import type { JobAddress, RunId } from './names.ts'

/**
 * Why a job did not end well. `detail` is foreign or system text, shown through `display`.
 * Refusals are definite: the service said no before anything was billed.
 */
export type Failure =
  | { readonly why: 'refused'; readonly status: number; readonly detail: string }
  | { readonly why: 'unauthorized'; readonly status: number; readonly detail: string }
  | { readonly why: 'no-credit'; readonly detail: string }
  /** `unasked`: the profile has no address for it, so that nobody was asked. */
  | {
      readonly why: 'not-served'
      readonly workflow: string
      readonly detail: string
      readonly unasked?: true
    }
  | { readonly why: 'busy'; readonly detail: string }
  /** `certificate`: someone answers there who cannot prove to be the service. */
  | {
      readonly why: 'unreachable'
      readonly origin: string
      readonly detail: string
      readonly certificate?: true
    }
  | { readonly why: 'in-doubt'; readonly detail: string }
  | { readonly why: 'remote'; readonly detail: string }
  | { readonly why: 'rejected-content'; readonly detail: string }
  /** `borne`: the user takes it as it is, or has the rest ordered. */
  | { readonly why: 'short-delivery'; readonly asked: number; readonly got: number; readonly borne?: true }
  /** It came and is kept: another size, length or sound than was asked, or it looks broken. `fails`: the user wants that to count. */
  | { readonly why: 'unlike-asked'; readonly detail: string; readonly fails?: true }
  | { readonly why: 'overdue'; readonly seconds: number }
  | { readonly why: 'bad-reply'; readonly detail: string }
  | { readonly why: 'bad-media'; readonly detail: string }
  | { readonly why: 'undelivered'; readonly detail: string }
  /** The order was taken, and what was ordered cannot be had by its id any more. */
  | { readonly why: 'gone'; readonly run: RunId; readonly detail: string }
  /** `elsewhere`: it was made, and what shares it has not got it. */
  | {
      readonly why: 'unsaved'
      readonly path: string
      readonly detail: string
      readonly elsewhere?: true
      /** Something else has its name. */
      readonly isTaken?: true
    }
  | { readonly why: 'bad-input'; readonly path: string; readonly detail: string }
  | { readonly why: 'needs'; readonly address: JobAddress }
  /** Not sent, because an earlier request of this run showed that it would be in vain; `rule`: or several together. */
  | { readonly why: 'closed'; readonly because: Failure; readonly rule?: StopRule }
  /** Not sent, because a cap of the run does not allow it. `failures`: so many jobs failed, and it may have no more. */
  | { readonly why: 'budget'; readonly detail: string; readonly failures?: number }
  /** Not sent, because a person decided otherwise since it was planned, or nobody can tell. */
  /** `altered`: a hand has altered what lies under the name that the result would have. */
  | { readonly why: 'on-hold'; readonly detail: string; readonly altered?: true }
  /** `isUnanswered`: it was sent, and nobody knows yet whether the service took it. */
  | { readonly why: 'stopped'; readonly isUnanswered?: true }

/** Which rule ended the buying, where it took more than one order; `because` is the last of them. */
export type StopRule =
  | { readonly is: 'useless'; readonly orders: number }
  | { readonly is: 'doubts' }
  | { readonly is: 'alike'; readonly orders: number; readonly workflow: string }

/** What happened, for a person; what to do about it is `hintFor` of `wording/hints.ts`. */
export function failureMessage(failure: Failure): string {
  switch (failure.why) {
    case 'refused':
      return `the service refused the request (${failure.status})${tail(failure.detail)}`
    case 'unauthorized':
      return `the service did not accept the key (${failure.status})${tail(failure.detail)}`
    case 'no-credit':
      return `the account has no credit left (402)${tail(failure.detail)}`
    case 'not-served':
      return failure.unasked
        ? `nobody can be asked for the workflow ${failure.workflow}${tail(failure.detail)}`
        : `the service does not serve the workflow ${failure.workflow} (404)${tail(failure.detail)}`
    case 'busy':
      return `the service stayed busy until the job's deadline${tail(failure.detail)}`
    case 'unreachable':
      return `${failure.origin} could not be reached${tail(failure.detail)}`
    case 'in-doubt':
      return `a paid request was sent and no answer proves what became of it${tail(failure.detail)}`
    case 'remote':
      return `the run failed at the service${tail(failure.detail)}`
    case 'rejected-content':
      return `the service rejected the content${tail(failure.detail)}`
    case 'short-delivery':
      return `${failure.got} of ${failure.asked} files were delivered`
    case 'unlike-asked':
      return `what came is not what was asked${tail(failure.detail)}`
    case 'overdue':
      return `not finished after ${failure.seconds} s`
    case 'bad-reply':
      return `the service's answer could not be understood${tail(failure.detail)}`
    case 'bad-media':
      return `${unusable}${tail(failure.detail)}`
    case 'undelivered':
      return `the result could not be downloaded${tail(failure.detail)}`
    case 'gone':
      return `the service does not know the run ${failure.run} (any more)${tail(failure.detail)}`
    case 'unsaved':
      return failure.elsewhere
        ? `a worker has made it, and its files did not come here${tail(failure.detail)}`
        : `${failure.path} could not be written${tail(failure.detail)}`
    case 'bad-input':
      return `${failure.path} could not be read${tail(failure.detail)}`
    case 'needs':
      return `not started: ${failure.address} did not finish`
    case 'budget':
    case 'on-hold':
      return `not sent: ${failure.detail}`
    case 'closed':
      return `not sent, because ${stopText(failure.rule)}: ${failureMessage(failure.because)}`
    case 'stopped':
      return 'the run was stopped'
  }
}

/**
 * What a service says of a run that has brought a result before, and that it has no more: it does not know it, calls it failed, names no
 * file of it, or will not tell, as to whoever has another key it is another's. From then on `--rebuy` orders anew.
 */
export function isNoMore({ why }: Failure): boolean {
  return noMore.includes(why)
}

const noMore: readonly Failure['why'][] = ['gone', 'refused', 'remote', 'rejected-content', 'bad-reply']

const unusable = 'the delivered file is not usable'

/** Why a file is not usable, without saying that it is not: `it is a TIFF picture, and fama-imagine-image makes image`. */
export function unusableDetail({ message }: { readonly message: string }): string {
  const head = `${unusable}: `
  return message.startsWith(head) ? message.slice(head.length) : message
}

function stopText(rule: StopRule | undefined): string {
  switch (rule?.is) {
    case undefined:
      return 'an earlier request failed'
    case 'useless':
      return `${counted(rule.orders, 'paid order')} in a row brought nothing of use, the last`
    case 'doubts':
      return 'the service left one order after another in doubt, the last'
    case 'alike':
      return `${counted(rule.orders, 'order')} of ${rule.workflow} in a row were refused alike`
  }
}

function tail(detail: string): string {
  return detail === '' ? '' : `: ${detail}`
}
