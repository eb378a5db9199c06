import { describe, expect, test } from 'vitest'

import { digestBytes } from '../../../src/store/files/digest.ts'
import type { Disk, Look } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { type Lock, type Locked, loadLock, writeLock } from '../../../src/store/lock/lock.ts'
import { type Compose, lockSaver } from '../../../src/store/lock/lock-saver.ts'
import { readRescued, rescuePlace } from '../../../src/store/lock/rescued.ts'

import { fates, type MemoryDisk, memoryDisk, place } from '../memory-disk.ts'
import { handClock, named, settled } from '../records.ts'
import { clip, hero, lock, text } from './sample.ts'

function renames(disk: { readonly calls: readonly string[] }): number {
  return disk.calls.filter(call => call.startsWith('rename')).length
}

test('saves in a row are written as two: the first at once, the last after a while', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  saver.save(() => ({ ...lock, jobs: [] }))
  await settled()
  expect(disk.files()['/t.lock.json']).toBe(writeLock({ ...lock, jobs: [] }))
  for (let nth = 0; nth < 100; nth++) saver.save(() => ({ ...lock, jobs: [clip] }))
  saver.save(() => lock)
  await clock.move(499)
  expect(renames(disk)).toBe(1)
  await clock.move(1)
  expect(disk.files()).toEqual({ '/t.lock.json': text })
  expect(renames(disk)).toBe(2)
})

test('a lock that takes long to write is written more seldom: a tenth of the time goes into it', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  const slowly = async (jobs: Lock['jobs'], ms = 200) => {
    saver.save(() => {
      void clock.move(ms)
      return { ...lock, jobs }
    })
    await settled()
  }
  await slowly([])
  expect(renames(disk)).toBe(1)
  await slowly([hero])
  await clock.move(1799)
  expect(renames(disk)).toBe(1)
  await clock.move(1)
  expect(renames(disk)).toBe(2)
  // A disk that hung once.
  await slowly([], 20_000)
  await clock.move(1800)
  expect(renames(disk)).toBe(3)
  await slowly([hero])
  await clock.move(29_999)
  expect(renames(disk)).toBe(3)
  await clock.move(1)
  expect(renames(disk)).toBe(4)
})

test('whoever waits for the lock shares the writes, and gets one that holds what was asked', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  const seen: string[] = []
  const ask = async (jobs: Lock['jobs']) => {
    saver.save(() => ({ ...lock, jobs }))
    await saver.soon()
    seen.push(disk.files()['/t.lock.json'] ?? '')
  }
  const before = clock.now()
  await Promise.all([ask([]), ask([clip]), ask([clip, hero])])
  // It was composed when all had asked: one write holds it all.
  expect(seen).toEqual([text, text, text])
  expect(renames(disk)).toBe(1)
  // While one is written the next cannot know whether it is in it.
  await Promise.all([ask([]), ...Array.from({ length: 50 }, () => Promise.resolve().then(() => ask([hero])))])
  expect(seen.slice(4).every(each => each.includes('"k2"'))).toBe(true)
  expect(renames(disk)).toBeLessThanOrEqual(3)
  expect(clock.now()).toBe(before)
})

test('a lock that was taken away is written again, although it says the same', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  const save = () => saver.save(() => lock)
  save()
  await saver.flush()
  save()
  await saver.flush()
  expect(renames(disk)).toBe(1)
  disk.remove('/t.lock.json')
  save()
  await saver.flush()
  expect(disk.files()).toEqual({ '/t.lock.json': text })
  disk.remove('/t.lock.json')
  save()
  saver.saveAtExit()
  expect(disk.files()).toEqual({ '/t.lock.json': text })
})

test('a lock that cannot be looked at is trouble as any other', async () => {
  const disk = memoryDisk()
  const hidden = new StorageError('/t.lock.json', 'look at', 'permission denied', 'EACCES')
  const look = () => {
    throw hidden
  }
  const saver = lockSaver({ path: '/t.lock.json', text, disk: { ...disk, look }, clock: handClock() })
  saver.save(() => lock)
  await saver.soon()
  await expect(saver.flush()).rejects.toBe(hidden)
})

