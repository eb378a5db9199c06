import { expect, test } from 'vitest'
import { dataUriBytes } from '../../../src/gateway/http/data-uri.ts'

test.each<[string, string | undefined]>([
  ['data:text/plain;base64,YWJj', 'abc'],
  ['data:;base64,YWI=', 'ab'],
  ['data:;base64,YWI', 'ab'],
  ['DATA:image/png;charset=x;BASE64,YWJj', 'abc'],
  ['data:text/plain,a%20b', 'a b'],
  ['data:,', ''],
  ['data:;base64,YW%4Aj', 'abc'],
  ['data:;base64,YW Jj', undefined],
  ['data:;base64,YW*Jj', undefined],
  ['data:text/plain,a%2', undefined],
  ['data:no comma', undefined],
  ['http://127.0.0.1/1.png', undefined],
])('%s', (uri, text) => {
  const bytes = dataUriBytes(uri)
  expect(bytes && Buffer.from(bytes).toString()).toBe(text)
})

test('the longest body that is taken fits', () => {
  const bytes = dataUriBytes(`data:image/png;base64,${'A'.repeat(64 * 1024 * 1024)}`)
  expect(bytes?.byteLength).toBe(48 * 1024 * 1024)
})
