import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { madeMark, makeFolder, makeFolderIn, removeLeftFolder, removeOwnState } from '../../src/disk/made.ts'

// Nothing else in genrun removes a folder with all that lies in it.

const root = realpathSync(mkdtempSync(join(tmpdir(), 'genrun-made-')))
afterAll(() => rmSync(root, { recursive: true }))
const at = (...path: string[]) => join(root, ...path)

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(at('others'), { recursive: true })
  writeFileSync(at('others/notes.txt'), 'mine')
})

test('a folder that is made has a name of its own and the mark, and goes with what is in it', async () => {
  const [one, two] = [makeFolder('a-', root), makeFolder('a-', root)]
  expect(one.path === two.path).toBe(false)
  expect([dirname(one.path), readdirSync(one.path)]).toEqual([root, [madeMark]])
  makeFolderIn(one.path, 'below')
  expect(() => makeFolderIn(one.path, 'below')).toThrow('EEXIST')
  for (const { path } of [one, two]) writeFileSync(join(path, 'x'), 'x')
  await one.remove()
  two.removeNow()
  expect(readdirSync(root)).toEqual(['others'])
  // What is gone already is no trouble.
  await one.remove()
  two.removeNow()
  const among = makeFolder('genrun-test-')
  expect(realpathSync(dirname(among.path))).toBe(realpathSync(tmpdir()))
  among.removeNow()
})

describe('what an earlier process left is removed', () => {
  const idleMs = 60_000
  /** A folder that was made so long ago. */
  function left(agoMs: number) {
    const { path } = makeFolder('left-', root)
    const then = new Date(1_700_000_000_000 - agoMs)
    utimesSync(path, then, then)
    return path
  }
  const remove = (path: string) => removeLeftFolder(path, 1_700_000_000_000, idleMs)

  test.each([
    [idleMs + 1000, false],
    [idleMs, true],
    [0, true],
  ])('by its age: %i ms', async (agoMs, stays) => {
    const path = left(agoMs)
    await remove(path)
    expect(existsSync(path)).toBe(stays)
  })

  test.each<[string, (path: string) => void]>([
    ['without the mark', path => rmSync(join(path, madeMark))],
    [
      'with a link for a mark',
      path => {
        rmSync(join(path, madeMark))
        symlinkSync(at('others/notes.txt'), join(path, madeMark))
      },
    ],
    [
      'with a folder for a mark',
      path => {
        rmSync(join(path, madeMark))
        mkdirSync(join(path, madeMark))
      },
    ],
  ])('but none %s', async (_, spoil) => {
    const path = left(0)
    spoil(path)
    const then = new Date(1_600_000_000_000)
    utimesSync(path, then, then)
    await remove(path)
    expect(existsSync(path)).toBe(true)
  })

  test('but no link, and nothing that is not there', async () => {
    const path = left(idleMs * 2)
    symlinkSync(path, at('link'))
    lutimesSync(at('link'), 1_600_000_000, 1_600_000_000)
    await remove(at('link'))
    await remove(at('none'))
    await remove(at('others/notes.txt'))
    expect(readdirSync(root)).toContain('link')
    expect([existsSync(path), existsSync(at('others/notes.txt'))]).toEqual([true, true])
  })

  test.runIf(process.getuid?.() === 0)('but none of another user (as root)', async () => {
    const { chownSync } = await import('node:fs')
    const [path, marked] = [left(idleMs * 2), left(idleMs * 2)]
    for (const each of [path, join(path, madeMark), join(marked, madeMark)]) chownSync(each, 4242, 4242)
    for (const each of [path, marked]) await remove(each)
    expect([existsSync(path), existsSync(marked)]).toEqual([true, true])
  })
})

describe('the state of a single job', () => {
  function state(name = '.genrun/once-12') {
    mkdirSync(at(name, 'journal'), { recursive: true })
    writeFileSync(at(name, 'journal/1'), 'x')
    return at(name)
  }

  test('is removed whole, and nothing beside it', () => {
    state('.genrun/once-2')
    removeOwnState(state())
    expect(readdirSync(at('.genrun'))).toEqual(['once-2'])
    removeOwnState(at('.genrun/once-12'))
  })

  test.each(['.genrun/m', '.genrun/once-', 'genrun/once-1', '.genrun/once-1/journal', 'x.genrun/once-1'])(
    'and nothing that has another name: %s',
    name => {
      const path = state(name)
      expect(() => removeOwnState(path)).toThrow(`not the state of a single job: ${path}`)
      expect(existsSync(path)).toBe(true)
    },
  )

  test('nor a link, nor what lies behind one', () => {
    mkdirSync(at('.genrun'))
    symlinkSync(at('others'), at('.genrun/once-1'))
    removeOwnState(at('.genrun/once-1'))
    mkdirSync(at('others/once-2'))
    mkdirSync(at('other'))
    symlinkSync(at('others'), at('other/.genrun'))
    removeOwnState(at('other/.genrun/once-2'))
    expect(readdirSync(at('others')).toSorted()).toEqual(['notes.txt', 'once-2'])
    expect(existsSync(at('.genrun/once-1'))).toBe(true)
  })
})

test.skipIf(process.getuid?.() === 0)('what cannot be removed stays (not as root)', async () => {
  const { path } = makeFolder('left-', root)
  chmodSync(root, 0o555)
  await removeLeftFolder(path, Date.now() + 1e9, 0)
  chmodSync(root, 0o755)
  expect(existsSync(path)).toBe(true)
})
