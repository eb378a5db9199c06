import { expect, test } from 'vitest'
import { dataUri, inlineBytes } from '../../../src/wire/transfer/files.ts'

test('a file becomes a data URI with its type', () => {
  expect(dataUri(Buffer.from('hello'), 'image/png')).toBe('data:image/png;base64,aGVsbG8=')
})

test('a view into a larger buffer takes only its own bytes along', () => {
  expect(dataUri(new Uint8Array(Buffer.from('[hello]')).subarray(1, 6), 'audio/wav')).toBe(
    'data:audio/wav;base64,aGVsbG8=',
  )
})

test.each([
  ['aGVsbG8=', 'hello'],
  ['aGVs\nbG8', 'hello'],
  ['data:image/png;base64,aGVsbG8=', 'hello'],
  ['data:image/png;charset=x;BASE64,aGVsbG8=', 'hello'],
  ['data:,a%2Cb', 'a,b'],
])('%j holds %j', (text, bytes) => {
  expect(inlineBytes(text)?.toString('latin1')).toBe(bytes)
})

test.each(['', 'data:image/png;base64', 'data:,', '===='])('%j holds nothing', text => {
  expect(inlineBytes(text)).toBeUndefined()
})