test('nobody waits for a lock that nobody changed', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  await saver.soon()
  saver.save(() => lock)
  await saver.flush()
  await saver.soon()
  expect(renames(disk)).toBe(1)
})

test('a slow disk is asked for a quarter of the time while somebody waits', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock })
  const slowly = (jobs: Lock['jobs']) => {
    saver.save(() => {
      void clock.move(200)
      return { ...lock, jobs }
    })
    return saver.soon()
  }
  await slowly([])
  let isThere = false
  const waiting = slowly([hero]).then(() => (isThere = true))
  await clock.move(599)
  expect([isThere, renames(disk)]).toEqual([false, 1])
  await clock.move(1)
  await waiting
  expect(renames(disk)).toBe(2)
})

test('a disk that takes no lock keeps nobody waiting, and flush tells', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  disk.stopAt(1)
  saver.save(() => lock)
  await saver.soon()
  await expect(saver.flush()).rejects.toBeInstanceOf(StorageError)
  saver.save(() => ({ ...lock, jobs: [] }))
  await saver.soon()
  expect(saver.digest()).toBeUndefined()
})

test('its digest is that of the lock as it stands on disk', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  saver.save(() => ({ ...lock, jobs: [] }))
  await saver.soon()
  expect(saver.digest()).toBe(digestBytes(writeLock({ ...lock, jobs: [] })))
  saver.save(() => lock)
  expect(saver.digest()).toBe(digestBytes(writeLock({ ...lock, jobs: [] })))
  await saver.flush()
  expect(saver.digest()).toBe(digestBytes(text))
})

test('flush does not wait for the pause, and then the last lock is on the medium', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  saver.save(() => ({ ...lock, jobs: [] }))
  await settled()
  saver.save(() => lock)
  await saver.flush()
  expect(disk.restarted(() => false).files()).toEqual({ '/t.lock.json': text })
  saver.save(() => ({ ...lock, jobs: [hero] }))
  await saver.flush()
  expect(disk.files()['/t.lock.json']).toContain('hero')
  expect(disk.files()['/t.lock.json']).not.toContain('clip')
})

test.each([text, text.replaceAll('\n', '\r\n')])('a lock that says the same is not touched', async before => {
  const disk = memoryDisk()
  await place(disk, '/t.lock.json', before)
  const calls = disk.calls.length
  const saver = lockSaver({ path: '/t.lock.json', text: before, disk, clock: handClock() })
  saver.save(() => lock)
  await saver.flush()
  expect(disk.calls.length).toBe(calls)
})

test('whenever the power is cut during saves, the old or the new document stands there whole', async () => {
  const documents = [text, writeLock({ ...lock, jobs: [hero] }), writeLock({ ...lock, jobs: [] })]
  for (let step = 1; step <= 12; step++) {
    const disk = memoryDisk()
    await place(disk, '/t.lock.json', text)
    disk.stopAt(disk.calls.length + step)
    const saver = lockSaver({ path: '/t.lock.json', text, disk, clock: handClock() })
    for (const jobs of [[hero], []]) {
      saver.save(() => ({ ...lock, jobs }))
      await saver.flush().catch(error => expect(error).toBeInstanceOf(StorageError))
    }
    for (const after of fates(disk)) expect(documents).toContain(after.files()['/t.lock.json'])
  }
})

test('a long lock is written in pieces, and is the text that it would be as a whole', async () => {
  const disk = memoryDisk()
  const jobs = Array.from({ length: 6000 }, (_, nth) => ({ ...hero, id: named(`k${9000 - nth}`) }))
  const whole = writeLock({ ...lock, jobs })
  const sizes: number[] = []
  const write: Disk['write'] = (file, bytes) => {
    sizes.push(bytes.length)
    return disk.write(file, bytes)
  }
  const saver = lockSaver({ path: '/t.lock.json', disk: { ...disk, write }, clock: handClock() })
  saver.save(() => ({ ...lock, jobs }))
  await saver.flush()
  expect(disk.files()['/t.lock.json']).toBe(whole)
  expect(saver.digest()).toBe(digestBytes(whole))
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(1_010_000)
  const loaded = loadLock('/t.lock.json', 'teapots.yaml', disk)
  expect(loaded).toMatchObject({ got: 'lock', lock: { jobs: { length: 6000 } } })
})

