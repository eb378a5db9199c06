import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Digest, jobAddress } from '../../../src/base/names.ts'
import type { JournalRecord } from '../../../src/base/purchase.ts'
import type { Disk } from '../../../src/store/files/disk.ts'
import { StorageError } from '../../../src/store/files/storage-error.ts'
import { type Journal, lineageOf, outputsIn, readJournal } from '../../../src/store/journal/journal.ts'
import { openJournal } from '../../../src/store/journal/open-journal.ts'
import { fates, type MemoryDisk, memoryDisk, place } from '../memory-disk.ts'
import {
  close,
  handClock,
  intent,
  journalFile,
  named,
  open,
  run,
  sending,
  settled,
  stamped,
  teapot,
} from '../records.ts'

const lineage = '0123456789abcdef'.repeat(2)
const root = mkdtempSync(join(tmpdir(), 'genrun-journal-'))
afterAll(() => rmSync(root, { recursive: true }))

async function opened(disk: Disk, more: object = {}): Promise<Journal> {
  const got = await openJournal({
    folder: '/j',
    lineage,
    tool: 'genrun test',
    disk,
    clock: handClock(),
    ...more,
  })
  if (got.got === 'damaged') throw new Error(`${got.file} ${got.offset} ${got.why}`)
  return got.journal
}

function kindsOf(disk: Disk): string[] {
  const reading = readJournal('/j', disk)
  if (reading.got !== 'records') throw new Error(`${reading.got} ${reading.file}`)
  return reading.entries.map(entry => entry.kind)
}

const accepted = { kind: 'ACCEPTED', purchase: teapot, attempt: 'a1', run: run('r-1') } as const
const refused = { kind: 'REFUSED', purchase: teapot, attempt: 'a1', detail: 'no' } as const

test('on the real disk, what one run wrote the next one reads, and nobody else may', async () => {
  const folder = join(root, 'journal')
  const first = await openJournal({ folder, lineage, tool: 'genrun test' })
  if (first.got === 'damaged') throw new Error(first.why)
  expect(first.entries).toEqual([])
  await first.journal.append(intent('a1'))
  await first.journal.append(sending('a1'))
  await first.journal.append(accepted)
  await first.journal.close()
  const second = await openJournal({ folder, lineage, tool: 'genrun test' })
  if (second.got === 'damaged') throw new Error(second.why)
  expect(second.entries).toMatchObject(
    [open.kind, 'INTENT', 'SENDING', 'ACCEPTED', 'CLOSE'].map(kind => ({ kind })),
  )
  expect(second.entries[3]).toMatchObject(accepted)
  await second.journal.close()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, '000002.jnl')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, '000002.jnl'), 'utf8').split('\n')).toHaveLength(8)
  expect(readdirSync(folder)).toEqual(['000002.jnl'])
})

test('one that is taken away while it is opened is told, and none is begun that lacks what it held', async () => {
  const disk = memoryDisk()
  await (await opened(disk)).close()
  const cleaned: Disk = {
    ...disk,
    open(path, how, mode) {
      if (how === 'append') disk.remove(path)
      return disk.open(path, how, mode)
    },
  }
  await expect(opened(cleaned)).rejects.toThrow('it was taken away while genrun began')
  expect(kindsOf(disk)).toEqual([])
  await (await opened(disk)).close()
  expect(kindsOf(disk)).toEqual(['OPEN', 'CLOSE'])
})

test('reading a journal leaves everything as it is', async () => {
  const disk = memoryDisk()
  expect(readJournal('/j', disk)).toMatchObject({ got: 'records', file: undefined, entries: [] })
  await place(disk, '/j/000001.jnl', '\n0123')
  const before = disk.calls.length
  expect(readJournal('/j', disk)).toMatchObject({ got: 'records', entries: [], tail: Buffer.from('\n0123') })
  expect(disk.calls.length).toBe(before)
})

test('SENDING is on the medium when it is let go, and everything before it', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  await journal.append(intent('a1'))
  await journal.append(sending('a1'))
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'INTENT', 'SENDING'])
})

