import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { openLive } from '../../../src/cli/progress/live.ts'
import { done, fakeSink, happens, planned, settle, work } from '../fake.ts'

const escape = String.fromCodePoint(27)
const hideCursor = `${escape}[?25l`
const showCursor = `${escape}[?25h`

/** A clock that stands still for the picture and lets the drawing loop turn only when it is told. */
function steppedClock() {
  let wake: (() => void) | undefined
  return {
    now: () => 1_000_000,
    wall: () => 1_000_000,
    until: (_: number, signal?: AbortSignal) =>
      new Promise<void>(resolve => {
        wake = resolve
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
    turn: async () => {
      wake?.()
      await settle()
    },
  }
}

function opened(columns = 80) {
  const clock = steppedClock()
  const sink = fakeSink(columns)
  const clean = (text: string) => text.replaceAll('k3y', '[secret]')
  const view = openLive({ sink, clock, paint: colours(false), isAscii: true, clean })
  return { clock, sink, view }
}

/** Waits until listr2 has loaded what it draws with. */
async function untilDrawn(sink: { text(): string }): Promise<void> {
  while (!sink.text().includes('done')) await systemClock.until(systemClock.now() + 5)
}

test('a run is drawn in place, without its secrets, and cleared away at the end', async () => {
  const { clock, sink, view } = opened()
  view.show(planned(1_000_000, [work('hero'), work('k3y')]))
  await untilDrawn(sink)
  view.show(happens(1_000_000, 'hero', { event: 'settled', state: done('hero.png') }))
  await clock.turn()
  await view.close()
  const text = sink.text()
  expect(text).toContain('0 of 2 done   0s\n  . hero  fama-imagine-image  waiting\n')
  expect(text).toContain('1 of 2 done   0s\n  + hero  fama-imagine-image  hero.png (1.2 MB)\n')
  expect(text).toContain('  . [secret]   fama-imagine-image  waiting\n')
  expect([text.indexOf(hideCursor), text.endsWith(showCursor)]).toEqual([0, true])
  expect(text.lastIndexOf(`${escape}[2K`)).toBeGreaterThan(text.lastIndexOf('hero.png'))
})

test('a note stays above the picture, which is drawn anew below it', async () => {
  const { sink, view } = opened()
  view.note('before')
  view.show(planned(1_000_000, [work('hero')]))
  await untilDrawn(sink)
  view.note('stopping k3y')
  await view.close()
  expect(sink.text().startsWith('before\n')).toBe(true)
  expect(sink.text()).toMatch(/stopping \[secret\]\n[\s\S]*0 of 1 done/)
})

test('the streams of the process stay as they are while it is drawn', async () => {
  const methods = () =>
    [process.stdout, process.stderr].map(stream => Object.getOwnPropertyDescriptor(stream, 'write'))
  const before = methods()
  const { sink, view } = opened()
  view.show(planned(1_000_000, [work('hero')]))
  await untilDrawn(sink)
  expect(methods()).toEqual(before)
  await view.close()
})

test('a plan with nothing to do is not drawn', async () => {
  const { sink, view } = opened()
  view.show(planned(1_000_000, []))
  await view.close()
  expect(sink.text()).toBe('')
})

test('what happens between two pictures costs no drawing, whatever the number of jobs', async () => {
  const { clock, sink, view } = opened()
  const tasks = Array.from({ length: 10_000 }, (_, nth) => work(`still-${nth}`))
  view.show(planned(1_000_000, tasks))
  await untilDrawn(sink)
  const before = sink.text().length
  for (const { address } of tasks) {
    view.show(happens(1_000_000, address, { event: 'bytes', bytes: 1 }))
    view.show(happens(1_000_000, address, { event: 'settled', state: done(`${address}.png`) }))
  }
  expect(sink.text().length).toBe(before)
  await clock.turn()
  expect(sink.text().slice(before)).toContain('10,000 of 10,000 done (100 %)')
  expect(sink.text().length - before).toBeLessThan(1000)
  await view.close()
})
