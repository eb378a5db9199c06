import { runId } from '../base/names.ts'
import type { Profile } from '../wire/profile/profile.ts'
import { thisMachine } from '../workspace/machine.ts'
import type { Service } from '../workspace/service/service.ts'
import { inTurn } from '../workspace/service/service-polls.ts'

/** What one harmless question to the service told. */
export type ServiceSeen =
  | { readonly is: 'answers' }
  /** It answers, and does not take the key. */
  | { readonly is: 'unauthorized'; readonly detail: string }
  /** Something answers, and not like the service: `refused`, `bad-reply` and the like. */
  | { readonly is: 'odd'; readonly detail: string }
  | { readonly is: 'unreachable'; readonly detail: string }

const longestMs = 15_000

/**
 * Asks for the result of a run that nobody has: a GET, which costs nothing. A service that says it does not know the run
 * (404) has taken the key; nothing can be learned about paid requests without paying.
 */
export async function askService(
  service: Service,
  profile: Profile,
  stop: AbortSignal = new AbortController().signal,
): Promise<ServiceSeen> {
  const id = runId('genrun-doctor')
  if (!id) throw new Error('the run of the doctor has no good id')
  const wire = thisMachine.connect(service, drop, profile)
  const late = AbortSignal.timeout(longestMs)
  try {
    const workflow = wire.workflow('fama-imagine-image', { prompt: 'x' })
    const asking = inTurn(wire, thisMachine.polls(service), thisMachine.clock)
    const reply = await asking.read({ workflow, id }, AbortSignal.any([stop, late]))
    if (reply.got !== 'trouble') return { is: 'answers' }
    const { failure } = reply
    const detail = 'detail' in failure ? failure.detail : failure.why
    switch (failure.why) {
      case 'unauthorized':
        return { is: 'unauthorized', detail }
      case 'unreachable':
        return { is: 'unreachable', detail: late.aborted ? 'no answer in 15 s' : detail }
      case 'refused':
      case 'not-served':
      case 'busy':
        return { is: 'answers' }
      default:
        return { is: 'odd', detail }
    }
  } catch (cause) {
    return { is: 'unreachable', detail: cause instanceof Error ? cause.message : String(cause) }
  } finally {
    await wire.close()
  }
}

async function drop(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const _ of bytes);
  return ''
}