test('a record that must be waited for is on the medium when it resolves, and not before', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  const appended = journal.append(accepted)
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN'])
  await appended
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'ACCEPTED'])
})

test('many jobs share a sync, and those that come during it share the next', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  const before = syncs(disk)
  const first = Array.from({ length: 50 }, () => journal.append(accepted))
  await Promise.resolve()
  await Promise.resolve()
  const second = Array.from({ length: 50 }, () => journal.append(accepted))
  await Promise.all([...first, ...second])
  expect(syncs(disk) - before).toBe(2)
  expect(kindsOf(disk.restarted(() => false))).toHaveLength(101)
})

function syncs(disk: MemoryDisk): number {
  return disk.calls.filter(call => call.startsWith('sync /j/')).length
}

test('a refusal is synced within 100 ms, with the others of that time', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const journal = await opened(disk, { clock })
  const before = syncs(disk)
  await journal.append(refused)
  await journal.append(refused)
  await clock.move(99)
  expect(syncs(disk) - before).toBe(0)
  await clock.move(1)
  expect(syncs(disk) - before).toBe(1)
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'REFUSED', 'REFUSED'])
  await journal.append(refused)
  await clock.move(100)
  expect(syncs(disk) - before).toBe(2)
})

test('what is durable elsewhere is not waited for, and synced within 100 ms; all the rest is waited for', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const journal = await opened(disk, { clock, backed: new Set(['SENDING']) })
  const before = syncs(disk)
  await journal.append(intent('a1'))
  await journal.append(sending('a1'))
  expect(syncs(disk) - before).toBe(0)
  await clock.move(100)
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'INTENT', 'SENDING'])
  await journal.append(accepted)
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'INTENT', 'SENDING', 'ACCEPTED'])
})

test('an intent alone is not synced; closing syncs everything', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const journal = await opened(disk, { clock })
  const before = syncs(disk)
  await journal.append(intent('a1'))
  await clock.move(10_000)
  expect(syncs(disk) - before).toBe(0)
  await journal.append(refused)
  await journal.close()
  expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'INTENT', 'REFUSED', 'CLOSE'])
  await clock.move(10_000)
  await expect(journal.append(sending('a1'))).rejects.toThrow('the journal is closed')
})

test('a disk that takes seven bytes at a time gets whole records', async () => {
  const disk = memoryDisk()
  disk.takeAtMost(7)
  const journal = await opened(disk)
  await journal.append(accepted)
  expect(kindsOf(disk)).toEqual(['OPEN', 'ACCEPTED'])
})

// Write and sync of SENDING, of ACCEPTED, and of CLOSE.
test.each([1, 2, 3, 4, 5, 6])(
  'when call %i fails, nothing is appended any more, nothing is synced again',
  async step => {
    const disk = memoryDisk()
    const journal = await opened(disk)
    disk.failAt(disk.calls.length + step)
    const troubles: unknown[] = []
    const trying = async (act: () => unknown) => {
      try {
        await act()
      } catch (error) {
        troubles.push(error)
      }
    }
    await trying(() => journal.append(sending('a1')))
    await trying(() => journal.append(accepted))
    await trying(() => journal.close())
    const calls = disk.calls.length
    await trying(() => journal.append(refused))
    await settled()
    expect(journal.broken).toBeInstanceOf(StorageError)
    expect(new Set(troubles.slice(0, -1))).toEqual(new Set([journal.broken]))
    expect(disk.calls.length).toBe(calls)
    expect(troubles.length).toBe(step <= 2 ? 4 : step <= 4 ? 3 : 2)
  },
)

test('after a failed sync, everyone who waited for it is told the same trouble', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  disk.failAt(disk.calls.length + 4)
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => journal.append(accepted)))
  expect(outcomes).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason: journal.broken })))
  await expect(journal.append(sending('a1'))).rejects.toThrow(journal.broken)
})

