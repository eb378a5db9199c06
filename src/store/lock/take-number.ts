import { isDeepStrictEqual } from 'node:util'
import { type JobAddress, jobAddress } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { Locked } from './lock-text.ts'

// Two sides may have ordered a take each, and given both one number.

/** Of the same order, beyond the first take, and not the very same file. */
export function isAnotherTake({ address, recipe, files }: DonePurchase, owner: Locked): boolean {
  if (owner.is !== 'done' || owner.address !== address || !numbered.test(address)) return false
  return files[0]?.digest !== owner.files[0]?.digest && isDeepStrictEqual(recipe, owner.recipe)
}

/** Beyond the first, under a name of its own. */
export const numbered = /#\d+$/

/** The first that stands for nothing on either side; it does from now on. */
export function nextNumber(address: JobAddress, numbers: Set<JobAddress>): Pick<Locked, 'address'> {
  const numberOf = (take: number) => jobAddress(address.replace(numbered, `#${take}`))
  let take = 2
  while (numbers.has(numberOf(take))) take++
  numbers.add(numberOf(take))
  return { address: numberOf(take) }
}
