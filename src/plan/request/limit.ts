import type { JobAddress } from '../../base/names.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { isJobStep, type Plan } from '../shapes/step.ts'

/**
 * The jobs of a plan without those that it would buy beyond the first so many. What a job needs counts before the job
 * itself. Undefined when there are not more. Pure.
 */
export function withinLimit({ steps }: Plan, most: number): ReadonlySet<JobAddress> | undefined {
  const jobs = steps.flatMap(step => (isJobStep(step) ? [step.job] : []))
  const bought = steps.flatMap(step => (step.do === 'buy' ? [step.job] : []))
  if (bought.length <= most) return undefined
  const beyond = new Set(needsFirst(bought).slice(most))
  return new Set(jobs.map(({ address }) => address).filter(address => !beyond.has(address)))
}

function needsFirst(bought: readonly Job[]): JobAddress[] {
  const open = new Map(bought.map(job => [job.address, job]))
  const inOrder = new Set<JobAddress>()
  for (const job of bought) {
    // Without recursion: a chain may be as long as the manifest.
    const stack = [job]
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const need = top.needs
        .map(address => open.get(address))
        .find(each => each && !inOrder.has(each.address))
      if (need) stack.push(need)
      else {
        inOrder.add(top.address)
        stack.pop()
      }
    }
  }
  return [...inOrder]
}
