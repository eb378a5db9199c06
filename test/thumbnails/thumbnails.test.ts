import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openThumbnails } from '../../src/thumbnails/thumbnails.ts'
import { freshFolder } from '../e2e/executable.ts'

test('what was asked for last is made first, beside what is begun', async () => {
  const output = freshFolder()
  const begun: string[] = []
  let go: () => void = () => undefined
  const gate = new Promise<void>(resolve => (go = resolve))
  const decoder = {
    async firstFrame(bytes: Uint8Array) {
      begun.push(Buffer.from(bytes).toString())
      await gate
      return undefined
    },
    samples: () => Promise.resolve(undefined),
  }
  const thumbnails = openThumbnails(join(output, 'state', 'm', 'thumbnails'), () => true, decoder)
  const asked = [...'abcdef'].map(name => {
    writeFileSync(join(output, name), name)
    return thumbnails.of(name.repeat(64), { output, path: name, type: 'video/mp4' })
  })
  await expect.poll(() => begun.length).toBe(3)
  go()
  await Promise.all(asked)
  // The first three were begun before the others waited, each when its file was read.
  expect(begun.slice(0, 3).toSorted().join('')).toBe('abc')
  expect(begun.slice(3).join('')).toBe('fed')
})
