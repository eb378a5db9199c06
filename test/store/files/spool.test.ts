import { expect, test } from 'vitest'
import type { Look } from '../../../src/store/files/disk.ts'
import { openSpool } from '../../../src/store/files/spool.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { memoryDisk, place } from '../memory-disk.ts'

async function* stream(...pieces: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece
    yield Buffer.from(piece)
  }
}

test('an answer is on the medium when its path is given', async () => {
  const disk = memoryDisk()
  const path = await openSpool('/s', disk).sink(stream('{"id":', '"r-1"}'), 'a1')
  expect(path).toBe('/s/a1')
  expect(disk.restarted(() => false).files()).toEqual({ '/s/a1': '{"id":"r-1"}' })
})

test('an answer that breaks off is kept as far as it came', async () => {
  const disk = memoryDisk()
  await expect(openSpool('/s', disk).sink(stream('{"id":"r-1",', new Error('reset')), 'a1')).rejects.toThrow(
    'reset',
  )
  expect(disk.restarted(() => false).files()).toEqual({ '/s/a1': '{"id":"r-1",' })
})

test('a name that is taken is not written over', async () => {
  const disk = memoryDisk()
  const spool = openSpool('/s', disk)
  await spool.sink(stream('one'), 'a1')
  expect(await spool.sink(stream('two'), 'a1')).toBe('/s/a1-2')
  expect(spool.list()).toEqual(['/s/a1', '/s/a1-2'])
})

test.each(['../a', 'a/b', '.hidden', '', 'a b'])('%j is no name for a spool file', async name => {
  await expect(openSpool('/s', memoryDisk()).sink(stream('x'), name)).rejects.toThrow('not a name')
})

test.each([1, 2, 3, 4, 5, 6])('when call %i fails it is told as trouble with the disk', async step => {
  const disk = memoryDisk()
  disk.failAt(step)
  await expect(openSpool('/s', disk).sink(stream('one'), 'a1')).rejects.toThrow(StorageError)
})

test('files are removed when their job is done; those elsewhere, and those that are gone, are passed over', async () => {
  const disk = memoryDisk()
  await place(disk, '/home/precious', 'mine')
  const spool = openSpool('/s', disk)
  const path = await spool.sink(stream('one'), 'a1')
  spool.remove([path, path, '/home/precious', '../home/precious'])
  expect(disk.files()).toEqual({ '/home/precious': 'mine' })
})

test('a spooled file is found after the project has moved', async () => {
  const disk = memoryDisk()
  await place(disk, '/new/spool/a1', 'one')
  expect(openSpool('/new/spool', disk).find('/old/spool/a1')).toBe('/new/spool/a1')
  expect(openSpool('/new/spool', disk).find('/old/spool/a2')).toBeUndefined()
})

test('what comes after the spool was taken away is put outside of the project, and found there by its name', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/refuge')
  const path = await openSpool('/home/spool', disk, '/refuge').sink(stream('one'), 'a1')
  expect(disk.files()).toEqual({ '/refuge/a1': 'one' })
  const elsewhere = openSpool('/new/spool', disk, '/refuge')
  expect(elsewhere.find(path)).toBe('/refuge/a1')
  elsewhere.remove([path])
  expect(disk.files()).toEqual({})
})

test('where a power cut brought back what had no room, what lies outside of the project is the answer', async () => {
  const disk = memoryDisk()
  await place(disk, '/s/a1', '')
  await place(disk, '/refuge/a1', 'one')
  const spool = openSpool('/s', disk, '/refuge')
  expect([spool.find('/refuge/a1'), spool.find('/s/a1')]).toEqual(['/refuge/a1', '/s/a1'])
  spool.remove(['/refuge/a1'])
  expect(disk.files()).toEqual({})
})

test('nothing is put outside of the project where somebody else could read it', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/refuge')
  const look = (path: string): Look | undefined => {
    const seen = disk.look(path)
    return seen && path === '/refuge' ? { ...seen, owner: 4711, mode: 0o755 } : seen
  }
  await openSpool('/home/spool', { ...disk, look }, '/refuge').sink(stream('one'), 'a1')
  expect(disk.files()).toEqual({ '/home/spool/a1': 'one' })
})

test('what the disk of the spool takes only in part is put outside of the project, whole, and the trouble is known', async () => {
  const ends: string[] = []
  for (let step = 1; step <= 14; step++) {
    const disk = memoryDisk()
    for (const folder of ['/s', '/refuge']) disk.makeFolder(folder)
    disk.takeAtMost(2)
    const spool = openSpool('/s', disk, '/refuge')
    // The folders were two calls.
    disk.failAt(2 + step)
    const path = await spool.sink(stream('one, ', 'two, ', 'three'), 'a1').catch(() => undefined)
    const whole = Object.entries(disk.files()).filter(([, text]) => text === 'one, two, three')
    expect(whole.map(([at]) => at)).toEqual([path ?? '/s/a1'])
    expect(spool.broken !== undefined).toBe(path !== '/s/a1')
    if (path) expect(spool.written(path)?.bytes).toBe(15)
    ends.push(path ?? 'told')
  }
  // The folder or the name is not made, or one of nine writes fails; what is written and cannot be synced is told as trouble.
  expect(ends).toEqual([...Array.from({ length: 11 }, () => '/refuge/a1'), 'told', 'told', '/s/a1'])
})

test('where nothing takes it, the trouble is that of the disk', async () => {
  const disk = memoryDisk()
  for (const folder of ['/s', '/refuge']) disk.makeFolder(folder)
  disk.stopAt(2)
  await expect(openSpool('/s', disk, '/refuge').sink(stream('one'), 'a1')).rejects.toThrow(StorageError)
})
