import { anySignal } from '../base/any-signal.ts'
import { type RunId, runId } from '../base/names.ts'
import type { RunRef } from '../base/state.ts'
import { createWire } from '../wire/client.ts'
import type { Peeked } from '../wire/peek.ts'
import type { Profile } from '../wire/profile/profile.ts'
import { thisMachine } from '../workspace/machine.ts'
import type { Service } from '../workspace/service/service.ts'
import { takeTurn } from '../workspace/service/service-polls.ts'

/** What a few harmless questions to the service told. */
export type ServiceSeen =
  /** It does as only the service does: it knows this key from another, and its results from nothing. */
  | { readonly is: 'answers' }
  /** It answers, and does not take the key. */
  | { readonly is: 'unauthorized'; readonly detail: string }
  /** Something answers, and whether it is the service cannot be told without paying. */
  | { readonly is: 'unclear'; readonly detail: string }
  /** Something answers, and not like the service. */
  | { readonly is: 'odd'; readonly detail: string }
  | { readonly is: 'unreachable'; readonly detail: string }

const longestMs = 15_000

/** Nobody's. The service that takes it takes every key, or looks at none. */
const wrongKey = 'genrun-doctor-asks-whether-a-wrong-key-is-refused'

/**
 * Asks for the result of a run that nobody has: a GET, which costs nothing. That alone proves little, as any web server
 * says 404 to it: so it is asked with a wrong key, too, and for a path that is none. Nothing can be learned about paid
 * requests without paying.
 */
export async function askService(
  service: Service,
  profile: Profile,
  stop: AbortSignal = new AbortController().signal,
): Promise<ServiceSeen> {
  if (!profile.endpoints.result)
    return { is: 'unclear', detail: 'its profile names no address that can be asked for nothing' }
  const late = AbortSignal.timeout(longestMs)
  const signal = anySignal([stop, late])
  const own = wireWith(service.key)
  const wrong = wireWith(wrongKey)
  const polls = thisMachine.polls(service)
  try {
    const run: RunRef = { workflow: own.workflow('fama-imagine-image', { prompt: 'x' }), id: nobodys() }
    const first = await inTurn(() => own.peek(run, signal))
    const seen = seenAtOnce(first, late.aborted)
    if (seen) return seen
    const refused = await inTurn(() => wrong.peek(run, signal))
    const nowhere = await inTurn(() => own.peek('nowhere', signal))
    return judge(first, refused, nowhere)
  } catch (cause) {
    return { is: 'unreachable', detail: cause instanceof Error ? cause.message : String(cause) }
  } finally {
    await Promise.all([own.close(), wrong.close()])
  }

  function wireWith(key: string) {
    return createWire({ ...service, key, profile, spool: drop, clock: thisMachine.clock })
  }

  function inTurn(ask: () => Promise<Peeked>): Promise<Peeked> {
    return takeTurn(polls, thisMachine.clock, { ask, how: howAnswered, signal })
  }
}

function nobodys(): RunId {
  const id = runId('genrun-doctor')
  if (!id) throw new Error('the run of the doctor has no good id')
  return id
}

function howAnswered(peeked: Peeked): 'well' | 'busy' | 'not' {
  if (peeked.got === 'nothing') return 'not'
  return isBusy(peeked.status) ? 'busy' : 'well'
}

/** What the first answer tells by itself. */
function seenAtOnce(own: Peeked, isLate: boolean): ServiceSeen | undefined {
  if (own.got === 'nothing')
    return { is: 'unreachable', detail: isLate ? `no answer in ${longestMs / 1000} s` : own.detail }
  const { status, words } = own
  if (isDenial(status)) return { is: 'unauthorized', detail: words || `status ${status}` }
  if (isBusy(status)) return { is: 'unclear', detail: `it is busy (${answerText(own)})` }
  if (status >= 500 || (status >= 300 && status < 400)) return { is: 'odd', detail: answerText(own) }
  if (status < 300 && own.is === 'text')
    return { is: 'odd', detail: `its answer is not JSON (${answerText(own)})` }
  return undefined
}

/**
 * Whether answers are those of the service: `own` to a question with the key, `wrong` to the same with a wrong one,
 * `nowhere` to a path that is none.
 */
function judge(own: Peeked, wrong: Peeked, nowhere: Peeked): ServiceSeen {
  if (own.got === 'nothing') return { is: 'unreachable', detail: own.detail }
  if (wrong.got === 'nothing') return { is: 'unclear', detail: `a wrong key got no answer: ${wrong.detail}` }
  if (!isDenial(wrong.status)) {
    const isSame = wrong.status === own.status
    const second = isSame ? 'the same to a wrong key' : `${answerText(wrong)} to a wrong key`
    return { is: 'unclear', detail: `it answers ${answerText(own)} to the key, and ${second}` }
  }
  if (own.is !== 'json' && own.is !== 'empty')
    return {
      is: 'unclear',
      detail: `it refuses a wrong key, and its answer is not JSON (${answerText(own)})`,
    }
  const isNothing = nowhere.got === 'answer' && nowhere.status === own.status && nowhere.shape === own.shape
  if (isNothing)
    return {
      is: 'unclear',
      detail: `it refuses a wrong key, and answers ${answerText(own)} to every path, as where there is nothing`,
    }
  return { is: 'answers' }
}

function isDenial(status: number): boolean {
  return status === 401 || status === 403
}

function isBusy(status: number): boolean {
  return status === 429 || status === 503
}

/** `404, no such run`, `404 and a page`. */
function answerText({ status, is, words }: Peeked & { got: 'answer' }): string {
  if (words !== '') return `${status}, ${words}`
  return is === 'text' ? `${status} and a page` : `${status}`
}

async function drop(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const _ of bytes);
  return ''
}
