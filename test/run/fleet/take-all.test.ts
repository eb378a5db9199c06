import { expect, test } from 'vitest'
import { settleAll } from '../../../src/run/fleet/take-all.ts'
import { handClock } from '../../engine/fake.ts'

type Came = 'settled' | 'again'

/** What each comes to, time after time, and after how many seconds; the last of it holds on. */
type Story = readonly (readonly [came: Came, seconds: number])[]

async function lived(stories: { readonly [name: string]: Story }, stopAt = 1_000) {
  const clock = handClock(0)
  const stop = new AbortController()
  const begun: string[] = []
  const take = async (name: string, nth: number): Promise<Came> => {
    begun.push(`${clock.now() / 1000}: ${name} ${nth}`)
    const story = stories[name] ?? []
    const [came, seconds] = story[Math.min(nth, story.length) - 1] ?? ['again', 0]
    await clock.until(clock.now() + seconds * 1000)
    return came
  }
  const ended = settleAll(Object.keys(stories), take, { clock, random: { next: () => 1 }, stop: stop.signal })
  void clock.until(stopAt * 1000).then(() => stop.abort())
  const came = await clock.run(ended)
  return { came, begun, seconds: clock.now() / 1000 }
}

test('each is done for itself, and all of it is settled when the last one is', async () => {
  expect(await lived({ a: [['settled', 1]], b: [['settled', 5]] })).toEqual({
    came: 'settled',
    begun: ['0: a 1', '0: b 1'],
    seconds: 5,
  })
})

test('what came to nothing is tried again, later each time, as long as another is at work', async () => {
  const stories = {
    a: [
      ['again', 0],
      ['again', 0],
      ['settled', 1],
    ],
    b: [['settled', 60]],
  } as const
  expect(await lived(stories)).toEqual({
    came: 'settled',
    begun: ['0: a 1', '0: b 1', '1: a 2', '3: a 3'],
    seconds: 60,
  })
})

test('it is given back at once when none of it is at work any more', async () => {
  const stories = { a: [['again', 0]], b: [['again', 2.5]], c: [['settled', 2]] } as const
  expect(await lived(stories)).toEqual({
    came: 'again',
    begun: ['0: a 1', '0: b 1', '0: c 1', '1: a 2'],
    seconds: 2.5,
  })
})

test('nothing is tried again after the stop', async () => {
  const stories = { a: [['again', 0]], b: [['settled', 9]] } as const
  expect(await lived(stories, 2)).toMatchObject({ came: 'again', begun: ['0: a 1', '0: b 1', '1: a 2'] })
})
