import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sweepTemporary, writeAtomically } from '../../../src/store/files/atomic-write.ts'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { fates, memoryDisk, place } from '../memory-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-whole-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a file is replaced as a whole on the real disk, with the mode asked for and nothing left over', async () => {
  const path = join(folder, 'a.json')
  writeFileSync(path, 'old')
  await writeAtomically(systemDisk, path, 'new', { mode: 0o600 })
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('a short write is continued', async () => {
  const disk = memoryDisk()
  disk.takeAtMost(3)
  await writeAtomically(disk, '/a', 'ten letters and more')
  expect(disk.files()).toEqual({ '/a': 'ten letters and more' })
})

async function callsOfOneWrite(): Promise<number> {
  const disk = memoryDisk()
  await place(disk, '/a', 'old')
  const before = disk.calls.length
  await writeAtomically(disk, '/a', 'new')
  return disk.calls.length - before
}

test('it takes five steps: create, write, sync, rename, sync the folder', async () => {
  expect(await callsOfOneWrite()).toBe(5)
})

test.each([1, 2, 3, 4, 5])(
  'when step %i fails, it is told, and the old or the new file is there, whole',
  async step => {
    const disk = memoryDisk()
    await place(disk, '/a', 'old')
    disk.failAt(disk.calls.length + step)
    await expect(writeAtomically(disk, '/a', 'new')).rejects.toThrow(StorageError)
    expect(disk.files()).toEqual({ '/a': step === 5 ? 'new' : 'old' })
  },
)

test.each([1, 2, 3, 4, 5])(
  'when the power is cut at step %i, the old or the new file is there, whole',
  async step => {
    const disk = memoryDisk()
    await place(disk, '/a', 'old')
    disk.stopAt(disk.calls.length + step)
    await expect(writeAtomically(disk, '/a', 'new')).rejects.toThrow(StorageError)
    for (const after of fates(disk)) expect(['old', 'new']).toContain(after.files()['/a'])
  },
)

test('when it resolves, a power cut does not take the new file away', async () => {
  const disk = memoryDisk()
  await place(disk, '/a', 'old')
  await writeAtomically(disk, '/a', 'new')
  for (const after of fates(disk)) expect(after.files()).toEqual({ '/a': 'new' })
})

test('what killed processes left of a file is taken away, and nothing else', async () => {
  const token = '0123456789abcdef'.repeat(2)
  const left = [
    `.a.json.${token}.tmp`,
    `.b.json.${token}.tmp`,
    '.a.json.old.tmp',
    'a.json',
    `a.json.${token}.tmp`,
  ]
  const disk = memoryDisk()
  for (const name of left) await place(disk, `/p/${name}`, 'x')
  sweepTemporary(disk, '/p', name => name === 'a.json')
  expect(Object.keys(disk.files())).toEqual(left.slice(1).map(name => `/p/${name}`))
  sweepTemporary(disk, '/nowhere', () => true)
})

test('trouble names the file, the deed and the cause', async () => {
  const missing = join(folder, 'nowhere', 'a.json')
  await expect(writeAtomically(systemDisk, missing, 'new')).rejects.toMatchObject({
    name: 'StorageTrouble',
    doing: 'open',
    detail: 'it is not there',
    code: 'ENOENT',
  })
})