describe('what a failed sync may have dropped', () => {
  async function broken() {
    const disk = memoryDisk()
    const journal = await opened(disk)
    await journal.append(sending('a1'))
    // Its write goes well.
    disk.failAt(disk.calls.length + 2)
    await expect(journal.append(accepted)).rejects.toThrow(StorageError)
    return { disk, journal }
  }

  test('outlives a power cut once the journal is closed', async () => {
    const { disk, journal } = await broken()
    expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'SENDING'])
    await expect(journal.close()).rejects.toBe(journal.broken)
    expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'SENDING', 'ACCEPTED', 'CLOSE'])
  })

  test('does not come back where another run has taken the journal over', async () => {
    const { disk, journal } = await broken()
    const [file = ''] = Object.keys(disk.files()).filter(path => path.endsWith('.jnl'))
    disk.remove(file)
    await expect(journal.close()).rejects.toBe(journal.broken)
    expect(Object.keys(disk.files()).filter(path => path.startsWith('/j/'))).toEqual([])
  })

  test('is no more trouble than there was when the disk takes nothing any more', async () => {
    const { disk, journal } = await broken()
    disk.stopAt(disk.calls.length + 1)
    await expect(journal.close()).rejects.toBe(journal.broken)
  })
})

describe('what the disk had no room for', () => {
  const notSent = { kind: 'NOTSENT', purchase: teapot, attempt: 'a1' } as const

  /** An order is written down as sent, another record finds no room, and the order is held back for that. */
  async function heldBack(disk: MemoryDisk, at: Disk = disk) {
    const journal = await opened(at)
    await journal.append(sending('a1'))
    disk.failAt(disk.calls.length + 1)
    await expect(journal.append(accepted)).rejects.toThrow(StorageError)
    await expect(journal.append(notSent)).rejects.toBe(journal.broken)
    return journal
  }

  test('is there once the journal is closed: what was not sent is in no doubt', async () => {
    const disk = memoryDisk()
    const journal = await heldBack(disk)
    expect(kindsOf(disk)).toEqual(['OPEN', 'SENDING'])
    await expect(journal.close()).rejects.toBe(journal.broken)
    expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'SENDING', 'ACCEPTED', 'NOTSENT', 'CLOSE'])
  })

  test('is added where there is no room for a copy of the whole', async () => {
    const disk = memoryDisk()
    let isFull = false
    const journal = await heldBack(disk, {
      ...disk,
      open(path, how, mode) {
        if (isFull && how === 'create') throw new StorageError(path, 'open', 'no space left', 'ENOSPC')
        return disk.open(path, how, mode)
      },
    })
    isFull = true
    await expect(journal.close()).rejects.toBe(journal.broken)
    expect(kindsOf(disk.restarted(() => false))).toEqual(['OPEN', 'SENDING', 'ACCEPTED', 'NOTSENT', 'CLOSE'])
  })
})

test('a failed sync of refusals is told by the next append, and is nobody’s unhandled rejection', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  const journal = await opened(disk, { clock })
  disk.failAt(disk.calls.length + 2)
  await journal.append(refused)
  await clock.move(100)
  await expect(journal.append(sending('a1'))).rejects.toThrow(StorageError)
})

test('whenever the power is cut, the next run finds every record that was promised', async () => {
  for (let step = 1; step < 40; step++) {
    const disk = memoryDisk()
    disk.stopAt(step)
    const promised: string[] = []
    try {
      const journal = await opened(disk)
      promised.push('OPEN')
      await journal.append(intent('a1'))
      await journal.append(sending('a1'))
      promised.push('INTENT', 'SENDING')
      await journal.append(accepted)
      promised.push('ACCEPTED')
      await journal.close()
      promised.push('CLOSE')
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError)
    }
    for (const after of fates(disk)) expect(kindsOf(after).slice(0, promised.length)).toEqual(promised)
    if (promised.length === 5) return
  }
  expect.unreachable('it must end')
})

const history = stamped([open, intent('a1'), sending('a1'), accepted, close])

