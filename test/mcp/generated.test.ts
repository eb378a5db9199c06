import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { generated } from '../../src/mcp/generated.ts'
import type { Generation } from '../../src/run/one-shot/generation.ts'
import { pixel } from '../verbs/bench.ts'
import { folder } from './bench.ts'

function generation(files: readonly object[], more: Partial<Generation> = {}): Generation {
  return {
    model: 'famb-v4',
    kind: 'image',
    ending: 'made',
    files: files as Generation['files'],
    seconds: 1,
    paid: 1,
    requests: 1,
    rehearsal: false,
    exit: 0,
    ...more,
  }
}

test('every file is a link that can be read, and small pictures are shown as well', () => {
  const cwd = folder()
  const at = (name: string) => join(cwd, name)
  for (const name of ['a cup.png', 'large.png', 'rain.wav']) writeFileSync(at(name), pixel)
  const files = [
    { path: at('a cup.png'), type: 'image/png', bytes: pixel.length },
    { path: at('large.png'), type: 'image/png', bytes: 512 * 1024 + 1 },
    { path: at('rain.wav'), type: 'audio/wav', bytes: pixel.length },
    { path: at('moved.png'), type: 'image/png', bytes: pixel.length },
  ]
  const link = (name: string, mimeType: string) => ({
    type: 'resource_link',
    uri: pathToFileURL(at(name)).href,
    name,
    mimeType,
  })
  expect(generated(generation(files))).toEqual({
    content: [
      { type: 'text', text: `famb-v4: made\n${files.map(({ path }) => path).join('\n')}` },
      link('a cup.png', 'image/png'),
      link('large.png', 'image/png'),
      link('rain.wav', 'audio/wav'),
      link('moved.png', 'image/png'),
      { type: 'image', data: pixel.toString('base64'), mimeType: 'image/png' },
    ],
    structured: { results: [{ model: 'famb-v4', rehearsal: false, paid: 1, files }] },
  })
  expect(link('a cup.png', '').uri).toContain('a%20cup.png')
})

test.each<[string, Partial<Generation>, string]>([
  [
    'what goes on at the service is named, with the tool that fetches it',
    { ending: 'detached', message: 'it was stopped', run: { workflow: 'famb-v4', id: 'r_1' } },
    'famb-v4: it goes on at the service (it was stopped; run r_1 of famb-v4); service_result fetches it',
  ],
  [
    'what failed says why',
    { ending: 'failed', message: 'the run failed at the service: no', hint: 'it may have been billed' },
    'famb-v4: failed: the run failed at the service: no; it may have been billed',
  ],
  [
    'what may be billed says what another call would do',
    { ending: 'failed', message: 'no', failure: { why: 'remote', detail: '' } },
    'famb-v4: failed: no\ncalled again, service_generate orders it, and may pay for it, once more',
  ],
  [
    'what was refused does not',
    { ending: 'failed', message: 'no', failure: { why: 'refused', status: 422, detail: '' } },
    'famb-v4: failed: no',
  ],
  [
    'what came and is no result is told where it lies',
    {
      ending: 'failed',
      message: 'it is no image',
      files: [{ path: '/x/unusual/tea.tiff', type: 'image/tiff', bytes: 3 }] as never,
    },
    'famb-v4: failed: it is no image\nkept: /x/unusual/tea.tiff',
  ],
])('%s', (_, more, text) => {
  expect(generated(generation([], more))).toEqual({ content: [{ type: 'text', text }], isError: true })
})

test('a flaw of what was delivered stands in place of `made`, and a rehearsal says what it is', () => {
  const [first] = generated(generation([], { message: 'one of two came', rehearsal: true })).content
  expect(first).toEqual({
    type: 'text',
    text: 'famb-v4 (a rehearsal: placeholders, nothing was paid): one of two came\n',
  })
})
