import { expect, test } from 'vitest'
import type { Clock } from '../../../src/base/clock.ts'
import type { PurchaseId, RunId } from '../../../src/base/names.ts'
import type { Purchase } from '../../../src/base/purchase.ts'
import { openEngine } from '../../../src/engine/engine.ts'
import { usualLimits } from '../../../src/engine/gates/slot-limits.ts'
import type { World } from '../../../src/engine/world.ts'
import { type HeldOrders, openHeldOrders } from '../../../src/run/fleet/held-orders.ts'
import { fromStanding } from '../../../src/run/fleet/order-standing.ts'
import { foldEntry, type History, recordOf } from '../../../src/store/journal/fold.ts'
import { fakeWorld, handClock, job, seededRandom } from '../../engine/fake.ts'
import { type MemoryStore, memoryStore } from './memory-store.ts'

/** What is weaker in a worker, for a simulation that has to notice it. */
interface Weaker {
  readonly orders?: (orders: HeldOrders) => HeldOrders
  readonly store?: (store: MemoryStore) => MemoryStore
  /** The worker's disk hears of nothing that is paid for. */
  readonly isForgetful?: true
}

interface Sale {
  readonly key: PurchaseId
  /** The same was ordered anew by then: a person had said that this one never left. */
  readonly isLate: boolean
}

const batch = 'b'
const jobs = ['tea', 'jam', 'bun', 'pie']

/** Three workers, four jobs; whatever is handed out twice, killed, slow or asleep, and a person who calls doubts unsent. */
async function simulate(seed: number, { orders: weaken, store: weakenStore, isForgetful }: Weaker = {}) {
  const clock = handClock()
  const random = seededRandom(seed * 7919 + 1)
  for (let nth = 0; nth < 5; nth++) random.next()
  const away = () => (random.next() < 0.12 ? 8_000 * random.next() : 100)
  const whole = memoryStore(clock, random, away)
  const store = weakenStore?.(whole) ?? whole
  const sales: Sale[] = []
  const answered = new Set<PurchaseId>()
  const disks: Map<PurchaseId, Purchase>[] = []
  let names = 0
  const ended = new Set<string>()
  /** Under which each job is ordered now. */
  const identities = new Map(jobs.map(name => [name, name]))

  /** One process, from its start to its death: what it waits for then never comes. */
  async function work(): Promise<void> {
    const worker = `w${++names}`
    const diesAt = random.next() < 0.6 ? clock.now() + 20_000 * random.next() : Number.POSITIVE_INFINITY
    const never = new Promise<never>(() => undefined)
    const isDead = () => clock.now() >= diesAt
    const own: Clock = {
      ...clock,
      until: (date, signal) => clock.until(date, signal).then(() => (isDead() ? never : undefined)),
    }
    const alive = <T>(asked: Promise<T>): Promise<T> => asked.then(answer => (isDead() ? never : answer))
    const histories = new Map<PurchaseId, History>()
    const purchases = new Map<PurchaseId, Purchase>()
    disks.push(purchases)
    const ledger = {
      purchases,
      async append(record: Parameters<HeldOrders['recorder']['append']>[0]) {
        const isPaid = ['ACCEPTED', 'RESULT', 'DONE'].includes(record.kind)
        if (!('purchase' in record) || (isForgetful && isPaid)) return
        await own.until(own.now() + 5)
        foldEntry(histories, { ...record, at: clock.wall() })
        const history = histories.get(record.purchase)
        const known = history && recordOf(history)
        if (known) purchases.set(record.purchase, known)
      },
      async stands(record: Purchase) {
        purchases.set(record.id, record)
        await ledger.append({ kind: 'STANDS', purchase: record.id, record })
      },
    }
    const mine: MemoryStore = {
      ...store,
      ...(Object.fromEntries(
        (Object.keys(store) as (keyof MemoryStore)[]).flatMap(name => {
          const ask = store[name]
          if (typeof ask !== 'function' || name === 'beat') return []
          return [
            [name, (...args: never[]) => alive((ask as (...all: never[]) => Promise<unknown>)(...args))],
          ]
        }),
      ) as Partial<MemoryStore>),
    }
    const opened = openHeldOrders({
      store: mine,
      worker,
      ledger,
      gate: () => undefined,
      pay: () => undefined,
      share: async () => true,
      enqueue: () => async () => undefined,
      tell: () => undefined,
    })
    const orders = weaken?.(opened) ?? opened
    const base = fakeWorld()
    const wire: World['wire'] = {
      ...base.wire,
      async order(sent, beforeFirstByte) {
        const key = sent.key as PurchaseId // the engine's own
        await own.until(own.now() + 30)
        let attempt: (() => void) | undefined
        try {
          attempt = await beforeFirstByte()
          // Asleep between the right and the first byte, as a process may be at any moment.
          if (random.next() < 0.2) await own.until(own.now() + 40_000 * random.next())
          attempt()
        } catch (cause) {
          return { got: 'not-sent', failure: { why: 'stopped' }, cause }
        }
        const row = whole.rows.find(each => each.sent.purchase === key)
        sales.push({
          key,
          isLate: row !== undefined && row.sent.identity !== identities.get(row.sent.address),
        })
        await own.until(own.now() + 2_000 * random.next())
        const draw = random.next()
        if (draw < 0.1) return { got: 'doubt', detail: 'no answer' }
        answered.add(key)
        return { got: 'run', run: { workflow: 'w', id: `r-${key}` as RunId } }
      },
      read: async () => {
        await own.until(own.now() + 100)
        return { got: 'files', files: [{ from: 'link', url: 'https://files.example/1' }] }
      },
    }
    const world: World = {
      ...base,
      clock: own,
      wire,
      journal: orders.recorder,
      permit: orders.permit,
      random,
    }
    const engine = openEngine(world, usualLimits)
    const beating = async () => {
      for (;;) {
        store.beat(worker, orders.inAir())
        // A process that sleeps beats as little as it sends.
        await own.until(own.now() + (random.next() < 0.1 ? 14_000 : 2_000))
      }
    }
    void beating()
    const isLeft = () => jobs.some(name => !ended.has(name))
    while (isLeft() && !isDead()) {
      const name = jobs[Math.floor(random.next() * jobs.length)] ?? ''
      if (!ended.has(name)) {
        const order = { batch, identity: identities.get(name) ?? '', job: job(name), price: 1 }
        const standing = await mine.standing(order)
        const { look } = { look: () => undefined }
        const enqueue = async () => undefined
        const hands = { store: mine, orders, ledger, clock: own, disk: { look }, enqueue }
        const next = await fromStanding(order, standing, hands)
        if (next !== 'again' && 'start' in next) {
          const state = (await engine.run([next])).get(next.job.address)
          orders.forget(next.purchase)
          if (state?.is === 'done') ended.add(name)
        } else if (next !== 'again' && next.is === 'done') ended.add(name)
      }
      await own.until(own.now() + 500)
    }
  }

  const end = clock.now() + 400_000
  const isOver = () => ended.size === jobs.length || clock.now() > end
  // Whoever dies is replaced, and a person has some of what is in doubt ordered anew.
  const seat = async () => {
    while (!isOver()) {
      const life = work().catch((bug: unknown) => bugs.push(bug))
      await Promise.race([life, clock.until(clock.now() + 25_000)])
    }
  }
  const person = async () => {
    while (!isOver()) {
      await clock.until(clock.now() + 1_000)
      for (const { sent, state } of [...whole.rows])
        if (state === 'DOUBT' && sent.identity === identities.get(sent.address) && random.next() < 0.5)
          identities.set(sent.address, `${sent.identity}#`)
    }
  }
  const bugs: unknown[] = []
  await clock.run(Promise.all([seat(), seat(), seat(), person()]))
  return { sales, answered, rows: whole.rows, disks, bugs, ended }
}

