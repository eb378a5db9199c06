import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { anySignal } from '../../src/base/any-signal.ts'
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

test('every signal that is made of others is made so', () => {
  const src = join(import.meta.dirname, '../../src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  const without = files.filter(name => readFileSync(join(src, name), 'utf8').includes('AbortSignal.any('))
  expect(without.map(name => name.replaceAll('\\', '/'))).toEqual(['base/any-signal.ts'])
})
