import { expect, test } from 'vitest'
import { oddFile, oddKinds } from '../../src/gateway/faults/odd-files.ts'
import { otherKind, textKind } from '../../src/media/other-kinds.ts'
import { sniff } from '../../src/media/sniff.ts'

test.each(oddKinds.map(kind => [kind, kind === 'pcm' ? 'bin' : kind]))(
  'what the gateway delivers as %s is known by its bytes, and is no result',
  (kind, extension) => {
    const { bytes, type } = oddFile(kind)
    expect(sniff(bytes)).toBeUndefined()
    const known = otherKind(bytes)
    expect(known).toMatchObject({ extension, ...(kind !== 'pcm' && { type }) })
  },
)

const latin = (text: string) => Buffer.from(text, 'latin1')

test.each<[string, Uint8Array, string]>([
  ['a TIFF of the other byte order', latin('MM\0*\0\0\0\x08'), 'tiff'],
  ['a HEIC picture', latin('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 'heic'],
  ['an archive', latin('PK\x03\x04\x14\0'), 'zip'],
  [
    'a transport stream',
    Buffer.from(Array.from({ length: 600 }, (_, at) => (at % 188 === 0 ? 0x47 : 0xff))),
    'ts',
  ],
  ['a drawing without a declaration', latin('<!-- made <b>here</b> -->\n<svg viewBox="0 0 1 1"/>'), 'svg'],
  [
    'a drawing with a document type',
    latin('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg/>'),
    'svg',
  ],
  ['samples without a zero', Buffer.from(Array.from({ length: 64 }, (_, at) => 0x80 + (at % 100))), 'bin'],
])('%s', (_, bytes, extension) => {
  expect(otherKind(bytes)?.extension).toBe(extension)
})

test.each<[string, Uint8Array, string]>([
  ['nothing', Buffer.alloc(0), 'txt'],
  ['a page', latin('<!doctype html><title>Please sign in</title>'), 'html'],
  ['a page with a drawing in it', latin('<html><body><svg/></body></html>'), 'html'],
  ['a message of a store', latin('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'), 'txt'],
  ['JSON', latin('{"error":"not yet"}'), 'json'],
  ['a text of another language', Buffer.from('ещё не готово, приходите завтра'), 'txt'],
])('%s came instead of a file', (_, bytes, extension) => {
  expect(otherKind(bytes)).toBeUndefined()
  expect(textKind(bytes).extension).toBe(extension)
})
