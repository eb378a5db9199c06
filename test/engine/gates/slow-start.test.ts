import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/base/failure.ts'
import type { WireMode } from '../../../src/base/state.ts'
import type { SaveOutcome } from '../../../src/engine/advance.ts'
import { runEngine } from '../../../src/engine/engine.ts'
import { usualLimits } from '../../../src/engine/gates/slot-limits.ts'
import {
  afterEnd,
  afterLetGo,
  firstSlowStart,
  hasRoom,
  type OrderResult,
  type SlowStart,
} from '../../../src/engine/gates/slow-start.ts'
import { fakeWorld, job, run, type Script, saved, task } from '../fake.ts'

const page: Failure = { why: 'bad-media', detail: 'a page' }

const ends = {
  good: { is: 'useful' },
  bad: { is: 'useless', because: page },
  none: { is: 'nothing' },
} satisfies Record<string, OrderResult>

type End = keyof typeof ends
/** An order is let go; the one that is out longest, or the one with that number, ends; one of an earlier run ends. */
type Step = '+' | End | `${End} ${number}` | `old ${End}`

function after(...taken: readonly Step[]): SlowStart {
  return afterAll(firstSlowStart(), taken)
}

function afterAll(begin: SlowStart, taken: readonly Step[]): SlowStart {
  const out: number[] = []
  let count = 0
  return taken.reduce((slowStart: SlowStart, step) => {
    if (step === '+') {
      out.push(count)
      return afterLetGo(slowStart, count++)
    }
    const [first, second] = step.split(' ')
    if (first === 'old') return afterEnd(slowStart, ends[second as End])
    const nth = second === undefined ? out[0] : Number(second)
    out.splice(out.indexOf(nth ?? -1), 1)
    return afterEnd(slowStart, ends[first as End], nth)
  }, begin)
}

test.each<[string, readonly Step[], number]>([
  ['nothing yet: five', [], 5],
  ['a useless order: four', ['+', 'bad'], 4],
  ['the result of an order of an earlier run: as without it', ['old good'], 13],
  ['a result of its own: all at once', ['+', 'good'], 100],
  ['a result and a useless order: five, and that one', ['+', 'good', '+', 'bad'], 4],
])('fifty results of the same day let go, after %s', (_, taken, wanted) => {
  expect(room(afterAll(firstSlowStart(5, 50), taken))).toBe(wanted)
})

/** How many orders may still be let go. */
function room(slowStart: SlowStart): number {
  let free = 0
  for (let next = slowStart; hasRoom(next) && free < 100; next = afterLetGo(next, 1000 + free)) free++
  return free
}

const ten = Array.from({ length: 10 }, () => '+' as const)

describe('room for orders', () => {
  test.each<[string, readonly Step[], number]>([
    ['is for five at first', [], 5],
    ['is gone when five are out', ['+', '+', '+', '+', '+'], 0],
    ['comes back by what cost nothing', ['+', '+', '+', '+', '+', 'none'], 1],
    ['does not come back by what was useless', ['+', '+', '+', '+', '+', 'bad'], 0],
    ['is left for what is not out', ['+', 'bad', '+', 'bad', '+', 'none'], 3],
    ['is for eight more with each usable file', ['+', 'good', '+', 'good'], 21],
    ['is for eight more also with a file that was ordered in an earlier run', ['+', 'old good'], 12],
    ['is less after useless results of an earlier run', ['old bad', 'old bad'], 3],
    [
      'is only for what replaces a useful one, once ten are out and one was useless',
      ['+', 'good', ...ten, 'bad'],
      0,
    ],
    ['is for five at least', ['+', 'good', '+', 'bad'], 4],
    ['is as it was after the next usable file, and more', ['+', 'good', ...ten, 'bad', 'bad', 'good'], 14],
  ])('%s', (_, taken, free) => {
    expect(room(after(...taken))).toBe(free)
  })
})

describe('the end of buying', () => {
  const four: readonly Step[] = ['+', 'bad', '+', 'bad', '+', 'bad', '+', 'bad']
  test.each<[string, readonly Step[], Failure | undefined]>([
    ['comes with five useless results in a row', [...four, '+', 'bad'], page],
    ['does not come with four', four, undefined],
    ['does not come with a usable one between', [...four, '+', 'good', '+', 'bad'], undefined],
    ['comes when what says nothing is between', [...four, '+', 'none', '+', 'bad'], page],
  ])('%s', (_, taken, ended) => {
    expect(after(...taken).ended).toEqual(ended)
  })
})

