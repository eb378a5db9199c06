import type { Given } from './given.ts'

/** How much is said beside the result. `debug` is `verbose`, and what goes over the wire. */
export type Talk = 'quiet' | 'usual' | 'verbose' | 'debug'

export type TalkArgs = Partial<Given<'debug' | 'verbose' | 'quiet'>>

export function talkOf({ debug, verbose, quiet }: TalkArgs): Talk {
  if (debug) return 'debug'
  return verbose ? 'verbose' : quiet ? 'quiet' : 'usual'
}