test.each([
  ['a torn record', '\n0123456789abcdef {"length":90,"at":12'],
  ['zeros', '\0'.repeat(300)],
])('%s at the end is kept aside and cut, and the chain goes on', async (_, tail) => {
  const disk = memoryDisk()
  await place(disk, '/j/000001.jnl', `${journalFile(history).bytes}${tail}`)
  const journal = await opened(disk)
  await journal.append(accepted)
  expect(kindsOf(disk)).toEqual([...history.map(entry => entry.kind), 'OPEN', 'ACCEPTED'])
  expect(disk.files()[`/j/000001.jnl.tail-${journalFile(history).bytes.length}`]).toBe(tail)
  for (const after of fates(disk)) expect(kindsOf(after)).toHaveLength(history.length + 2)
})

test('damage in the middle stops with file and offset, and nothing is touched', async () => {
  const disk = memoryDisk()
  const { bytes, ends } = journalFile(history)
  const altered = bytes.toString().replace('"attempt":"a1"', '"attempt":"a2"')
  await place(disk, '/j/000001.jnl', altered)
  const calls = disk.calls.length
  const got = await openJournal({ folder: '/j', lineage, tool: 't', disk, clock: handClock() })
  expect(got).toEqual({
    got: 'damaged',
    file: '/j/000001.jnl',
    offset: ends[0],
    why: 'a record was altered, lost, doubled or moved',
  })
  expect(disk.calls.length).toBe(calls)
})

const long = stamped([
  open,
  ...Array.from({ length: 30 }, () => [intent('a1'), sending('a1'), refused]).flat(),
  accepted,
])

test('a long journal is compacted into a new file, and says the same', async () => {
  const disk = memoryDisk()
  await place(disk, '/j/000007.jnl', journalFile(long).bytes.toString())
  const journal = await opened(disk, { compactAbove: 1000 })
  await journal.append(refused)
  expect(Object.keys(disk.files())).toEqual(['/j/000008.jnl'])
  expect(kindsOf(disk)).toEqual(['OPEN', 'INTENT', 'ACCEPTED', 'OPEN', 'REFUSED'])
})

test('one that was compacted is not compacted again for what a run adds, and is once that is much', async () => {
  const others = Array.from({ length: 30 }, (_, nth) => ({
    ...intent('a1'),
    purchase: named(`other${nth}`),
  }))
  const short = stamped([open, ...others, close])
  const disk = memoryDisk()
  await place(disk, '/j/000007.jnl', journalFile(short).bytes.toString())
  await opened(disk, { compactAbove: 1000 })
  expect(kindsOf(disk)).toEqual(['OPEN', ...others.map(({ kind }) => kind), 'CLOSE', 'OPEN'])
  for (let run = 0; run < 20; run++) await opened(disk, { compactAbove: 1000 })
  expect(kindsOf(disk).filter(kind => kind === 'OPEN').length).toBeLessThan(20)
})

test('every run has a file of its own, and what a paused process still writes to the old one changes nothing', async () => {
  const disk = memoryDisk()
  const paused = await opened(disk)
  await paused.append(intent('a1'))
  const next = await opened(disk)
  await paused.append(sending('a1'))
  await next.append(refused)
  expect(Object.keys(disk.files())).toEqual(['/j/000002.jnl'])
  expect(kindsOf(disk)).toEqual(['OPEN', 'INTENT', 'OPEN', 'REFUSED'])
})

test('whenever the power is cut while it is compacted, the records are there', async () => {
  for (let step = 1; step < 40; step++) {
    const disk = memoryDisk()
    await place(disk, '/j/000007.jnl', journalFile(long).bytes.toString())
    disk.stopAt(disk.calls.length + step)
    const ended = await opened(disk, { compactAbove: 1000 }).catch(error => error)
    for (const after of fates(disk)) {
      expect(kindsOf(after)).toContain('ACCEPTED')
      await opened(after, { compactAbove: 1000 })
      expect(kindsOf(after).slice(0, 3)).toEqual(['OPEN', 'INTENT', 'ACCEPTED'])
    }
    if (!(ended instanceof StorageError)) return
  }
  expect.unreachable('it must end')
})

