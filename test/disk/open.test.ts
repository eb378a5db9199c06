import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  DiskRefusal,
  isBelow,
  openPieces,
  proveWithin,
  readRegular,
  withOpenFile,
} from '../../src/disk/open.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'genrun-open-')))
afterAll(() => rmSync(root, { recursive: true }))
const at = (...path: string[]) => join(root, ...path)
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(at('in'), { recursive: true })
  mkdirSync(at('out'))
  writeFileSync(at('in/a.txt'), 'inside')
  writeFileSync(at('out/a.txt'), 'canary')
})

/** What it refuses by; `read` where it does not. */
function outcome(read: () => unknown): string {
  try {
    read()
    return 'read'
  } catch (cause) {
    if (cause instanceof DiskRefusal) return `${cause.is}: ${cause.message}`
    return cause instanceof Error && 'code' in cause ? String(cause.code) : 'thrown'
  }
}

describe('a file is read whole', () => {
  test.each([
    ['at its bound', 6, 'read'],
    ['not above it', 5, 'large: it is larger than 5 bytes'],
  ])('%s', (_, mostBytes, told) => {
    expect(outcome(() => readRegular(at('in/a.txt'), { mostBytes }))).toBe(told)
    if (told === 'read') expect(text(readRegular(at('in/a.txt'), { mostBytes }))).toBe('inside')
  })

  test('in words of mebibytes where its bound is large', () => {
    truncateSync(at('in/a.txt'), 3 * 1024 * 1024)
    const read = (mostBytes: number) => outcome(() => readRegular(at('in/a.txt'), { mostBytes }))
    expect(read(2 * 1024 * 1024)).toBe('large: it is larger than 2 MiB')
    expect(read(1024 * 1024)).toBe('large: it is larger than 1 MiB')
    expect(read(1024 * 1024 - 1)).toBe('large: it is larger than 1048575 bytes')
  })

  test('of any length', () => {
    const long = 'x'.repeat(100_000)
    writeFileSync(at('in/a.txt'), long)
    expect(text(readRegular(at('in/a.txt'), { mostBytes: 100_000 }))).toBe(long)
  })

  test('as far as it was when it was opened, or until it ends before', () => {
    withOpenFile(at('in/a.txt'), { mostBytes: 100 }, file => {
      appendFileSync(at('in/a.txt'), ' and more')
      expect([file.bytes, text(file.readWhole())]).toEqual([6, 'inside'])
    })
    withOpenFile(at('in/a.txt'), { mostBytes: 100 }, file => {
      truncateSync(at('in/a.txt'), 2)
      expect(text(file.readWhole())).toBe('in')
    })
  })

  test('and not when it has grown beyond its bound meanwhile', () => {
    const told = withOpenFile(at('in/a.txt'), { mostBytes: 6 }, file => {
      appendFileSync(at('in/a.txt'), '!')
      return outcome(() => file.readWhole())
    })
    expect(told).toBe('large: it is larger than 6 bytes')
  })

  test.runIf(process.platform === 'linux')('also where it says that it is empty', () => {
    expect(text(readRegular('/proc/self/status', { mostBytes: 100_000 }))).toContain('Pid:')
    expect(outcome(() => readRegular('/proc/self/status', { mostBytes: 10 }))).toContain('large')
    writeFileSync(at('in/a.txt'), '')
    expect(readRegular(at('in/a.txt'), { mostBytes: 10 })).toHaveLength(0)
  })
})

test('a file is read in parts, and closed', () => {
  const file = withOpenFile(at('in/a.txt'), { mostBytes: 6 }, opened => {
    const { read } = opened
    expect([read(0, 2), read(2, 100), read(6, 1), read(9, 1)].map(text)).toEqual(['in', 'side', '', ''])
    return opened
  })
  expect(() => file.read(0, 1)).toThrow('EBADF')
})

test.skipIf(process.platform === 'win32')('it is told whether others can read a file', () => {
  const isPrivate = () => withOpenFile(at('in/a.txt'), { mostBytes: 6 }, file => file.isPrivate)
  for (const [mode, told] of [
    [0o600, true],
    [0o640, true],
    [0o604, false],
    [0o601, false],
  ] as const) {
    chmodSync(at('in/a.txt'), mode)
    expect([mode, isPrivate()]).toEqual([mode, told])
  }
  Object.defineProperty(process, 'platform', { value: 'win32' })
  expect(isPrivate()).toBe(true)
})

