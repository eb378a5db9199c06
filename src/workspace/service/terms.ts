import { defined } from '../../base/defined.ts'
import { type Checked, hasErrors } from '../../base/diagnostic.ts'
import type { Model } from '../../catalog/index.ts'
import { modelsAt } from '../../catalog/model-set.ts'
import type { Prices } from '../../forms/cost.ts'
import { openPrices } from '../read/prices.ts'
import type { Spoken } from './named.ts'
import { hasOwnEndpoints, openProfile, type ProfileService } from './profile.ts'
import { asOtherService, baseUrlProblems, originOf } from './service.ts'

/** Where it is named what orders are made by. Paths are relative to `cwd`. */
interface TermsRequest {
  readonly cwd: string
  readonly prices?: string
  readonly profile?: string
  /** Who is to be asked; absent in a rehearsal, and where nobody has said. */
  readonly service?: ProfileService
}

/** What orders are made by: how the service is spoken to, and what it costs. */
interface Terms extends Spoken {
  readonly prices?: Prices
}

/**
 * Opens all that a manifest or a single job is ordered by: address, prices, profile. It is the one place that does, so that
 * every command tells the same problems, all of them, in the same order. `own` are the models that the user declared;
 * where they are not known the profile is not read, as it would be blamed for naming them. `addressName` is what the user knows the
 * base address by.
 */
export function openTerms(
  { cwd, service, ...request }: TermsRequest,
  own: readonly Model[] | undefined,
  addressName: string,
): Checked<Terms> {
  const inAddress =
    service && !service.isNone ? baseUrlProblems({ ...service, rehearsal: false }, addressName) : []
  const prices = openPrices(request.prices, cwd, { trust: service?.trust, own })
  const profile = own
    ? openProfile(
        request.profile,
        cwd,
        hasErrors(inAddress) ? undefined : service,
        modelsAt(own, service?.name),
      )
    : undefined
  const address = profile?.value && hasOwnEndpoints(profile.value) ? asOtherService(inAddress) : inAddress
  const problems = [...address, ...prices.problems, ...(profile?.problems ?? [])]
  if (!profile?.value || hasErrors(problems)) return { value: undefined, problems }
  return {
    value: {
      profile: profile.value,
      ...defined({ prices: prices.value }),
      ...(service && !service.isNone && { origin: originOf(service) }),
    },
    problems,
  }
}