describe('a journal of format 1', () => {
  const older = [
    { ...open, format: 1 },
    { kind: 'SENDING', address: 'hero' },
  ] as unknown as [typeof open]
  const opening = (disk: Disk) =>
    openJournal({ folder: '/j', lineage, tool: 't', disk, clock: handClock(), number: 8 })

  test('that came to its end is kept beside the new one, which begins without records', async () => {
    const disk = memoryDisk()
    const before = journalFile(stamped([...older, close])).bytes.toString()
    await place(disk, '/j/000007.jnl', before)
    expect(readJournal('/j', disk)).toEqual({ got: 'older', file: '/j/000007.jnl', isClosed: true })
    expect(await opening(disk)).toMatchObject({ got: 'journal', entries: [] })
    expect(Object.keys(disk.files()).toSorted()).toEqual(['/j/000007.jnl.older', '/j/000008.jnl'])
    expect(disk.files()['/j/000007.jnl.older']).toBe(before)
    expect(kindsOf(disk)).toEqual(['OPEN'])
  })

  test('is there under one name at least, whenever the power is cut', async () => {
    for (let step = 1; step < 40; step++) {
      const disk = memoryDisk()
      await place(disk, '/j/000007.jnl', journalFile(stamped([...older, close])).bytes.toString())
      disk.stopAt(disk.calls.length + step)
      const ended = await opening(disk).catch(error => error)
      for (const after of fates(disk)) {
        expect(Object.keys(after.files()).filter(path => path.includes('000007'))).not.toEqual([])
        expect(await opening(after)).toMatchObject({ got: 'journal' })
      }
      if (!(ended instanceof StorageError)) return
    }
    expect.unreachable('it must end')
  })

  test('whose last run did not come to its end is refused, and left as it is', async () => {
    const disk = memoryDisk()
    await place(disk, '/j/000007.jnl', journalFile(stamped(older)).bytes.toString())
    const calls = disk.calls.length
    expect(await opening(disk)).toEqual({
      got: 'damaged',
      file: '/j/000007.jnl',
      offset: 0,
      why: 'an older genrun wrote it, and its last run did not come to its end',
    })
    expect(disk.calls.length).toBe(calls)
  })
})

test('the lineage is that of the last run', () => {
  const other = { ...open, lineage: 'f'.repeat(32) }
  expect(lineageOf([open, close, other])).toBe('f'.repeat(32))
  expect(lineageOf([])).toBeUndefined()
})

test('one that lost its claim while it opened the journal does not take the place of the new holder', async () => {
  const disk = memoryDisk()
  const open = (number: number) => openJournal({ folder: '/j', lineage: 'l', tool: 'genrun', disk, number })
  await open(4)
  const later = await open(6)
  if (later.got !== 'journal') expect.unreachable(later.why)
  await later.journal.append({ kind: 'RESOLVE', purchase: teapot, decision: { is: 'over' } })
  await open(5)
  const reading = readJournal('/j', disk)
  expect(reading).toMatchObject({ got: 'records', file: '/j/000006.jnl' })
  expect(reading.got === 'records' && reading.entries.at(-1)).toMatchObject({ kind: 'RESOLVE' })
})

test('closing says what the lock was and what was not ordered, once', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  const lock = `sha256:${'a'.repeat(64)}` as Digest // of that form
  await journal.close(lock, [jobAddress('tea')])
  await journal.close()
  const reading = readJournal('/j', disk)
  if (reading.got !== 'records') throw new Error(reading.got)
  expect(reading.entries.slice(1)).toEqual([
    { kind: 'CLOSE', lock, skipped: ['tea'], at: expect.any(Number) },
  ])
  const other = memoryDisk()
  await (await opened(other)).close()
  const bare = readJournal('/j', other)
  if (bare.got !== 'records') throw new Error(bare.got)
  expect(Object.keys(bare.entries.at(-1) ?? {}).toSorted()).toEqual(['at', 'kind'])
})

test('it tells whether its file is still there', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  expect(journal.isThere()).toBe(true)
  for (const path of Object.keys(disk.files())) if (path.endsWith('.jnl')) disk.remove(path)
  expect(journal.isThere()).toBe(false)
})

