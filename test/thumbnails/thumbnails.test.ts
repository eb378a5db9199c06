import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openThumbnails } from '../../src/thumbnails/thumbnails.ts'
import { freshFolder } from '../e2e/executable.ts'

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex')

test('what was asked for last is made first, also what was asked for before, beside what is begun', async () => {
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
  const asked = [...'abcdef'].map(name => {
    writeFileSync(join(output, name), name)
    return thumbnails.of(keyOf(name), { output, path: name, type: 'video/mp4' })
  })
  // Three are begun at once, each when its file was read; of the others one begins where one ends.
  await expect.poll(() => begun.length).toBe(3)
  asked.push(thumbnails.of(keyOf('e'), { output, path: 'e', type: 'video/mp4' }))
  for (const count of [3, 4, 5, 6]) {
    await expect.poll(() => begun.length).toBe(count)
    open.shift()?.()
  }
  expect(begun.slice(0, 3).toSorted().join('')).toBe('abc')
  expect(begun.slice(3).join('')).toBe('efd')
  for (const end of open) end()
  await Promise.all(asked)
})
