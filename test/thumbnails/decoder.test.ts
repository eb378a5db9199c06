import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toPcm, wav } from '../../src/gateway/render/sound/wav.ts'
import { pictureSize } from '../../src/media/picture-size.ts'
import { openDecoder } from '../../src/thumbnails/decoder.ts'
import { needs, whereIs } from '../gateway/tools.ts'

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-decoder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A second of a clip or a sound as ffmpeg writes it. */
function written(name: string, ...words: string[]): Uint8Array {
  const path = join(freshFolder(), name)
  execFileSync(whereIs('ffmpeg'), ['-v', 'error', '-f', 'lavfi', ...words, path])
  return readFileSync(path)
}

const clip = ['-i', 'testsrc=size=64x36:rate=5:duration=1']
const sine = ['-i', 'sine=frequency=440:duration=1']

test('ffmpeg gives the first frame of a clip, its index at the end too, and the samples of a sound', async context => {
  needs(context, 'ffmpeg')
  const decoder = openDecoder(dirname(whereIs('ffmpeg')))
  const frames = [
    await decoder.firstFrame(written('a.mp4', ...clip), 'video/mp4'),
    await decoder.firstFrame(written('a.webm', ...clip), 'video/webm'),
  ]
  for (const frame of frames) expect(frame && pictureSize(frame)).toEqual({ width: 64, height: 36 })
  for (const [name, type] of [
    ['a.mp3', 'audio/mpeg'],
    ['a.m4a', 'audio/mp4'],
    ['a.flac', 'audio/flac'],
  ] as const) {
    const samples = await decoder.samples(written(name, ...sine), type)
    expect([name, samples?.map(({ length }) => Math.round(length / 1000))]).toEqual([name, [8]])
  }
  // Heard on the right alone it is as loud as it is there.
  const right = await decoder.samples(
    written('right.flac', '-i', 'aevalsrc=0|0.9*sin(440*t):duration=1'),
    'audio/flac',
  )
  expect(right?.map(each => Math.round(Math.max(...each) * 10) / 10)).toEqual([0, 0.9])
  // Told a format, it opens nothing that a file of another names.
  expect(
    await decoder.firstFrame(Buffer.from('#EXTM3U\n#EXTINF:1,\n/etc/hosts\n'), 'video/mp4'),
  ).toBeUndefined()
})

test('plain WAV needs no program, with each of its channels; the rest is undefined without one', async () => {
  const decoder = openDecoder('')
  const stereo = wav(toPcm(8000, [Float32Array.of(0.5, -1), Float32Array.of(0, 0.3)]))
  const samples = await decoder.samples(stereo, 'audio/wav')
  expect(samples?.map(each => [...each].map(sample => Math.round(sample * 10) / 10))).toEqual([
    [0.5, -1],
    [0, 0.3],
  ])
  expect(await decoder.samples(stereo, 'audio/mpeg')).toBeUndefined()
  expect(await decoder.firstFrame(stereo, 'video/mp4')).toBeUndefined()
})

test.skipIf(process.platform === 'win32')(
  'the program sees nothing of the environment, and leaves nothing',
  async () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'ffmpeg'), '#!/bin/sh\nexport -p; echo "$@"\n', { mode: 0o755 })
    const seen = new TextDecoder().decode(
      await openDecoder(folder).firstFrame(new Uint8Array(4), 'video/mp4'),
    )
    expect(seen).not.toMatch(/GENRUN|HOME/)
    const [, path = ''] = /-f mov -i file:(\S+) /.exec(seen) ?? []
    expect(readdirSync(dirname(dirname(path)))).not.toContain(dirname(path).split('/').at(-1))
  },
)
