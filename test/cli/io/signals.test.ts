import { expect, test } from 'vitest'
import { graceMs, stopText, watchSignals } from '../../../src/cli/io/signals.ts'
import type { StopSignal } from '../../../src/cli/io/surroundings.ts'
import { fakeSurroundings, handClock } from '../fake.ts'

function watched(env: { [name: string]: string } = {}) {
  const clock = handClock()
  const around = fakeSurroundings({ clock, env })
  const heard: (StopSignal | 'again')[] = []
  return { clock, around, heard, stop: watchSignals(around, signal => heard.push(signal)) }
}

test.each<[StopSignal, number]>([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('the first %s stops, is told once, and leaves the process alone', (signal, code) => {
  const { around, heard, stop } = watched()
  expect([stop.signal.aborted, stop.code()]).toEqual([false, undefined])
  around.send(signal)
  expect([stop.signal.aborted, stop.code(), heard, around.left]).toEqual([true, code, [signal], []])
})

test('a second signal leaves at once, with the code of the first', async () => {
  const { clock, around, heard } = watched()
  around.send('SIGINT')
  await clock.move(600)
  around.send('SIGTERM')
  expect([around.left, heard]).toEqual([[130], ['SIGINT', 'again']])
})

test('the echo of the first signal, passed on by npm or timeout, is no second one', async () => {
  const { clock, around, heard } = watched()
  around.send('SIGINT')
  await clock.move(100)
  around.send('SIGINT')
  expect([around.left, heard]).toEqual([[], ['SIGINT']])
})

test.each([
  ['a second Ctrl-C soon after the first means it', {}, [130]],
  ['under npm and npx it may be the echo still', { npm_command: 'exec' }, []],
])('%s', async (_, env, left) => {
  const { clock, around } = watched(env)
  around.send('SIGINT')
  await clock.move(200)
  around.send('SIGINT')
  expect(around.left).toEqual(left)
})

test('a run that does not come to rest within five seconds is left', async () => {
  const { clock, around } = watched()
  around.send('SIGTERM')
  await clock.move(graceMs - 1)
  expect(around.left).toEqual([])
  await clock.move(1)
  expect([around.left, graceMs]).toEqual([[143], 5000])
})

test('after the end nobody listens and nobody leaves', async () => {
  const { clock, around, stop } = watched()
  around.send('SIGINT')
  stop.close()
  await clock.move(graceMs)
  expect([around.left, around.listeners()]).toEqual([[], 0])
})

test('the words say what a stop means, and the second key only to a person', () => {
  expect([stopText('SIGINT'), stopText('SIGTERM'), stopText('again')]).toEqual([
    'stopping: no more is bought, what runs is kept; Ctrl-C again leaves at once',
    'stopping: no more is bought, what runs is kept',
    'left at once; the next run goes on with what the service has, and tells what is in doubt',
  ])
})
