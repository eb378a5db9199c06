import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/base/failure.ts'
import type { Gate } from '../../../src/base/order-waits.ts'
import type { WireMode } from '../../../src/base/state.ts'
import { type Admission, openAdmission, type Verdict } from '../../../src/engine/gates/admission.ts'
import { handClock } from '../fake.ts'

// Who is let in after what was answered, rule by rule.

const unauthorized: Failure = { why: 'unauthorized', status: 401, detail: '' }
const refusal = (detail: string, status = 422): Failure => ({ why: 'refused', status, detail })
const doubt: Verdict = { is: 'doubt', failure: { why: 'in-doubt', detail: '' } }
const proven: Verdict = { is: 'proven' }

/** One that has asked to be let in, and what holds it back. */
async function asks(admission: Admission, workflow = 'w', mode: WireMode = 'submit') {
  const held: Gate[] = []
  const its: { entry?: Awaited<ReturnType<Admission['enter']>> } = {}
  void admission
    .enter(workflow, mode, gate => held.push(gate))
    .then(entry => {
      its.entry = entry
    })
  await turn()
  return Object.assign(its, { held })
}

const turn = () => new Promise(resolve => setImmediate(resolve))

/** Lets one in and answers it. */
async function answered(admission: Admission, verdict: Verdict, workflow = 'w', mode: WireMode = 'submit') {
  const { entry } = await asks(admission, workflow, mode)
  if (!entry || entry.closed) throw new Error(`not let in: ${JSON.stringify(entry)}`)
  admission.report(entry, verdict)
  if (verdict.is === 'proven') admission.ended({ is: 'useful' }, entry.nth)
}

/** With so many useful results before it that nothing waits for the first. */
function open(clock = handClock()) {
  return { clock, admission: openAdmission(clock, { earlier: 1000 }) }
}

test('the first of a workflow goes alone, and who waits is told of each gate once', async () => {
  const { admission } = open()
  const canary = await asks(admission)
  const second = await asks(admission)
  expect([canary.entry?.closed, canary.held, second.entry, second.held]).toEqual([
    undefined,
    [],
    undefined,
    ['canary'],
  ])
  // Another answer wakes everybody, and changes nothing for it.
  await answered(admission, { is: 'unproven' }, 'other')
  await turn()
  expect(second.held).toEqual(['canary'])
})

test.each<[string, Verdict, number]>([
  ['that was taken', proven, 4],
  ['that was refused for itself', { is: 'refused', failure: refusal('no') }, 4],
  ['that was left in doubt', doubt, 1],
  ['that was not sent', { is: 'unproven' }, 1],
  ['that found no room', { is: 'busy' }, 1],
])('behind one %s, so many may be submitted without an answer', async (_, verdict, most) => {
  const { admission } = open()
  await answered(admission, proven)
  await answered(admission, verdict)
  const five = []
  for (let nth = 0; nth < 5; nth++) five.push(await asks(admission))
  expect(five.filter(({ entry }) => entry).length).toBe(most)
  expect(five.at(-1)?.held).toEqual(['unanswered'])
  // What executes has no answer for long, and is counted by the slots.
  expect((await asks(admission, 'w', 'execute')).entry).toBeDefined()
  const [first] = five
  if (first?.entry && !first.entry.closed) admission.report(first.entry, proven)
  await turn()
  expect(five.filter(({ entry }) => entry).length).toBe(5)
})

test('an exchange that ends makes no room among what was submitted', async () => {
  const { admission } = open()
  await answered(admission, proven)
  for (let nth = 0; nth < 4; nth++) await asks(admission)
  await answered(admission, proven, 'w', 'execute')
  expect((await asks(admission)).held).toEqual(['unanswered'])
})

test('until the service has taken an order two are out at most', async () => {
  const { admission } = open()
  for (const workflow of ['a', 'b']) expect((await asks(admission, workflow)).entry).toBeDefined()
  expect((await asks(admission, 'c')).held).toEqual(['unproven'])
})

