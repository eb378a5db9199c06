import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
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
import {
  appendText,
  openLineFile,
  replaceFile,
  tryFolderOf,
  writeNewFile,
  writeNewFolder,
} from '../../src/disk/write.ts'

const root = mkdtempSync(join(tmpdir(), 'genrun-write-'))
afterAll(() => rmSync(root, { recursive: true }))
const at = (...path: string[]) => join(root, ...path)
const textAt = (path: string) => readFileSync(at(path), 'utf8')

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root)
  writeFileSync(at('old'), 'old')
  symlinkSync(at('old'), at('link'))
  symlinkSync(at('nowhere'), at('dangling'))
})

test('a new file is made where nothing is, not even a link that leads nowhere', () => {
  writeNewFile(at('new'), 'new')
  expect(textAt('new')).toBe('new')
  for (const name of ['old', 'link', 'dangling'])
    expect(() => writeNewFile(at(name), 'new')).toThrow('EEXIST')
  expect([textAt('old'), existsSync(at('nowhere'))]).toEqual(['old', false])
})

test('a new folder comes with its files, and not over another', () => {
  writeNewFolder(at('folder'), [
    ['a', 'one'],
    ['b', 'two'],
  ])
  expect([textAt('folder/a'), textAt('folder/b')]).toEqual(['one', 'two'])
  expect(() => writeNewFolder(at('folder'), [['a', 'three']])).toThrow('EEXIST')
  expect(textAt('folder/a')).toBe('one')
})

test('what is replaced is replaced whole, a link by the file, and nothing else is left', () => {
  for (const name of ['old', 'link', 'dangling', 'new']) replaceFile(at(name), `${name} anew`)
  for (const name of ['old', 'link', 'dangling', 'new']) {
    expect(textAt(name)).toBe(`${name} anew`)
    expect(lstatSync(at(name)).isFile()).toBe(true)
  }
  expect(readdirSync(root).toSorted()).toEqual(['dangling', 'link', 'new', 'old'])
  expect(existsSync(at('nowhere'))).toBe(false)
})

test('what cannot be replaced leaves nothing behind', () => {
  mkdirSync(at('folder/below'), { recursive: true })
  expect(() => replaceFile(at('folder'), 'x')).toThrow()
  expect(readdirSync(root).toSorted()).toEqual(['dangling', 'folder', 'link', 'old'])
  expect(() => replaceFile(at('none/new'), 'x')).toThrow('ENOENT')
})

test.skipIf(process.platform === 'win32')('a device stays what it is', () => {
  symlinkSync('/dev/null', at('null'))
  replaceFile(at('null'), 'x')
  tryFolderOf(at('null'))
  const lines = openLineFile(at('null'))
  lines.write('x')
  lines.close()
  expect(lstatSync(at('null')).isSymbolicLink()).toBe(true)
  expect(readdirSync(root).toSorted()).toEqual(['dangling', 'link', 'null', 'old'])
})

test('a folder is made and tried, and nothing is left in it', () => {
  tryFolderOf(at('a/b/report'))
  expect(readdirSync(at('a/b'))).toEqual([])
  expect(() => tryFolderOf(at('old/report'))).toThrow()
})

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'one that cannot be written to is told (not as root)',
  () => {
    execFileSync('chmod', ['555', root])
    expect(() => tryFolderOf(at('report'))).toThrow('EACCES')
    execFileSync('chmod', ['755', root])
  },
)

test('lines are there as soon as they are written, in the place of a link', () => {
  for (const name of ['old', 'link', 'dangling', 'new']) {
    const file = openLineFile(at(name))
    file.write('one')
    expect(textAt(name)).toBe('one\n')
    file.write('two £')
    expect(textAt(name)).toBe('one\ntwo £\n')
    file.close()
    expect(lstatSync(at(name)).isFile()).toBe(true)
    expect(() => file.write('three')).toThrow('EBADF')
  }
  expect(existsSync(at('nowhere'))).toBe(false)
})

test('text is added to the end', () => {
  appendText(at('old'), ' and new')
  appendText(at('new'), 'new')
  expect([textAt('old'), textAt('new')]).toEqual(['old and new', 'new'])
})