test('after a failed sync nothing is added to the file it failed for', async () => {
  const disk = memoryDisk()
  let isFull = false
  const journal = await opened({
    ...disk,
    open(path, how, mode) {
      if (isFull && how === 'create') throw new StorageError(path, 'open', 'no space left', 'ENOSPC')
      return disk.open(path, how, mode)
    },
  })
  await journal.append(sending('a1'))
  disk.failAt(disk.calls.length + 2)
  await expect(journal.append(accepted)).rejects.toThrow(StorageError)
  isFull = true
  const before = disk.calls.length
  await expect(journal.close()).rejects.toBe(journal.broken)
  expect(disk.calls.slice(before).filter(call => call.startsWith('write'))).toEqual([])
})

test('a folder in the place of a file that was taken away is told as such, and stays', async () => {
  const disk = memoryDisk()
  await (await opened(disk)).close()
  const full: Disk = {
    ...disk,
    open(path, how, mode) {
      if (how !== 'append') return disk.open(path, how, mode)
      // Another genrun has made one with records of its own meanwhile.
      disk.remove(path)
      const theirs = disk.open(path, 'create')
      disk.write(theirs, Buffer.from('theirs'))
      return theirs
    },
  }
  await expect(opened(full)).rejects.toMatchObject({ doing: 'open', code: 'ENOENT' })
  expect(Object.values(disk.files())).toEqual(['theirs'])
})

test('refusals one after the other ask for one sync in their time', async () => {
  const disk = memoryDisk()
  const clock = handClock()
  let asked = 0
  const journal = await opened(disk, {
    clock: { ...clock, until: (date: number) => (asked++, clock.until(date)) },
  })
  for (let nth = 0; nth < 3; nth++) await journal.append(refused)
  expect(asked).toBe(1)
  await clock.move(100)
  await journal.append(refused)
  expect(asked).toBe(2)
})

test('a journal that is whole is closed as it is: nothing of it is written anew', async () => {
  const disk = memoryDisk()
  const journal = await opened(disk)
  await journal.append(sending('a1'))
  const before = disk.calls.length
  await journal.close()
  expect(disk.calls.slice(before)).toEqual(['write /j/000001.jnl', 'sync /j/000001.jnl'])
})

test('what is written anew after a failed sync is for its owner alone, and holds what was there before', async () => {
  const disk = memoryDisk()
  await (await opened(disk)).close()
  const modes: unknown[] = []
  const journal = await opened({
    ...disk,
    open(path, how, mode) {
      modes.push([how, mode])
      return disk.open(path, how, mode)
    },
  })
  await journal.append(sending('a1'))
  disk.failAt(disk.calls.length + 2)
  await expect(journal.append(accepted)).rejects.toMatchObject({ doing: 'sync' })
  modes.length = 0
  await expect(journal.close()).rejects.toBe(journal.broken)
  expect(modes).toEqual([['create', 0o600]])
  expect(kindsOf(disk.restarted(() => false))).toEqual([
    'OPEN',
    'CLOSE',
    'OPEN',
    'SENDING',
    'ACCEPTED',
    'CLOSE',
  ])
})

test('trouble that is none of the disk’s is not passed over when it closes', async () => {
  const disk = memoryDisk()
  let isOdd = false
  const journal = await opened({
    ...disk,
    readAll(path) {
      if (isOdd) throw new RangeError('a bug')
      return disk.readAll(path)
    },
  })
  await journal.append(sending('a1'))
  disk.failAt(disk.calls.length + 1)
  await expect(journal.append(accepted)).rejects.toMatchObject({ doing: 'write' })
  isOdd = true
  await expect(journal.close()).rejects.toThrow('a bug')
})

test('where results went is told of all runs, and believed where it is a whole path', () => {
  const began = (output: unknown) =>
    ({ kind: 'OPEN', format: 2, lineage: 'l', tool: 'genrun', output }) as unknown as JournalRecord // as somebody may have written it
  const written = [
    began('/p/out'),
    began('/p/b'),
    began('/p/out'),
    began(undefined),
    began('out'),
    began(7),
    began({}),
  ]
  expect(outputsIn(written)).toEqual(['/p/out', '/p/b'])
})