describe('refusals of canaries', () => {
  async function refused(failures: readonly Failure[]) {
    const { admission } = open()
    for (const failure of failures) await answered(admission, { is: 'refused', failure })
    const { entry } = await asks(admission)
    return { admission, because: entry?.closed }
  }

  test.each<[string, readonly Failure[], boolean]>([
    ['two that are alike', [refusal('no'), refusal('no')], false],
    ['three that are alike', [refusal('no'), refusal('no'), refusal('no')], true],
    ['of different status', [refusal('no'), refusal('no', 400), refusal('no')], false],
    ['that name each job', ['"one"', "'two'", '`three`'].map(name => refusal(`job ${name} is odd`)), true],
    ['with numbers of any length', [refusal('7 of 1'), refusal('123 of 45'), refusal('9 of 9')], true],
    ['where one has a number and one has none', [refusal('no 1'), refusal('no '), refusal('no 2')], false],
    [
      'that differ after two hundred letters',
      ['x', 'y', 'z'].map(end => refusal('a'.repeat(200) + end)),
      true,
    ],
    ['that differ before', ['x', 'y', 'z'].map(end => refusal('a'.repeat(199) + end)), false],
    [
      'for their contents, which is each job’s own',
      Array.from({ length: 19 }, () => ({ why: 'rejected-content', detail: '' }) as const),
      false,
    ],
    [
      'for their contents, twenty times',
      Array.from({ length: 20 }, () => ({ why: 'rejected-content', detail: '' }) as const),
      true,
    ],
    ['of what is not served', [{ why: 'not-served', workflow: 'w', detail: '' }], true],
  ])('%s', async (_, failures, isClosed) => {
    const { admission, because } = await refused(failures)
    expect([because !== undefined, admission.shut('w').aborted]).toEqual([isClosed, isClosed])
    expect(admission.isClosed).toBe(false)
    expect((await asks(admission, 'other')).entry?.closed).toBeUndefined()
  })

  test('say why, with the rule where they were alike', async () => {
    const last = refusal('no')
    expect((await refused([last, last, last])).because).toEqual({
      why: 'closed',
      because: last,
      rule: { is: 'alike', orders: 3, workflow: 'w' },
    })
    const gone = { why: 'not-served', workflow: 'w', detail: '' } as const
    expect((await refused([gone])).because).toEqual(gone)
    const odd = Array.from({ length: 20 }, (_, nth) => refusal('a'.repeat(nth)))
    expect((await refused(odd)).because).toEqual(odd.at(-1))
  })

  test('count no more once one was taken', async () => {
    const { admission } = open()
    await answered(admission, proven)
    for (let nth = 0; nth < 5; nth++) await answered(admission, { is: 'refused', failure: refusal('no') })
    expect((await asks(admission)).entry?.closed).toBeUndefined()
  })
})

