import { shellWord } from '../../text/shell-word.ts'
import type { Misused } from '../flags/command.ts'
import type { Given } from '../flags/given.ts'

type Decision = Given<'adopt' | 'resubmit' | 'abandon' | 'allDoubts' | 'before' | 'after'> & {
  readonly manifest: string
  readonly jobs: readonly string[]
}

/** What a line about orders in doubt leaves open: what became of them, and which are meant. */
export function openDecision(args: Decision): Misused | undefined {
  const { manifest, jobs, adopt, resubmit, abandon, allDoubts, before, after } = args
  if (Number(adopt !== undefined) + Number(resubmit) + Number(abandon) !== 1)
    return {
      message: 'say what became of the orders: one of --adopt ID, --resubmit and --abandon',
      hint: `\`genrun status ${shellWord(manifest)}\` tells what is known of them`,
    }
  if (jobs.length === 0 && !allDoubts && before === undefined && after === undefined)
    return { message: 'no job is named', hint: 'name jobs, or give --all-doubts' }
  return undefined
}
