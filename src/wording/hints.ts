import { type Failure, isNoMore, type StopRule } from '../base/failure.ts'
import { listed } from '../base/nearest.ts'
import { type AtWork, commandOn } from './command.ts'
import type { JobReport } from './report.ts'

/**
 * What was made before and was to be fetched again: what the job asks for, one of several takes that the manifest asks for, or only what
 * nobody asks for any more.
 */
export interface Fetched {
  readonly fetched?: 'asked' | 'among takes' | 'unasked'
}

/** What to do about a failure in a run of a manifest, only where that is certain. */
export function hintFor(
  failure: Failure,
  { ending, address, fetched }: Pick<JobReport, 'ending' | 'address'> & Fetched,
  atWork: AtWork,
): string | undefined {
  // The order was taken: what went wrong since, with asking for it or fetching it, says nothing about the bill.
  if (ending === 'detached') return paidHint(failure, atWork)
  // What was made once and is gone is not among what failed.
  if (fetched !== undefined && isNoMore(failure))
    return `its files are gone and the service does not have them any more: ${lossText(fetched)}`
  if (failure.why === 'gone') return goneHint(address, atWork)
  if (failure.why !== 'in-doubt') return (atWork.redo && redoHint(failure)) || plainHint(failure)
  return `it is not sent again by itself; \`${commandOn(atWork, 'status')}\` tells what is known and how to settle it`
}

function lossText(fetched: NonNullable<Fetched['fetched']>): string {
  switch (fetched) {
    case 'asked':
      return 'put them back, or pay again with --rebuy'
    case 'among takes':
      return 'the manifest asks for this take, whichever is picked: put them back, or pay again with --rebuy'
    case 'unasked':
      return 'nobody asks for them, and the next run does without'
  }
}

/** What no other run orders. */
function redoHint({ why }: Failure): string | undefined {
  if (why === 'budget') return 'give the same `redo` again with a wider limit: it orders nothing twice'
  return why === 'stopped' ? 'give the same `redo` again: it orders nothing twice' : undefined
}

/** The ways out for a job whose run the service does not know: neither is taken without the user. */
export function goneHint(address: string, atWork: AtWork): string {
  const adopt = commandOn(atWork, 'resolve', address, '--adopt', 'ID')
  return `it may have been billed: --rebuy asks for it once more and then orders it anew; \`${adopt}\` names another run`
}

/** The ways out for a job that got fewer files than were ordered. */
export function shortHint(address: string, atWork: AtWork): string {
  const accept = commandOn(atWork, 'accept', address)
  return `what came is kept; --failed orders the rest, and \`${accept}\` takes it as it is (\`shortDelivery\` in the job decides it for good)`
}

/** Of what came and is no result. */
export const unusualHint =
  'what came is paid for and kept: `accept` takes it as it is, --failed orders it once more'

/** The same, where somebody removed or altered it. */
export function lostHint(lost: readonly string[]): string {
  const them = lost.length === 1 ? 'it' : 'them'
  return `what came is gone or altered (${listed(lost)}): put ${them} back for \`accept\`, or order it once more with --failed`
}

/** Of a result whose file is another by now. */
export const alteredHint =
  'put back the file that was made, or move this one away: the next run gets that one again, without paying where the service or a cache has it'

/** Of a job that would be made from such a file. */
export const alteredInputHint =
  'put back the file that was made, or give this one a name of its own in the project, and name it in the manifest'

/** Of a job whose earlier result was altered, and that would be made anew. */
const alteredPlaceHint =
  'put back the file that was made, or move this one away, then run again; nothing was sent'

/** Of an order that is paid for and not fetched. */
function paidHint(failure: Failure, atWork: AtWork): string {
  switch (failure.why) {
    case 'stopped':
      if (failure.isUnanswered)
        return 'it was sent, and whether it is paid for is not known yet: the same command waits for the answer, and sends nothing beside it'
      // Not the command in full: with fewer words than were given it would order more than was meant.
      return `it is paid for: the same command goes on with it and pays nothing for it${atWork.redo ? '; so does a run, which orders no other take' : ''}`
    case 'unsaved':
      if (failure.elsewhere)
        return 'it is paid for: workers and this run have to name the same cache (--cache, GENRUN_CACHE); then run again'
      if (failure.isTaken)
        return `it is paid for: move ${failure.path} away and run again, while the service still has the result`
      return 'it is paid for: make room or mend the permissions, then run again'
    case 'unauthorized':
      return 'it is paid for: check GENRUN_API_KEY, then run again to fetch it'
    case 'refused':
    case 'not-served':
      if (failure.why === 'not-served' && failure.unasked)
        return `it is paid for: mend the profile and run again, or \`${commandOn(atWork, 'resolve')}\` names the run as it can be asked for`
      return `if the service knows the run by another id, or not at all, \`${commandOn(atWork, 'resolve')}\` settles it`
    default:
      return `it is paid for and its id is kept: run again to fetch it without paying; \`${commandOn(atWork, 'status')}\` tells how to give it up, should it never come`
  }
}

/** The advice that does not depend on what was run, about an order that was not taken. */
export function plainHint(failure: Exclude<Failure, { why: 'in-doubt' | 'gone' }>): string | undefined {
  switch (failure.why) {
    case 'unauthorized':
      return 'check GENRUN_API_KEY; nothing was billed'
    case 'no-credit':
      return 'add credit to the account, then run again: what is done is kept'
    case 'not-served':
      if (failure.unasked) return 'mend the profile; nothing was sent'
      return 'check the base address and that this service serves the model'
    case 'refused':
      return 'change the job and run again; nothing was billed'
    case 'busy':
      return 'run again later; nothing was billed'
    case 'unreachable':
      return wayHint(failure)
    case 'remote':
    case 'bad-media':
    case 'bad-reply':
      return 'it may have been billed, so it is not ordered again by itself: use --failed for that'
    case 'rejected-content':
      return 'change the prompt or the inputs; the same request would be rejected again'
    case 'short-delivery':
    case 'unlike-asked':
      return 'what came is kept'
    case 'overdue':
    case 'undelivered':
      return 'it is paid for: run again to fetch it without paying'
    case 'unsaved':
      return 'mend the disk, then run again'
    case 'bad-input':
      return 'mend the input, then run again; nothing was sent'
    case 'stopped':
      return 'run again to go on'
    case 'on-hold':
      return failure.altered ? alteredPlaceHint : 'run again to go on'
    case 'budget':
      return 'run again with a wider limit: what is done is kept'
    case 'closed':
      return failure.rule && stopHint(failure.rule)
    case 'needs':
      return undefined
  }
}

/** What to do when several orders together ended the buying; about a single one the job that it was of says it. */
function stopHint(rule: StopRule): string {
  const rules = '`genrun explain closed` tells the rules'
  switch (rule.is) {
    case 'useless':
      return `run again when the service works: what is paid for is kept; --max-useless bears more in a row, and ${rules}`
    case 'doubts':
      return `run again when the service works: what is in doubt is not sent again by itself; ${rules}`
    case 'alike':
      return `change what they have in common and run again; a refusal costs nothing, and ${rules}`
  }
}

function wayHint({ detail, certificate }: Failure & { why: 'unreachable' }): string {
  if (certificate)
    return 'if that is your service, name the authority that vouches for it with --ca or GENRUN_CA; nothing was sent'
  // As `openTunnel` words it.
  if (detail.startsWith('the proxy '))
    return 'check HTTPS_PROXY, or list the host in NO_PROXY, then run again; nothing was sent'
  return 'check GENRUN_BASE_URL and the network, then run again; nothing was sent'
}