// From here on with the whole engine: what is paid for is counted at the service.

/** A service that takes everything, works for about a minute, and whose files are as `save` says. */
async function buy(modes: readonly WireMode[], script: Script, rest: Parameters<typeof job>[1] = {}) {
  const ends = new Map<string, number>()
  const lastsUntil = (address: string, now: number) => {
    const end = ends.get(address) ?? now + 30_000 + ((ends.size * 7) % 11) * 5000
    ends.set(address, end)
    return end
  }
  const world = fakeWorld({
    async order(order) {
      if (order.mode === 'submit') return { got: 'run', run: run(order.address) }
      await world.clock.until(lastsUntil(order.address, world.clock.now()))
      return { got: 'files', files: [] }
    },
    read: ({ id }) =>
      world.clock.now() < lastsUntil(id, world.clock.now())
        ? { got: 'pending' }
        : { got: 'files', files: [] },
    ...script,
  })
  // Workflows of their own, so that no canary holds them back.
  const tasks = Array.from({ length: 60 }, (_, nth) =>
    task(
      job(`job${nth}`, { mode: modes[nth % modes.length] ?? 'execute', workflow: `w${nth % 7}`, ...rest }),
    ),
  )
  const outcomes = await world.clock.run(runEngine(tasks, world, usualLimits))
  const count = (is: string) => [...outcomes.values()].filter(state => state.is === is).length
  return { events: world.events, paid: world.orders.length, count }
}

const unusable: SaveOutcome = { got: 'unusable', failure: page }

describe.each<[string, readonly WireMode[]]>([
  ['submit', ['submit']],
  ['execute', ['execute']],
  ['both modes, over seven workflows', ['submit', 'execute']],
])('a service that brings nothing of use (%s)', (_, modes) => {
  test('is paid five times when it answers a page for every file', async () => {
    const { paid, count } = await buy(modes, { save: () => unusable })
    expect({ paid, failed: count('failed'), skipped: count('skipped') }).toEqual({
      paid: 5,
      failed: 5,
      skipped: 55,
    })
  })

  test('is paid five times when every run fails, also where jobs are ordered again', async () => {
    const failure = { got: 'failure', failure: { why: 'remote', detail: 'gone wrong' } } as const
    const script: Script = {
      order: ({ mode, address }) => (mode === 'submit' ? { got: 'run', run: run(address) } : failure),
      read: () => failure,
    }
    for (const retries of [0, 1, 3]) {
      const { paid, count } = await buy(modes, script, { retries })
      expect({ retries, paid, done: count('done') }).toEqual({ retries, paid: 5, done: 0 })
    }
  })

  test('is trusted with more once a file has come, and again after a row of bad ones', async () => {
    let saves = 0
    const { paid, count } = await buy(modes, { save: () => (++saves % 5 === 0 ? saved : unusable) })
    expect({ paid, done: count('done'), failed: count('failed') }).toEqual({ paid: 60, done: 12, failed: 48 })
  })

  test('that turns bad is paid for what was there by then, and no more', async () => {
    let saves = 0
    const { events, paid, count } = await buy(modes, { save: () => (++saves < 4 ? saved : unusable) })
    const turned = events.findIndex(each => each.event === 'settled' && each.state.is === 'failed')
    expect(events.slice(turned).filter(each => each.event === 'sending')).toEqual([])
    expect(paid).toBeLessThan(60)
    expect(count('failed') + count('done')).toBe(paid)
  })

  test('costs no trust by orders that it turns away, or of which nothing is known', async () => {
    let orders = 0
    const { paid, count } = await buy(modes, {
      order: ({ mode, address }) => {
        const nth = orders++
        if (nth < 6) return { got: 'refused', canRetry: true, failure: { why: 'busy', detail: '' } }
        if (nth < 10) return { got: 'doubt', detail: 'reset' }
        if (nth < 14) return { got: 'not-sent', failure: { why: 'unreachable', origin: 'o', detail: 'd' } }
        return mode === 'submit' ? { got: 'run', run: run(address) } : { got: 'files', files: [] }
      },
    })
    expect({ done: count('done'), doubt: count('doubt'), paid: paid - 10 }).toEqual({
      done: 56,
      doubt: 4,
      paid: 60,
    })
  })
})
