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
      hint: 'make sure that no genrun is at work on this manifest, then run with --take-claim; where that says the same, remove that file',
    }
  }
  const who = whoText(holder)
  const hint =
    holder.is === 'alive'
      ? 'wait for it, or stop it'
      : 'that machine cannot be seen from here: make sure that it is not at work, then run with --take-claim'
  return { got: 'busy', message: `another genrun is at work on this manifest: ${who}`, hint }
}

/** What is told to a person who took a claim over: whoever is at work stops, and what it has sent may still be on its way. */
export function takenOverText(holder: HolderSeen): string {
  if (holder.is === 'unknown') return `the claim ${holder.path}, which cannot be read, was taken over`
  const then =
    holder.is === 'alive'
      ? 'it is still there, and stops at its next look, before it orders anything more'
      : 'should it still be at work there, it stops at its next look, before it orders anything more'
  return `taken over from the genrun that was at work on this manifest (${whoText(holder)}): ${then}`
}

function whoText({ pid, host, since }: Exclude<HolderSeen, { readonly is: 'unknown' }>): string {
  return `process ${pid} on ${host}, since ${new Date(since).toISOString()}`
}
