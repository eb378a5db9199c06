import { expect, test } from 'vitest'
import type { SharedTurns } from '../../../src/store/claim/shared-turns.ts'
import type { ReadReply } from '../../../src/wire/http/wire.ts'
import type { Service } from '../../../src/workspace/service/service.ts'
import { inTurn, openServicePolls, type ServicePolls } from '../../../src/workspace/service/service-polls.ts'
import { handClock, run } from '../../engine/fake.ts'

const never = new AbortController().signal
const service = (baseUrl: string, rest: Partial<Service> = {}): Service => ({
  baseUrl,
  key: 'k',
  rehearsal: false,
  ...rest,
})

/** The dates of so many questions, each asked by a call of its own as an SDK or a one-shot job would. */
async function ask(clock: ReturnType<typeof handClock>, polls: ServicePolls, services: readonly Service[]) {
  const dates: number[] = []
  const asked = services.map(each => polls(each).turn({ who: {}, since: 0 }, never))
  await clock.run(Promise.all(asked.map(turn => turn.then(() => dates.push(clock.now() - 1_000_000)))))
  return dates
}

test('everything in the process that asks one service asks it at one rate, whatever stands behind its origin', async () => {
  const clock = handClock()
  const [one, other] = [service('https://a.example/gw-v2'), service('https://a.example:443/other/gw-v2')]
  expect(await ask(clock, openServicePolls(clock), [one, other, one, other])).toEqual([0, 250, 500, 750])
})

test('each service has a rate of its own', async () => {
  const clock = handClock()
  const services = ['a', 'b', 'c'].map(name => service(`https://${name}.example/gw-v2`))
  expect(await ask(clock, openServicePolls(clock), services)).toEqual([0, 0, 0])
})

test('what the user allows counts for all of them', async () => {
  const clock = handClock()
  const [one, slow] = [undefined, 1].map(pollsPerSecond =>
    service('https://a.example/gw-v2', pollsPerSecond === undefined ? {} : { pollsPerSecond }),
  ) as [Service, Service]
  expect(await ask(clock, openServicePolls(clock), [slow, one, slow])).toEqual([0, 1000, 2000])
})

test('a service on this machine is asked freely and shared with nobody, but heeds the user; a rehearsal heeds nothing', async () => {
  const clock = handClock()
  const shared: string[] = []
  const turns: SharedTurns = { take: () => undefined, slow: () => {}, leave: () => {} }
  const polls = openServicePolls(clock, origin => {
    shared.push(origin)
    return turns
  })
  const local = service('http://127.0.0.1:8080/gw-v2')
  const capped = { ...local, pollsPerSecond: 10 }
  const rehearsal = { ...capped, rehearsal: true }
  expect(await ask(clock, polls, [local, local, local])).toEqual([0, 0, 0])
  expect(await ask(clock, polls, [rehearsal, rehearsal, rehearsal])).toEqual([0, 0, 0])
  expect(await ask(clock, polls, [capped, capped, capped])).toEqual([0, 100, 200])
  expect(shared).toEqual([])
  const far = service('https://a.example/gw-v2')
  await ask(clock, polls, [far, far])
  expect(shared).toEqual(['https://a.example'])
})

test('a question of its own takes its turn, tells of a 429, and counts for nothing afterwards', async () => {
  const clock = handClock()
  const polls = openServicePolls(clock)(service('https://a.example/gw-v2'))
  let reply: ReadReply = { got: 'pending' }
  const wire = inTurn({ read: async () => reply }, polls, clock)
  const read = async () => {
    await clock.run(wire.read(run('r'), never))
    return clock.now() - 1_000_000
  }
  expect([await read(), await read()]).toEqual([0, 250])
  reply = { got: 'trouble', failure: { why: 'busy', detail: '' } }
  expect([await read(), await read()]).toEqual([500, 1000])
})
