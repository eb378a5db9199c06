import type { HolderSeen } from '../../store/claim/claim.ts'

/** Another genrun is at work on this manifest. Exit 5. */
export interface Busy {
  readonly got: 'busy'
  readonly message: string
  readonly hint: string
}

export function busy(holder: HolderSeen): Busy {
  if (holder.is === 'unknown') {
    return {
      got: 'busy',
      message: `the claim ${holder.path} cannot be read`,
      hint: 'make sure that no genrun is at work on this manifest, then run with --take-claim',
    }
  }
  const since = new Date(holder.since).toISOString()
  const who = `process ${holder.pid} on ${holder.host}, since ${since}`
  const hint =
    holder.is === 'alive'
      ? 'wait for it, or stop it'
      : 'that machine cannot be seen from here: make sure that it is not at work, then run with --take-claim'
  return { got: 'busy', message: `another genrun is at work on this manifest: ${who}`, hint }
}
