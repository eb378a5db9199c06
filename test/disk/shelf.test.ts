import {
  existsSync,
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
import { afterAll, beforeEach, expect, test } from 'vitest'
import { madeMark } from '../../src/disk/made.ts'
import { openShelf, shelve, takenFromShelf, unshelve } from '../../src/disk/shelf.ts'

const root = mkdtempSync(join(tmpdir(), 'genrun-shelf-'))
afterAll(() => rmSync(root, { recursive: true }))
const at = (...path: string[]) => join(root, ...path)
const run = '0123456789abcdef'.repeat(2)
const bytes = Buffer.from('picture')

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root)
})

async function taken(start: number, end: number) {
  const pieces: Uint8Array[] = []
  for await (const piece of takenFromShelf(root, run, '1.png', [start, end])) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

test('a file of a run is put there once, in a folder with the mark, and taken in parts', async () => {
  await shelve(root, run, '1.png', bytes)
  await expect(shelve(root, run, '1.png', Buffer.from('other'))).rejects.toThrow('EEXIST')
  expect(readdirSync(at(run)).toSorted()).toEqual([madeMark, '1.png'].toSorted())
  expect([await taken(0, 7), await taken(3, 5), await taken(2, 2), await taken(3, 2)]).toEqual([
    'picture',
    'tu',
    '',
    '',
  ])
  expect(await openShelf(root)).toEqual([{ run, name: '1.png', bytes: 7, at: expect.any(Number) }])
})

test('a folder that somebody else made gets no mark', async () => {
  mkdirSync(at(run))
  await shelve(root, run, '1.png', bytes)
  expect(readdirSync(at(run))).toEqual(['1.png'])
  expect(await openShelf(root)).toEqual([])
})

test('what is taken away is what is named; what somebody else put there stays, and the folder with it', async () => {
  await shelve(root, run, '1.png', bytes)
  await shelve(root, run, '2.png', bytes)
  await unshelve(root, run, ['1.png', '3.png'])
  expect(readdirSync(at(run)).toSorted()).toEqual([madeMark, '2.png'].toSorted())
  writeFileSync(at(run, 'notes.txt'), 'mine')
  await unshelve(root, run, ['2.png'])
  expect(readdirSync(at(run)).toSorted()).toEqual([madeMark, 'notes.txt'].toSorted())
  rmSync(at(run, 'notes.txt'))
  await unshelve(root, run, [])
  expect(existsSync(at(run))).toBe(false)
  await unshelve(root, run, [])
  mkdirSync(at(run))
  writeFileSync(at(run, 'only.txt'), 'mine')
  await unshelve(root, run, [])
  expect(readFileSync(at(run, 'only.txt'), 'utf8')).toBe('mine')
})

test.each(['..', '.', '', '../x', 'a/b', '.hidden', '-x', 'a\0b'])(
  'no name leads elsewhere: %j',
  async name => {
    const text = `not a name for a file of a run: ${name}`
    await expect(shelve(root, name, '1.png', bytes)).rejects.toThrow(text)
    await expect(shelve(root, run, name, bytes)).rejects.toThrow(text)
    await expect(unshelve(root, run, [name])).rejects.toThrow(text)
    expect(() => takenFromShelf(root, run, name, [0, 1])).toThrow(text)
    expect(readdirSync(root)).toEqual([])
  },
)

test('only what a gateway puts there is listed, and the folder is made where it is missing', async () => {
  rmSync(root, { recursive: true })
  expect(await openShelf(root)).toEqual([])
  expect(existsSync(root)).toBe(true)
  await shelve(root, run, '12.png', bytes)
  writeFileSync(at(run, '1.png'), 'x')
  for (const name of ['x.png', '1.PNG', '1', 'a1.png', '1.png.x']) writeFileSync(at(run, name), 'x')
  mkdirSync(at(run, '2.png'))
  symlinkSync(at(run, '1.png'), at(run, '3.png'))
  for (const name of ['short', `${run}0`, `x${run}`, 'f'.repeat(32)]) {
    mkdirSync(at(name))
    writeFileSync(at(name, '1.png'), 'x')
    if (name !== 'f'.repeat(32)) writeFileSync(at(name, madeMark), '')
  }
  mkdirSync(at('e'.repeat(32), madeMark), { recursive: true })
  writeFileSync(at('e'.repeat(32), '1.png'), 'x')
  symlinkSync(at(run), at('d'.repeat(32)))
  writeFileSync(at('c'.repeat(32)), 'x')
  expect((await openShelf(root)).map(({ run: of, name }) => [of, name]).toSorted()).toEqual([
    [run, '1.png'],
    [run, '12.png'],
  ])
})
