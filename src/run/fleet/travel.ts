import type { DonePurchase } from '../../base/purchase.ts'
import { placeForFleet, putForFleet } from '../planner/fleet-files.ts'
import type { Hands, Wanted, WorkDesk } from './desk.ts'

/** Has the results at hand that a job is made from. False where they are not to be had now. */
export async function bringNeeds({ job, made }: Wanted, hands: Hands): Promise<boolean> {
  for (const need of job.needs) {
    const entry = made[need]
    if (!entry) return false
    const bringing = hands.bringing.get(entry.id) ?? bring(entry, hands)
    hands.bringing.set(entry.id, bringing)
    if (!(await bringing)) {
      hands.bringing.delete(entry.id)
      return false
    }
    hands.bench.ledger.give(need, entry.id)
  }
  return true
}

async function bring(entry: DonePurchase, { bench, desk }: Hands): Promise<boolean> {
  const { setting, ledger, parts } = bench
  const { cache, layout, folders, machine } = setting
  if (!cache) return false
  const { disk } = machine
  const trouble = await placeForFleet(entry, { cache, layout, folders, parts, disk, isOurs: () => true })
  if (trouble) {
    desk.tell(`${entry.address}: ${trouble.message}`)
    return false
  }
  await ledger.stands(entry)
  return true
}

/** Puts files where all find them: tried until they are there, or the stop. */
export async function shareSurely(
  entry: DonePurchase,
  { setting, tell }: WorkDesk,
  stop: AbortSignal,
): Promise<boolean> {
  const { cache, layout, machine } = setting
  if (!cache) return false
  const { clock, disk } = machine
  for (let nth = 0; !stop.aborted; nth++) {
    const trouble = await putForFleet([entry], { cache, output: layout.output, disk, isOwn: true })
    if (!trouble) return true
    tell(`${entry.address}: ${trouble.message}`)
    await clock.until(clock.now() + Math.min(30_000, 500 * 2 ** nth), stop)
  }
  return false
}
