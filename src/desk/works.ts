import type { JobAddress } from '../base/names.ts'
import type { Random } from '../base/random.ts'
import type { RemoteFile } from '../base/state.ts'
import type { Work } from '../engine/world.ts'
import type { Plan, Step } from '../plan/plan.ts'

/** What is at hand when work begins. */
export interface Hands {
  readonly now: number
  readonly random: Random
  /** Where a spooled answer is now; undefined when it is gone. */
  readonly findSpooled: (path: string) => string | undefined
}

/** The steps of a plan that the engine carries out. Keys are minted here: every buy is a generation of its own. */
export function worksOf(plan: Plan, hands: Hands): Work[] {
  return plan.steps.flatMap(step => workOf(step, hands) ?? [])
}

function workOf(step: Step, hands: Hands): Work | undefined {
  const waiting = { tries: 0, notBefore: hands.now }
  switch (step.do) {
    case 'buy':
      return { job: step.job, start: { is: 'ready', ...waiting }, key: hands.random.token() }
    case 'fetch': {
      const start = { is: 'remote', run: step.run, since: hands.now, ...waiting } as const
      return { job: step.job, start, key: '', recipe: step.entry.recipe }
    }
    case 'resume': {
      const { run, recipe, key } = step.memory
      const files = presentFiles(step.memory.files ?? [], hands)
      if (files.length > 0)
        return { job: step.job, start: { is: 'made', files, run, ...waiting }, key, recipe }
      if (run)
        return { job: step.job, start: { is: 'remote', run, since: hands.now, ...waiting }, key, recipe }
      return undefined
    }
    case 'keep':
    case 'adopt':
    case 'restore':
    case 'hold':
    case 'doubt':
    case 'drop':
      return undefined
  }
}

/** All of the files or none: with one of them gone the result has to be read again. */
function presentFiles(files: readonly RemoteFile[], hands: Hands): RemoteFile[] {
  const found = files.map(file => {
    if (file.from === 'link') return file
    const path = hands.findSpooled(file.path)
    return path === undefined ? undefined : { ...file, path }
  })
  return found.every(file => file !== undefined) ? found : []
}

/** Addresses that the engine will carry out. */
export function addressesOf(works: readonly Work[]): Set<JobAddress> {
  return new Set(works.map(work => work.job.address))
}