test('a save that failed is told by flush, and the next one may succeed', async () => {
  const disk = memoryDisk()
  const saver = lockSaver({ path: '/t.lock.json', disk, clock: handClock() })
  disk.failAt(2)
  saver.save(() => ({ ...lock, jobs: [] }))
  await expect(saver.flush()).rejects.toThrow('no space left on the disk')
  saver.save(() => lock)
  await saver.flush()
  expect(disk.files()).toEqual({ '/t.lock.json': text })
})

test('a lock that another process keeps by now is left as it is, however late that shows', async () => {
  const disk = memoryDisk()
  await place(disk, '/t.lock.json', text)
  let asked = 0
  const mayReplace = () => {
    // Whole and synced under another name: from here on it would be one step.
    expect(Object.keys(disk.files())).toHaveLength(2)
    asked++
    return false
  }
  const saver = lockSaver({ path: '/t.lock.json', text, disk, clock: handClock(), mayReplace })
  saver.save(() => ({ ...lock, jobs: [] }))
  await saver.flush()
  expect(asked).toBe(1)
  expect(disk.files()).toEqual({ '/t.lock.json': text })
})

describe('a lock that somebody else replaced', () => {
  const path = '/t.lock.json'

  /** Keeps what it is told of, as a ledger does. */
  function keeper(...jobs: readonly Locked[]) {
    const known = new Map(jobs.map(each => [each.id, each]))
    const heard: string[][] = []
    const compose: Compose = news => {
      if (news.length > 0) heard.push(news.map(({ address }) => address))
      for (const entry of news) if (!known.has(entry.id)) known.set(entry.id, entry)
      return { ...lock, jobs: [...known.values()] }
    }
    return { known, heard, compose }
  }

  const textOf = (...jobs: readonly Locked[]) => writeLock({ ...lock, jobs })

  test('between two saves keeps what they bought, and is told of it once', async () => {
    const disk = memoryDisk()
    const { compose, heard } = keeper(hero)
    const saver = lockSaver({ path, disk, clock: handClock() })
    saver.save(compose)
    await saver.flush()
    await place(disk, path, textOf(clip))
    for (const _ of ['first', 'second']) {
      saver.save(compose)
      await saver.flush()
      expect(disk.files()[path]).toBe(textOf(hero, clip))
    }
    expect(heard).toEqual([['clip[fox]']])
  })

  test('since the last save is merged when the run ends, by itself or by a signal', async () => {
    const disk = memoryDisk()
    const { compose } = keeper(hero)
    const saver = lockSaver({ path, disk, clock: handClock() })
    saver.save(compose)
    await saver.flush()
    await place(disk, path, textOf(clip))
    await saver.flush()
    expect(disk.files()[path]).toBe(textOf(hero, clip))
    await place(disk, path, textOf(clip))
    saver.save(compose)
    saver.saveAtExit()
    expect(disk.files()[path]).toBe(textOf(hero, clip))
  })

  test('before the first save, or while one is written, is merged', async () => {
    const disk = memoryDisk()
    await place(disk, path, textOf(clip))
    const { compose } = keeper(hero)
    let isPulled = false
    const mayReplace = () => {
      if (!isPulled) void place(disk, path, textOf(clip, { ...clip, id: named('k9') }))
      isPulled = true
      return true
    }
    const saver = lockSaver({ path, disk, clock: handClock(), text: textOf(hero), mayReplace })
    saver.save(compose)
    await saver.flush()
    expect(disk.files()[path]).toBe(textOf(hero, clip, { ...clip, id: named('k9') }))
  })

  test('is not asked for what was taken out here', async () => {
    const disk = memoryDisk()
    await place(disk, path, textOf(hero, clip))
    const { compose, known } = keeper(hero, clip)
    const saver = lockSaver({ path, disk, clock: handClock(), text: textOf(hero, clip) })
    known.delete(hero.id)
    await place(disk, path, textOf(hero, clip, { ...clip, id: named('k9') }))
    saver.save(compose)
    await saver.flush()
    expect(disk.files()[path]).toBe(textOf(clip, { ...clip, id: named('k9') }))
  })

  test.each([
    ['another lineage', text.replace(/"lineage":"./, '"lineage":"e'), 'it is a lock of another lineage'],
    [
      'the marks of a conflict',
      `<<<<<<< ours\n${text}=======\n>>>>>>> theirs\n`,
      'it holds the marks of a merge conflict (line 1)',
    ],
  ])(
    'by one with %s is left alone, and ours is kept elsewhere until it may be written',
    async (_, theirs, why) => {
      const disk = memoryDisk()
      const { compose } = keeper(hero)
      const saver = lockSaver({ path, disk, clock: handClock(), refuge: '/refuge' })
      saver.save(compose)
      await saver.flush()
      expect(saver.displaced).toBeUndefined()
      await place(disk, path, theirs)
      saver.save(compose)
      await expect(saver.flush()).rejects.toThrow(
        `another text has its place: ${why}; what it should say is in`,
      )
      expect(saver.displaced?.detail).toContain('/refuge/')
      const rescued = () => Object.entries(disk.files()).flatMap(([at, its]) => (at === path ? [] : [its]))
      expect([disk.files()[path], rescued()]).toEqual([theirs, [textOf(hero)]])
      for (const each of Object.keys(disk.files())) if (each !== path) disk.remove(each)
      saver.save(compose)
      expect(() => saver.saveAtExit()).toThrow('another text has its place')
      expect([disk.files()[path], rescued()]).toEqual([theirs, [textOf(hero)]])
      await place(disk, path, textOf(clip))
      saver.save(compose)
      await saver.flush()
      expect([disk.files()[path], saver.displaced]).toEqual([textOf(hero, clip), undefined])
      // Nobody has to look for what its place says by now.
      expect(readRescued('/refuge', path, disk)).toEqual([])
    },
  )

  test.each<[string, (disk: MemoryDisk, file: string) => Partial<Look> | undefined, boolean]>([
    ['is found', () => undefined, true],
    ['is not believed where it is a link', () => ({ is: 'link' }), false],
    ['is not believed where it is of another user', () => ({ owner: 4711, mode: 0o600 }), false],
  ])('that was kept elsewhere %s', async (_, altered, isFound) => {
    const disk = memoryDisk()
    const { file, write } = rescuePlace('/refuge', path, disk)
    await write(textOf(hero))
    await place(disk, '/refuge/notes.json', textOf(clip))
    await place(disk, '/refuge/c0ffee123456-t.lock.json', '{')
    for (const odd of [file, '/refuge']) {
      const look = (at: string) => {
        const seen = disk.look(at)
        return seen && { ...seen, ...(at === odd && altered(disk, file)) }
      }
      const found = readRescued('/refuge', path, { ...disk, look })
      expect(found).toEqual(isFound ? [{ file, lock: { ...lock, jobs: [hero] }, isHere: true }] : [])
    }
    expect(readRescued('/refuge', '/elsewhere/t.lock.json', disk)).toMatchObject([{ isHere: false }])
    expect(readRescued(undefined, path, disk)).toEqual([])
  })

  test('is not read again while nobody touches it', async () => {
    const disk = memoryDisk()
    let reads = 0
    const readAll = (of: string) => {
      reads++
      return disk.readAll(of)
    }
    const { compose, known } = keeper(hero)
    const saver = lockSaver({ path, disk: { ...disk, readAll }, clock: handClock() })
    for (const id of ['k7', 'k8', 'k9']) {
      known.set(named(id), { ...clip, id: named(id) })
      saver.save(compose)
      await saver.flush()
    }
    expect(reads).toBe(0)
  })
})
