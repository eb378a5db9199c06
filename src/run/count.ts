import type { JobAddress } from '../base/names.ts'
import type { OrderReply, Wire } from '../wire/http/wire.ts'

/** What a run asked of the service. Paid requests are those that left and were not refused: a refusal is proven to cost nothing. */
interface Counts {
  readonly paid: number
  readonly requests: number
  /** How many orders of each job may have been billed. */
  readonly orders: ReadonlyMap<JobAddress, number>
}

/** A wire that counts. */
export function countRequests(wire: Wire): {
  readonly wire: Wire
  readonly counts: () => Counts
} {
  let paid = 0
  let free = 0
  const orders = new Map<JobAddress, number>()
  return {
    counts: () => ({ paid, requests: paid + free, orders }),
    wire: {
      ...wire,
      async order(order, beforeFirstByte) {
        let hasLeft = false
        const reply = await wire.order(order, async () => {
          const lastWord = await beforeFirstByte()
          return () => {
            lastWord()
            hasLeft = true
            paid++
          }
        })
        if (hasLeft && reply.got === 'refused') {
          paid--
          free++
        }
        if (mayBeBilled(reply)) orders.set(order.address, (orders.get(order.address) ?? 0) + 1)
        return reply
      },
      read(run, signal) {
        free++
        return wire.read(run, signal)
      },
      download(file, to, watch) {
        free++
        return wire.download(file, to, watch)
      },
      ...(wire.upload && { upload: counted(wire.upload) }),
    },
  }

  function counted(upload: NonNullable<Wire['upload']>): NonNullable<Wire['upload']> {
    return (file, watch) => {
      free++
      return upload(file, watch)
    }
  }
}

/** Of several services together. */
export function countsOf(all: readonly Counts[]): Counts {
  const orders = new Map<JobAddress, number>()
  for (const counts of all)
    for (const [address, many] of counts.orders) orders.set(address, (orders.get(address) ?? 0) + many)
  const sum = (of: (counts: Counts) => number) => all.reduce((total, counts) => total + of(counts), 0)
  return { paid: sum(({ paid }) => paid), requests: sum(({ requests }) => requests), orders }
}

function mayBeBilled({ got }: OrderReply): boolean {
  return got !== 'not-sent' && got !== 'refused'
}
