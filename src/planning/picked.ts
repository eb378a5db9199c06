import type { JobAddress } from '../base/names.ts'
import type { Purchase } from '../base/purchase.ts'

/** Takes that somebody picked. */
export function pickedTakes(purchases: readonly Purchase[]): JobAddress[] {
  return purchases.flatMap(each => (each.is === 'done' && each.picked && !each.aside ? [each.address] : []))
}