describe('a service without room', () => {
  test('is left alone for twice as long each time, up to twenty seconds, and as long as it asks', async () => {
    const { admission, clock } = open()
    const waits = []
    for (let nth = 0; nth < 8; nth++) {
      await answered(admission, { is: 'busy' })
      waits.push(admission.closedUntil - clock.now())
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
    expect(admission.pausedUntil).toBe(clock.now())
    await answered(admission, { is: 'busy', waitMs: 60_000 })
    expect([admission.closedUntil, admission.pausedUntil]).toEqual(Array(2).fill(clock.now() + 60_000))
    await answered(admission, proven)
    await answered(admission, { is: 'busy' })
    expect(admission.closedUntil - clock.now()).toBe(60_000)
  })

  test.each([
    [15 * 60_000 - 1, undefined],
    [15 * 60_000, { why: 'busy', detail: 'it takes no order at all' }],
  ])('is given up after a quarter of an hour: %i ms', async (ms, because) => {
    const { admission, clock } = open()
    await answered(admission, { is: 'busy' })
    await clock.run(clock.until(clock.now() + ms))
    await answered(admission, { is: 'busy' })
    expect((await asks(admission)).entry?.closed).toEqual(because)
    expect(admission.isClosed).toBe(because !== undefined)
  })
})

describe('a service that leaves orders in doubt', () => {
  /** Five in a row, one by one, and what follows. */
  async function interrupted() {
    const { admission, clock } = open()
    for (let nth = 0; nth < 5; nth++) {
      await clock.run(clock.until(clock.now() + 1))
      await answered(admission, doubt)
    }
    await clock.run(clock.until(clock.now() + 1))
    return { admission, clock }
  }

  test('is tried with one order after a break', async () => {
    const { admission, clock } = await interrupted()
    expect(admission.closedUntil).toBe(clock.now() - 1 + 30_000)
    expect((await asks(admission, 'w', 'execute')).entry).toBeDefined()
    expect((await asks(admission, 'other', 'execute')).held).toEqual(['probe'])
  })

  test('is given up the third time, by that rule', async () => {
    const { admission, clock } = await interrupted()
    for (let nth = 0; nth < 2; nth++) {
      await answered(admission, doubt)
      await clock.run(clock.until(clock.now() + 1))
    }
    expect((await asks(admission)).entry?.closed).toEqual({
      why: 'closed',
      because: { why: 'in-doubt', detail: '' },
      rule: { is: 'doubts' },
    })
  })

  test('what was never sent neither ends a row of doubts nor lengthens it', async () => {
    const { admission } = open()
    for (const verdict of [doubt, doubt, { is: 'unproven' }, doubt, doubt] as const)
      await answered(admission, verdict)
    expect(admission.closedUntil).toBe(0)
    await answered(admission, doubt)
    expect(admission.closedUntil).toBeGreaterThan(0)
  })
})

describe('what is evidently no such service', () => {
  const foreign = { why: 'bad-reply', detail: 'a page of HTML' } as const
  const stranger: Verdict = { ...doubt, foreign }

  test('is sent one order at a time after the first, and none after the second', async () => {
    const { admission } = open()
    await answered(admission, stranger, 'a')
    const second = await asks(admission, 'b')
    expect((await asks(admission, 'c', 'execute')).held).toEqual(['unproven'])
    if (!second.entry || second.entry.closed) return expect.unreachable('it was let in')
    admission.report(second.entry, stranger)
    expect((await asks(admission, 'd')).entry?.closed).toEqual(foreign)
  })

  test('is taken for the service all the same once that has taken an order', async () => {
    const { admission } = open()
    await answered(admission, proven)
    for (let nth = 0; nth < 3; nth++) await answered(admission, stranger)
    expect(admission.isClosed).toBe(false)
  })
})

test('a pause is as long as the longest that was asked for', () => {
  const { admission } = open()
  for (const until of [5000, 3000]) admission.pause(until)
  expect([admission.pausedUntil, admission.closedUntil]).toEqual([5000, 5000])
})

test('a row of useless results closes everything by that rule', async () => {
  const admission = openAdmission(handClock(), { useless: 1 })
  const because = { why: 'remote', detail: '' } as const
  const { entry } = await asks(admission)
  if (!entry || entry.closed) return expect.unreachable('it was let in')
  admission.report(entry, proven)
  admission.ended({ is: 'useless', because }, entry.nth)
  expect((await asks(admission)).entry?.closed).toEqual({
    why: 'closed',
    because,
    rule: { is: 'useless', orders: 1 },
  })
})

test('a key that is not right closes everything, and tells whoever listens and waits', async () => {
  const clock = handClock()
  let shut = 0
  const admission = openAdmission(clock, { earlier: 1000, onShut: () => shut++ })
  await answered(admission, proven)
  await answered(admission, proven, 'other')
  const waiting = await asks(admission, 'new')
  const behind = await asks(admission, 'new')
  await answered(admission, { is: 'refused', failure: unauthorized })
  await turn()
  expect([waiting.entry?.closed, behind.entry?.closed]).toEqual([undefined, unauthorized])
  expect([
    shut,
    admission.isClosed,
    admission.shut('other').aborted,
    admission.shut('later').aborted,
  ]).toEqual([3, true, true, true])
})

test('who closes it first is who is named, and nobody has to listen', async () => {
  const { admission } = open()
  await answered(admission, proven)
  admission.close({ why: 'stopped' })
  admission.close(unauthorized)
  expect((await asks(admission)).entry?.closed).toEqual({ why: 'stopped' })
})
