import { describe, expect, test } from 'vitest'
import { bodyStream } from '../../../src/wire/http/body-stream.ts'

function tap() {
  const calls: string[] = []
  return {
    calls,
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    close: () => calls.push('close'),
  }
}

describe('a body on its way in', () => {
  test('gives everything that came before the error', async () => {
    const flow = bodyStream(tap())
    flow.push(Buffer.from('a'))
    flow.push(Buffer.from('b'))
    flow.fail(new Error('reset'))
    let read = ''
    await expect(async () => {
      for await (const chunk of flow.chunks) read += String(chunk)
    }).rejects.toThrow('reset')
    expect(read).toBe('ab')
  })

  test('waits for what is still to come', async () => {
    const flow = bodyStream(tap())
    const reading = (async () => {
      let read = ''
      for await (const chunk of flow.chunks) read += String(chunk)
      return read
    })()
    flow.push(Buffer.from('a'))
    await Promise.resolve()
    flow.push(Buffer.from('b'))
    flow.end()
    flow.fail(new Error('too late to matter'))
    expect(await reading).toBe('ab')
  })

  test('pauses the connection while its reader is far behind', async () => {
    const from = tap()
    const flow = bodyStream(from)
    flow.push(Buffer.alloc(250_000))
    expect(from.calls).toEqual([])
    flow.push(Buffer.alloc(250_000))
    expect(from.calls).toEqual(['pause'])
    flow.end()
    for await (const _ of flow.chunks) expect(from.calls).toContain('resume')
  })

  test('closes the connection when its reader leaves early, and only then', async () => {
    const from = tap()
    const flow = bodyStream(from)
    flow.push(Buffer.from('a'))
    for await (const _ of flow.chunks) break
    expect(from.calls).toContain('close')
  })
})
