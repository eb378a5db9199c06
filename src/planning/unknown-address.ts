import { nearest, offered } from '../base/nearest.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { settingProblem } from './obstacles.ts'

/** An address that no job has, in the form of a problem. */
export function unknownAddress(address: string, jobs: readonly Pick<Job, 'address'>[]) {
  const [, job, take] = /^(.*)#(\d+)$/.exec(address) ?? []
  const takes = jobs.map(each => each.address).filter(each => each.replace(/#\d+$/, '') === job)
  const isTakeOnly = takes.length > 0
  const message = isTakeOnly ? `${job} has no take ${take}` : `there is no job ${address}`
  const hint = isTakeOnly ? offered(takes) : addressHint(address, jobs)
  return settingProblem({ name: 'address', value: address }, 'unknown-job', message, hint)
}

/** The address that was probably meant, or some of those that there are. */
export function addressHint(address: string, jobs: readonly Pick<Job, 'address'>[]): string {
  const addresses = jobs.map(job => job.address)
  const near = nearest(address, addresses)
  return near === undefined ? offered(addresses) : `did you mean ${near}`
}
