import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { publish } from '../../../src/store/files/publish.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { fates, type MemoryDisk, memoryDisk, place } from '../memory-disk.ts'

const root = mkdtempSync(join(tmpdir(), 'genrun-publish-'))
afterAll(() => rmSync(root, { recursive: true }))

test('on the real disk a part gets its final name and loses its own', async () => {
  writeFileSync(join(root, 'part'), 'picture')
  expect(await publish(systemDisk, join(root, 'part'), join(root, 'hero.png'))).toBe('published')
  expect(readdirSync(root)).toEqual(['hero.png'])
})

test('what has the old name by the time that it is taken away is left alone', async () => {
  const folder = mkdtempSync(join(root, 'woken-'))
  const part = join(folder, 'part')
  writeFileSync(part, 'picture')
  // As if the process had been paused, and another one had put its own file there.
  const paused = {
    ...systemDisk,
    async syncFolder(path: string) {
      rmSync(part)
      writeFileSync(part, 'another')
      await systemDisk.syncFolder(path)
    },
  }
  expect(await publish(paused, part, join(folder, 'hero.png'))).toBe('published')
  expect(readFileSync(part, 'utf8')).toBe('another')
})

test.each([
  ['a file', (path: string) => writeFileSync(path, 'by hand')],
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link to nowhere', (path: string) => symlinkSync('/nowhere', path)],
])('%s under the final name is left alone', async (_, make) => {
  const folder = mkdtempSync(join(root, 'taken-'))
  writeFileSync(join(folder, 'part'), 'picture')
  make(join(folder, 'hero.png'))
  expect(await publish(systemDisk, join(folder, 'part'), join(folder, 'hero.png'))).toBe('taken')
  expect(readFileSync(join(folder, 'part'), 'utf8')).toBe('picture')
  expect(systemDisk.look(join(folder, 'hero.png'))).toBeDefined()
})

const lacking = [undefined, 'links', 'other-folders'] as const

async function withPart(lacks: (typeof lacking)[number]): Promise<MemoryDisk> {
  const disk = memoryDisk()
  await place(disk, '/out/.genrun/part', 'picture')
  if (lacks) disk.without(lacks)
  return disk
}

test.each(lacking)('it works on a disk without %s', async lacks => {
  const disk = await withPart(lacks)
  expect(await publish(disk, '/out/.genrun/part', '/out/hero.png')).toBe('published')
  expect(disk.files()).toEqual({ '/out/hero.png': 'picture' })
})

test.each(lacking)('nothing is replaced on a disk without %s', async lacks => {
  const disk = await withPart(lacks)
  await place(disk, '/out/hero.png', 'by hand')
  expect(await publish(disk, '/out/.genrun/part', '/out/hero.png')).toBe('taken')
  expect(disk.files()).toEqual({ '/out/.genrun/part': 'picture', '/out/hero.png': 'by hand' })
})

test.each(lacking)(
  'whenever the power is cut (without %s), the picture is whole somewhere, and again leads to its name',
  async lacks => {
    for (let step = 1; step < 20; step++) {
      const disk = await withPart(lacks)
      disk.stopAt(disk.calls.length + step)
      const ended = await publish(disk, '/out/.genrun/part', '/out/hero.png').catch(error => error)
      if (!(ended instanceof StorageError)) return
      for (const after of fates(disk)) {
        const { '/out/hero.png': final, '/out/.genrun/part': part } = after.files()
        expect([final, part]).toContain('picture')
        expect([undefined, 'picture']).toContain(final)
        // A disk that cannot give two names leaves two equal files.
        const again =
          part === undefined ? 'published' : await publish(after, '/out/.genrun/part', '/out/hero.png')
        expect(again).toBe(
          lacks !== undefined && final !== undefined && part !== undefined ? 'taken' : 'published',
        )
        expect(after.files()['/out/hero.png']).toBe('picture')
      }
    }
    expect.unreachable('it must end')
  },
)

test('a name that someone takes while the part is copied is not replaced', async () => {
  const disk = await withPart('links')
  const racing = {
    ...disk,
    async *readPieces(path: string) {
      await place(disk, '/out/hero.png', 'by hand')
      yield* disk.readPieces(path)
    },
  }
  expect(await publish(racing, '/out/.genrun/part', '/out/hero.png')).toBe('taken')
  expect(disk.files()).toEqual({ '/out/.genrun/part': 'picture', '/out/hero.png': 'by hand' })
})
