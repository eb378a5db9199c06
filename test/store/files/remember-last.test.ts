import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { forgetLast, rememberLast } from '../../../src/store/files/remember-last.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

test('the last one is held while it may be asked for again, and its room is free when nobody will', async () => {
  const last = rememberLast<{ readonly text: string }>()
  const isHeld = async () => {
    // What a weak reference was asked for lives until this task is over.
    await new Promise(resolve => setImmediate(resolve))
    collect()
    return last.get() !== undefined
  }
  expect(last.get()).toBeUndefined()
  last.keep({ text: 'the first' })
  last.keep({ text: 'a lock' })
  expect([await isHeld(), last.get()?.text]).toEqual([true, 'a lock'])
  forgetLast()
  expect(await isHeld()).toBe(false)
  last.keep({ text: 'another' })
  expect(await isHeld()).toBe(true)
})
