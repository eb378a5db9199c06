import type { Failure } from '../../base/failure.ts'
import type { JobAddress } from '../../base/names.ts'
import type { Prices } from '../../forms/cost.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { jobCost } from '../../plan/bill.ts'
import { type Caps, giveBack, nothingSpent, type Outlay, reserve, type Spent } from '../../plan/budget.ts'
import type { Order, OrderReply, Wire } from '../../wire/http/wire.ts'

/** What a run may still spend, and what it spent. */
export interface Budget {
  /** Why a job's request cannot be paid for now; takes nothing. */
  check(job: Job): Failure | undefined
  /** The same right before the first byte, and takes the money out. */
  take(job: Job): Failure | undefined
  /** Gives back what did not leave or was refused. */
  watch(wire: Wire): Wire
  spent(): Spent
}

export function openBudget(caps: Caps, prices: Prices | undefined): Budget {
  let spent = nothingSpent
  // What was taken last for an address. Several sessions' orders may have one address: each takes its own along at once.
  const open = new Map<JobAddress, Outlay>()
  const outlayOf = (job: Job): Outlay => ({
    cost: jobCost(job, prices),
    tags: job.tags,
    service: job.service,
  })

  function takeAlong({ address }: Order): Outlay | undefined {
    const outlay = open.get(address)
    open.delete(address)
    return outlay
  }

  function settle(outlay: Outlay | undefined, reply: OrderReply): void {
    if (!outlay) return
    if (reply.got === 'not-sent' || reply.got === 'refused') spent = giveBack(spent, outlay, caps)
  }

  return {
    check(job) {
      const reserved = reserve(spent, outlayOf(job), caps)
      return reserved.got === 'over' ? { why: 'budget', detail: reserved.why } : undefined
    },
    take(job) {
      const outlay = outlayOf(job)
      const reserved = reserve(spent, outlay, caps)
      if (reserved.got === 'over') return { why: 'budget', detail: reserved.why }
      spent = reserved.spent
      open.set(job.address, outlay)
      return undefined
    },
    watch: wire => ({
      ...wire,
      async order(order, beforeFirstByte) {
        let outlay: Outlay | undefined
        const reply = await wire.order(order, () => {
          const lastWord = beforeFirstByte()
          outlay = takeAlong(order)
          return lastWord
        })
        settle(outlay ?? takeAlong(order), reply)
        return reply
      },
    }),
    spent: () => spent,
  }
}
