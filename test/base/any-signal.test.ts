import { getEventListeners } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { anySignal, withAnySignal } from '../../src/base/any-signal.ts'
import { collectGarbage } from '../collect-garbage.ts'

test('a limit in time that nobody else holds comes all the same', async () => {
  const come = vi.fn()
  const listen = () =>
    anySignal([new AbortController().signal, AbortSignal.timeout(300)]).addEventListener('abort', come)
  listen()
  await setImmediate()
  collectGarbage()
  await vi.waitFor(() => expect(come).toHaveBeenCalledOnce(), 5000)
})

test('what came before anybody listened is known, though what it came from is gone', async () => {
  const any = abortedAtOnce()
  await setImmediate()
  collectGarbage()
  expect(any.reason).toBe('stopped')
})

function abortedAtOnce(): AbortSignal {
  const over = new AbortController()
  const any = anySignal([over.signal])
  over.abort('stopped')
  return any
}

test('a task hears the first of its signals, before it and while it is at work', async () => {
  const [stop, late] = [new AbortController(), new AbortController()]
  const heard = await withAnySignal([stop.signal, late.signal], async any => {
    expect(any.aborted).toBe(false)
    late.abort('late')
    return any.reason
  })
  expect(heard).toBe('late')
  expect(await withAnySignal([stop.signal, late.signal], async any => any.reason)).toBe('late')
})

test('what a task heard by leaves nothing at signals that outlive it, whether it ends well or not', async () => {
  const stop = new AbortController()
  const listeners = () => getEventListeners(stop.signal, 'abort').length
  const during: number[] = []
  const task = async () => {
    during.push(listeners())
    throw new Error('bad')
  }
  await expect(withAnySignal([stop.signal], task)).rejects.toThrow('bad')
  await withAnySignal([stop.signal], async () => during.push(listeners()))
  expect(during).toEqual([1, 1])
  expect(listeners()).toBe(0)
})

test('every signal that is made of others is made so', () => {
  const src = join(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  const without = files.filter(name => readFileSync(join(src, name), 'utf8').includes('AbortSignal.any('))
  expect(without.map(name => name.replaceAll('\\', '/'))).toEqual(['base/any-signal.ts'])
})
