import { expect, test } from 'vitest'
import { positionAt } from '../../../src/base/source.ts'
import { encodingFault } from '../../../src/workspace/read/encoding.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')

test.each<[is: string, bytes: Buffer, line: number, column: number]>([
  ['Latin-1', latin('jobs:\n  hero:\n    prompt: A caf\u00e9\n'), 3, 18],
  [
    'UTF-8, then Latin-1',
    Buffer.concat([Buffer.from('# th\u00e9 \ufffd\n'), latin('x: \u00fc')]),
    2,
    4,
    'FC',
  ],
  ['a longer one that is cut off', Buffer.from([0x78, 0xef, 0xbf, 0x41]), 1, 2],
  ['a character that is cut off', Buffer.from('x: \u00e9').subarray(0, 4), 1, 4],
])('of what is no UTF-8 the first byte is pointed at: %s', (_, bytes, line, column) => {
  const { message, at } = encodingFault('m.yaml', bytes)
  expect(message).toBe('the file is not UTF-8 text')
  expect(positionAt(at.file, at.start)).toEqual({ line, column })
})

test.each<[is: string, bytes: Buffer, message: string]>([
  [
    'UTF-16 from a PC',
    Buffer.from('\ufeffjobs:', 'utf16le'),
    'the file is not UTF-8 text: it looks like UTF-16',
  ],
  [
    'UTF-16 the other way round',
    Buffer.from('\ufeffjobs:', 'utf16le').swap16(),
    'the file is not UTF-8 text: it looks like UTF-16',
  ],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), 'the file is not UTF-8 text'],
])('nothing is shown of %s', (_, bytes, message) => {
  expect(encodingFault('m.yaml', bytes)).toMatchObject({ message, at: { start: 0, file: { text: '' } } })
})
