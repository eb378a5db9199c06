import { expect, onTestFinished, test } from 'vitest'
import { type Pool, poolOf } from '../../../src/gateway/render/pool.ts'
import { imageRequest } from './tools.ts'

/** A pool whose threads answer by the prompt, and say as a file's type which thread they are. */
function pool(): Pool {
  const code = `
    import { parentPort, threadId } from 'node:worker_threads'
    const answer = () => parentPort.postMessage({ files: [{ bytes: new Uint8Array(3), type: String(threadId) }] })
    parentPort.on('message', ({ prompt }) => {
      if (prompt === 'refuse') return parentPort.postMessage({ error: 'no such pen' })
      if (prompt === 'break') throw new Error('out of paper')
      if (prompt === 'end') return process.exit()
      if (prompt !== 'hold') return answer()
    })`
  const made = poolOf(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
  onTestFinished(() => made.close())
  return made
}

const threadOf = async (each: Pool, prompt: string) => (await each.render(imageRequest({ prompt })))[0]!.type

test('one thread does what comes one after the other, several what comes at once', async () => {
  const each = pool()
  const first = await threadOf(each, 'one')
  expect(await threadOf(each, 'two')).toBe(first)
  const threads = await Promise.all([threadOf(each, 'three'), threadOf(each, 'four')])
  expect(new Set(threads).size).toBe(2)
  expect(threads).toContain(first)
})

test('what cannot be rendered is said, and the thread goes on', async () => {
  const each = pool()
  const first = await threadOf(each, 'one')
  await expect(threadOf(each, 'refuse')).rejects.toThrow('no such pen')
  expect(await threadOf(each, 'two')).toBe(first)
})

test.each([
  ['break', 'out of paper'],
  ['end', 'the thread ended'],
])(
  'a thread that ends over a request rejects it, and another takes its place (%s)',
  async (prompt, message) => {
    const each = pool()
    const first = await threadOf(each, 'one')
    await expect(threadOf(each, prompt)).rejects.toThrow(message)
    expect(await threadOf(each, 'two')).not.toBe(first)
  },
)

test('closing ends what is under way', async () => {
  const each = pool()
  const held = threadOf(each, 'hold')
  const ended = expect(held).rejects.toThrow('the thread ended')
  await each.close()
  await ended
})
