import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemDisk } from '../../../src/store/files/disk.ts'
import { fileReader } from '../../../src/store/files/read-again.ts'

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-read-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

// More than one piece, and no whole number of them.
const long = Buffer.alloc(600_000, 'abcdefghijklm')

test.each([
  ['another byte in the first piece', Buffer.concat([Buffer.from('A'), long.subarray(1)])],
  ['another byte at its end', Buffer.concat([long.subarray(0, -1), Buffer.from('!')])],
  ['a byte more', Buffer.concat([long, Buffer.from('!')])],
  ['a byte less', long.subarray(0, -1)],
  ['as long as its first pieces', long.subarray(0, 512 * 1024)],
  ['empty', Buffer.alloc(0)],
])('a file that is read again, %s: what it holds by now is given', (_, next) => {
  const path = join(openFolder(), 'lock')
  const read = fileReader()
  writeFileSync(path, long)
  const first = read(systemDisk, path)
  expect(first.equals(long)).toBe(true)
  expect(read(systemDisk, path)).toBe(first)
  writeFileSync(path, next)
  const second = read(systemDisk, path)
  expect(second.equals(next)).toBe(true)
  expect(read(systemDisk, path)).toBe(second)
})

test('a file that is replaced by the same is the same, and one of another name is read', () => {
  const folder = openFolder()
  const [one, other] = [join(folder, 'one'), join(folder, 'other')]
  const read = fileReader()
  for (const path of [one, other]) writeFileSync(path, long)
  const first = read(systemDisk, one)
  rmSync(one)
  writeFileSync(one, long)
  expect(read(systemDisk, one)).toBe(first)
  expect(read(systemDisk, other)).not.toBe(first)
})

test('what is gone or a folder by now says so, as if it had never been read', () => {
  const path = join(openFolder(), 'lock')
  const read = fileReader()
  writeFileSync(path, long)
  read(systemDisk, path)
  rmSync(path)
  expect(() => read(systemDisk, path)).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  mkdirSync(path)
  expect(() => read(systemDisk, path)).toThrow(expect.objectContaining({ code: 'EISDIR' }))
})
