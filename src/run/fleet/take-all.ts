import { anySignal } from '../../base/any-signal.ts'
import type { Clock } from '../../base/clock.ts'
import type { JobAddress } from '../../base/names.ts'
import type { Random } from '../../base/random.ts'
import { type Handed, restMs } from '../../fleet/work-queue.ts'
import type { Hands } from './desk.ts'
import { take } from './take.ts'

/** What was handed out as one, each job of it for itself. */
export async function takeAll({ batch, addresses }: Handed, hands: Hands): Promise<'settled' | 'again'> {
  const { desk, bench, turns } = hands
  const { clock, random } = desk.setting.machine
  const { stop } = bench.setting.request
  if (addresses.length > 1) desk.big.add(batch)
  const ask = (these: readonly JobAddress[]) => desk.fleet.store.handed(batch, these)
  const first = ask(addresses)
  const takeOne = async (address: JobAddress, nth: number) => {
    try {
      const works = await (nth === 1 ? first : ask([address]))
      const work = works.find(each => each.address === address)
      return await turns(() => take(batch, work, hands))
    } catch (trouble) {
      desk.tell(`${address}: ${String(trouble)}`)
      return 'again'
    }
  }
  return settleAll(addresses, takeOne, { clock, random, stop })
}

interface Settling {
  readonly clock: Clock
  readonly random: Pick<Random, 'next'>
  readonly stop: AbortSignal
}

/** Tries each, and again while any other is at work: what is given back then may be tried elsewhere. `nth`: for which time, from 1. */
export async function settleAll<Name>(
  names: readonly Name[],
  take: (name: Name, nth: number) => Promise<'settled' | 'again'>,
  { clock, random, stop }: Settling,
): Promise<'settled' | 'again'> {
  const over = new AbortController()
  const end = anySignal([stop, over.signal])
  let atWork = names.length

  async function settle(name: Name): Promise<'settled' | 'again'> {
    for (let nth = 1; ; nth++) {
      const came = await take(name, nth)
      if (--atWork === 0) over.abort()
      if (came === 'settled') return came
      await clock.until(clock.now() + restMs(nth, random), end)
      if (end.aborted) return came
      atWork++
    }
  }

  const all = await Promise.all(names.map(settle))
  return all.includes('again') ? 'again' : 'settled'
}
