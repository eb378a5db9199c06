import { expect, test } from 'vitest'
import { mediaTypes, sniff, sniffedBytes } from '../../src/media/sniff.ts'
import { ascii, branded, samples } from './samples.ts'

const files = await samples()
const names = Object.keys(files) as (keyof typeof files)[] // its own keys

test('every type has a sample', () => {
  expect(names.toSorted()).toEqual(Object.keys(mediaTypes).toSorted())
})

test.each(names)('%s is known by its first bytes', name => {
  expect(sniff(files[name].subarray(0, sniffedBytes))).toEqual(mediaTypes[name])
})

test.each([
  ['isom', 'video/mp4'],
  ['mp42', 'video/mp4'],
  ['M4A ', 'audio/mp4'],
  ['M4B ', 'audio/mp4'],
  ['qt  ', 'video/quicktime'],
])('an MP4 of the brand %s is %s', (brand, type) => {
  expect(sniff(branded(files.mp4, brand))?.type).toBe(type)
})

test('an MP3 is known behind a tag, also one that is longer than what we look at', () => {
  const tag = (length: number) => [...ascii('ID3'), 4, 0, 0, 0, 0, length >> 7, length & 0x7f]
  expect(sniff(Uint8Array.from([...tag(300), ...new Uint8Array(300), ...files.mp3]))?.type).toBe('audio/mpeg')
  expect(sniff(Uint8Array.from([...tag(9000), ...new Uint8Array(4000)]))?.type).toBe('audio/mpeg')
  expect(sniff(Uint8Array.from([...tag(300), ...new Uint8Array(300), ...ascii('<html>')]))).toBeUndefined()
})

test.each([
  ['nothing', []],
  ['a page', ascii('<!DOCTYPE html><html>')],
  ['SVG', ascii('<svg xmlns="http://www.w3.org/2000/svg">')],
  ['SVG behind a declaration', ascii('<?xml version="1.0"?><svg>')],
  ['JSON', ascii('{"error":"no credit"}')],
  ['text', ascii('the quick brown fox')],
  ['UTF-16 text', [0xff, 0xfe, ...ascii('t\0e\0x\0t\0')]],
  ['a ZIP archive', [...ascii('PK'), 3, 4, 20, 0]],
  ['a gzip archive', [0x1f, 0x8b, 8, 0]],
  ['a Linux program', [0x7f, ...ascii('ELF'), 2, 1]],
  ['a Windows program', ascii('MZ\x90\0')],
  ['a script', ascii('#!/bin/sh\n')],
  ['a PDF', ascii('%PDF-1.7')],
  ['Matroska that is not WebM', [0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88, ...ascii('matroska')]],
  ['a HEIC picture', [0, 0, 0, 24, ...ascii('ftypheic'), 0, 0, 0, 0, ...ascii('mif1heic')]],
  ['a RIFF of something else', [...ascii('RIFF'), 4, 0, 0, 0, ...ascii('AVI ')]],
  ['an Ogg film', [...ascii('OggS'), 0, 2, ...new Uint8Array(20), 1, 42, 0x80, ...ascii('theora')]],
  ['four bytes that look like a frame', [0xff, 0xfb, 0x90, 0, ...ascii('and then words, '.repeat(40))]],
])('%s is not media', (_, bytes) => {
  expect(sniff(Uint8Array.from(bytes))).toBeUndefined()
})
