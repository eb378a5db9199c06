import type { Failure } from '../../base/failure.ts'
import type { Ending } from './report.ts'

/** What to do about a failure, only where that is certain. */
export function hintFor(failure: Failure, ending: Ending): string | undefined {
  switch (failure.why) {
    case 'unauthorized':
      return 'check GENRUN_API_KEY; nothing was billed'
    case 'no-credit':
      return 'add credit to the account, then run again: what is done is kept'
    case 'not-served':
      return 'check the base address and that this service serves the model'
    case 'refused':
      return 'change the job and run again; nothing was billed'
    case 'busy':
      return 'run again later; nothing was billed'
    case 'unreachable':
      return wayHint(failure)
    case 'in-doubt':
      return 'it is not sent again by itself; look for it at the service, then `genrun resolve` settles it'
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
      return ending === 'detached'
        ? 'it is paid for: make room or mend the permissions, then run again'
        : 'mend the disk, then run again'
    case 'bad-input':
      return 'mend the input, then run again; nothing was sent'
    case 'stopped':
      return ending === 'detached' ? 'run again to go on without paying' : 'run again to go on'
    case 'budget':
      return 'run again with more to spend: what is done is kept'
    case 'needs':
    case 'closed':
      return undefined
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
