import type { Purchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Facts } from '../plan/facts.ts'
import { ownService } from '../workspace/service/named.ts'

type Origins = NonNullable<Facts['origins']>

/**
 * The purchases, each by the name that its service has today. A name is the person's own word, and may be another one since: what a
 * purchase belongs to is the address that accepted it. Nothing of this is written down: the lock keeps the name of the order.
 *
 * What is in doubt keeps the old name: it must not be sent again for a name that may stand for another account.
 */
export function byTodaysNames(
  purchases: readonly Purchase[],
  origins: Origins,
  jobs: readonly Job[],
): readonly Purchase[] {
  const wanted = new Map(jobs.map(job => [job.address, job.service]))
  return purchases.map(purchase => {
    const { recipe, address } = purchase
    const name = purchase.is === 'doubt' ? recipe.service : serviceNow(purchase, origins, wanted.get(address))
    return name === undefined || name === recipe.service
      ? purchase
      : { ...purchase, recipe: { ...recipe, service: name } }
  })
}

/**
 * What the service is called today that a purchase was ordered at, to ask it something; as it was then where there is nothing to go
 * by. Of several names of one address the one that is preferred, else the first.
 */
export function serviceNow(
  purchase: Purchase,
  origins: Origins = {},
  preferred?: string,
): string | undefined {
  const { recipe, sent } = purchase
  const { service } = recipe
  const origin = ('run' in purchase ? purchase.run?.origin : undefined) ?? sent?.origin
  if (service === undefined || origin === undefined || ownService(origins, service) === origin) return service
  const names = Object.keys(origins).filter(name => origins[name] === origin)
  return names.find(name => name === preferred) ?? names[0] ?? service
}