/** What is broken of the rules of money; nothing where all is well. */
function brokenIn({ sales, answered, rows, disks, bugs }: Awaited<ReturnType<typeof simulate>>): string[] {
  const keys = sales.map(({ key }) => key)
  const known = new Map(rows.map(({ sent, state }) => [sent.purchase, state]))
  const isOnDisk = (key: PurchaseId) =>
    disks.some(disk => ['under-way', 'done'].includes(disk.get(key)?.is ?? ''))
  const paidFor = ['ACCEPTED', 'RESULT', 'DONE', 'FAILED']
  const found = [
    keys.some((key, nth) => keys.indexOf(key) !== nth) && 'bought twice',
    sales.some(({ isLate }) => isLate) && 'sent after a person was told that it never left',
    keys.some(key => ['NOTSENT', 'REFUSED', undefined].includes(known.get(key))) && 'sold and in no record',
    [...answered].some(key => !paidFor.includes(known.get(key) ?? '') && !isOnDisk(key)) &&
      'an answer is lost',
    bugs.length > 0 && `a bug: ${String(bugs[0])}`,
  ]
  return found.filter(each => each !== false)
}

const seeds = Number(process.env.GENRUN_FLEET_SEEDS ?? 8)

test('whatever dies, sleeps or is slow, nothing is bought twice and nothing paid for is lost', async () => {
  let [sold, done] = [0, 0]
  for (let seed = 1; seed <= seeds; seed++) {
    const life = await simulate(seed)
    expect([seed, brokenIn(life)]).toEqual([seed, []])
    sold += life.sales.length
    done += life.ended.size
  }
  expect(sold).toBeGreaterThan(seeds)
  expect(done).toBeGreaterThan(seeds)
})

const lax: Weaker['orders'] = orders => ({
  ...orders,
  async permit(task, departure) {
    const permit = await orders.permit(task, departure)
    return permit.got === 'permit' ? { ...permit, lastWord: () => undefined } : permit
  },
})

test.each<[string, Weaker, string]>([
  ['nobody asks at last whether the right is still good', { orders: lax }, 'sent after a person was told'],
  [
    'an order is let go whether there is a right or not',
    {
      orders: orders => ({
        ...orders,
        async permit(task, departure) {
          const permit = await orders.permit(task, departure)
          return permit.got === 'permit' ? permit : { got: 'permit', lastWord: () => undefined }
        },
      }),
    },
    'bought twice',
  ],
  [
    'ACCEPTED is given up where the store is slow, and no disk has it',
    {
      isForgetful: true,
      store: store => ({ ...store, accepted: async () => 'unrecorded' }),
    },
    'an answer is lost',
  ],
  [
    'what was sent is called unsent when its worker is gone',
    {
      store: store => ({
        ...store,
        async declareDead(sent) {
          const isDead = await store.declareDead(sent)
          if (isDead) await store.notSent(sent)
          return isDead
        },
      }),
    },
    'bought twice',
  ],
])('it is noticed when %s', async (_, weaker, broken) => {
  const found = new Set<string>()
  for (let seed = 1; seed <= 15 * seeds; seed++) {
    for (const each of brokenIn(await simulate(seed, weaker))) found.add(each)
    if ([...found].some(each => each.startsWith(broken))) return
  }
  expect([...found]).toContain(broken)
})
