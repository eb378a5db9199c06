import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openThumbnails } from '../../src/thumbnails/thumbnails.ts'
import { freshFolder } from '../e2e/executable.ts'

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Clips of one letter, each of which is being made small until that is ended. */
function slow() {
  const output = freshFolder()
  const begun: string[] = []
  const open: (() => void)[] = []
  const decoder = {
    async firstFrame(bytes: Uint8Array) {
      begun.push(Buffer.from(bytes).toString())
      await new Promise<void>(resolve => open.push(resolve))
      return undefined
    },
    samples: () => Promise.resolve(undefined),
  }
  const thumbnails = openThumbnails(join(output, 'state', 'm', 'thumbnails'), () => true, decoder)
  const ask = (name: string, gone?: AbortSignal) => {
    writeFileSync(join(output, name), name)
    return thumbnails.of(keyOf(name), { output, path: name, type: 'video/mp4' }, gone)
  }
  return { begun, open, thumbnails, ask }
}

test('what was asked for last is made first, also what was asked for before, beside what is begun', async () => {
  const { begun, open, ask } = slow()
  const asked = [...'abcdef'].map(name => ask(name))
  // Three are begun at once, each when its file was read; of the others one begins where one ends.
  await expect.poll(() => begun.length).toBe(3)
  asked.push(ask('e'))
  for (const count of [3, 4, 5, 6]) {
    await expect.poll(() => begun.length).toBe(count)
    open.shift()?.()
  }
  expect(begun.slice(0, 3).toSorted().join('')).toBe('abc')
  expect(begun.slice(3).join('')).toBe('efd')
  for (const end of open) end()
  await Promise.all(asked)
})

test('what nobody waits for any more is not begun', async () => {
  const { begun, open, ask } = slow()
  const tabs = new Map([...'defg'].map(name => [name, new AbortController()]))
  const asked = [...'abcdefg'].map(name => ask(name, tabs.get(name)?.signal))
  await expect.poll(() => begun.length).toBe(3)
  // Another page waits for one of them.
  asked.push(ask('e'))
  for (const name of 'ef') tabs.get(name)?.abort()
  expect(await asked[5]).toBeUndefined()
  tabs.get('d')?.abort()
  // Asked for again, it is made.
  asked.push(ask('f'))
  for (const count of [3, 4, 5, 6]) {
    await expect.poll(() => begun.length).toBe(count)
    open.shift()?.()
  }
  for (const end of open) end()
  await Promise.all(asked)
  expect(begun.slice(3).join('')).toBe('feg')
})

test('nothing is begun for a moment when somebody waits for a large picture', async () => {
  const { begun, open, thumbnails, ask } = slow()
  const restedAt = performance.now()
  thumbnails.rest()
  const asked = ask('a')
  await expect.poll(() => begun.length).toBe(1)
  expect(performance.now() - restedAt).toBeGreaterThan(200)
  open[0]?.()
  await asked
})