const own = process.platform
afterEach(() => void Object.defineProperty(process, 'platform', { value: own }))

/** Linux tells where an open file lies; elsewhere its path is looked at before and after. */
describe.each(['linux', 'darwin'])('nothing else is opened, as on %s', platform => {
  beforeEach(() => void Object.defineProperty(process, 'platform', { value: platform }))

  test.skipIf(process.platform === 'win32')(
    'no folder, no pipe, no device, nothing that is not there',
    () => {
      execFileSync('mkfifo', [at('in/pipe')])
      const read = (path: string) => outcome(() => readRegular(path, { mostBytes: 100 }))
      expect(['in', 'in/pipe', 'none'].map(name => read(at(name)))).toEqual([
        'folder: it is a folder',
        'special: it is not a regular file',
        'ENOENT',
      ])
      expect(read('/dev/zero')).toBe('special: it is not a regular file')
    },
  )

  const elsewhere = 'outside: something that lies elsewhere was put in its place'

  test('what does not lie in the folder that it has to lie in', () => {
    const rules = { mostBytes: 100, within: at('in') }
    const read = (path: string) => outcome(() => readRegular(path, rules))
    symlinkSync(at('out/a.txt'), at('in/file'))
    symlinkSync(at('out'), at('in/folder'))
    symlinkSync(at('in/a.txt'), at('out/back'))
    expect(
      ['in/a.txt', 'in/file', 'in/folder/a.txt', 'in/../out/a.txt', 'out/back'].map(name => read(at(name))),
    ).toEqual(['read', elsewhere, elsewhere, elsewhere, 'read'])
  })

  test('what was put in the place of an open file proves nothing for it', () => {
    symlinkSync(at('out/a.txt'), at('in/b.txt'))
    const fd = openSync(at('in/b.txt'), 'r')
    const proven = () => outcome(() => proveWithin(fd, at('in/b.txt'), at('in')))
    expect(proven()).toBe(elsewhere)
    rmSync(at('in/b.txt'))
    writeFileSync(at('in/b.txt'), 'honest')
    expect(proven()).toBe(elsewhere)
    closeSync(fd)
  })

  test('what was looked at, and is a link by now or lies behind one', () => {
    const read = () => outcome(() => readRegular('nowhere', { mostBytes: 100, at: at('in/a.txt') }))
    expect(read()).toBe('read')
    const both = { mostBytes: 100, at: at('in/a.txt'), within: at('in') }
    expect(outcome(() => readRegular('nowhere', both))).toBe('read')
    rmSync(at('in/a.txt'))
    symlinkSync(at('out/a.txt'), at('in/a.txt'))
    expect(read()).toBe('ELOOP')
    renameSync(at('in'), at('was'))
    symlinkSync(at('out'), at('in'))
    expect(read()).toBe(elsewhere)
  })
})

describe('a file that is sent in pieces', () => {
  async function sent(start: number, end: number) {
    const pieces: Buffer[] = []
    for await (const piece of openPieces(at('in/a.txt'), { mostBytes: 6 }).pieces(start, end))
      pieces.push(Buffer.from(piece))
    return text(Buffer.concat(pieces))
  }

  test.each([
    [0, 6, 'inside'],
    [2, 6, 'side'],
    [0, 1, 'i'],
    [3, 3, ''],
    [4, 3, ''],
  ])('from %i to %i', async (start, end, pieces) => {
    expect(await sent(start, end)).toBe(pieces)
  })

  test('is the one that was opened, says its length, and keeps the rules', () => {
    const open = openPieces(at('in/a.txt'), { mostBytes: 6 })
    expect(open.bytes).toBe(6)
    open.close()
    expect(() => open.close()).toThrow('EBADF')
    expect(outcome(() => openPieces(at('in/a.txt'), { mostBytes: 5 }))).toContain('large')
  })

  test('is closed where nothing of it is taken', () => {
    const open = openPieces(at('in/a.txt'), { mostBytes: 6 })
    open.pieces(0, 0)
    expect(() => open.close()).toThrow('EBADF')
  })
})

test.each([
  ['/a/b', '/a', true],
  ['/a/b/c', '/a', true],
  ['/a/..b', '/a', true],
  ['/a', '/a', true],
  ['/b', '/a', false],
  ['/ab', '/a', false],
  ['/', '/a', false],
])('%s lies in %s: %s', (path, folder, is) => {
  expect(isBelow(path, folder)).toBe(is)
})
