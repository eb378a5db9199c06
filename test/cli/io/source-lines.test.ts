import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { bundleIn, inSources, ownPlace, type SourceLines } from '../../../src/cli/io/source-lines.ts'

// Numbers of one digit: A 0, C 1, D -1, E 2, F -2, G 3, I 4, K 5.
const lines: SourceLines = {
  sources: ['', 'src/a.ts', 'src/b.ts'],
  files: ['bin.js', 'chunks/two-X1.js'],
  // a.ts:1 from the start, a.ts:3 after two marks, b.ts:2 after three more, and nobody's from the sixth.
  marks: ['AEGC', 'A'],
  turns: ['ACECCF', 'AE'],
  lines: ['AEDD', 'K'],
}

function bundle() {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'bin.js'), 'a();b\n(c);d(e);f')
  writeFileSync(join(folder, 'source-lines.br'), brotliCompressSync(JSON.stringify(lines)))
  return { folder, found: bundleIn(pathToFileURL(`${folder}/`)) }
}

test.each<[at: string, place: string | undefined]>([
  ['bin.js:1:1', 'src/a.ts:1'],
  ['bin.js:1:3', 'src/a.ts:1'],
  ['bin.js:1:5', 'src/a.ts:3'],
  ['bin.js:2:3', 'src/a.ts:3'],
  ['bin.js:2:5', 'src/a.ts:3'],
  ['bin.js:2:7', 'src/b.ts:2'],
  ['bin.js:2:10', undefined],
  ['other.js:1:1', undefined],
])('%s comes from %s', (at, place) => {
  const { folder, found } = bundle()
  const written = `    at run (file://${folder}/${at})`
  expect(inSources(written, found)).toBe(place === undefined ? written : `    at run (${place})`)
})

test('a stack without a bundle stays as it is, and its first place of ours is found', () => {
  const { folder } = bundle()
  const stack = `Error: x\n    at run (file://${folder}/bin.js:1:1)\n    at go (/p/src/run/tasks.ts:12:3)`
  expect(inSources(stack)).toBe(stack)
  expect(ownPlace(stack)).toBe('src/run/tasks.ts:12')
  expect(ownPlace('Error: x\n    at go (/p/lib/tasks.ts:12:3)')).toBeUndefined()
})
