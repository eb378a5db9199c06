import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, expect, test } from 'vitest'
import { programAt } from '../../src/disk/program.ts'
import { render } from '../../src/gateway/render/render.ts'
import { judgeFile } from '../../src/looks/judge.ts'
import { lookAtFile } from '../../src/looks/look-at.ts'

const folder = mkdtempSync(join(tmpdir(), 'genrun-looks-'))
afterAll(() => rmSync(folder, { recursive: true }))

function written(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

const request = { prompt: 'A tide that comes back', seed: 'run-1', params: {}, count: 1, inputs: [] } as const
const ffmpeg = programAt('ffmpeg', process.env.PATH)

test.each(['png', 'jpeg', 'webp'] as const)(
  'a %s of one color is found, and a placeholder is good',
  async format => {
    const canvas = createCanvas(300, 200)
    const pen = canvas.getContext('2d')
    pen.fillStyle = '#c0ffee'
    pen.fillRect(0, 0, 300, 200)
    const bytes = format === 'png' ? canvas.encodeSync('png') : canvas.encodeSync(format, 85)
    const seen = await lookAtFile(written(`blank.${format}`, bytes), {})
    expect(seen.got === 'facts' && judgeFile(seen.facts)).toEqual([{ look: 'blank', why: 'it is one color' }])
    const image = { model: 'm', inputType: 't2i', kind: 'image', width: 512, height: 512, format } as const
    const [good] = await render({ ...request, ...image })
    const other = await lookAtFile(written(`good.${format}`, good?.bytes ?? ''), {})
    expect(other.got === 'facts' && judgeFile(other.facts)).toEqual([])
  },
)

test('what cannot be looked at is told, and is no fact', async () => {
  expect(await lookAtFile(written('page.png', '<html>'), {})).toEqual({
    got: 'nothing',
    why: 'it is not a media file',
  })
  expect(await lookAtFile(join(folder, 'none.png'), {})).toMatchObject({ got: 'nothing' })
  const [clip] = await render({ ...request, ...clipRequest })
  const path = written('clip.mp4', clip?.bytes ?? '')
  expect(await lookAtFile(path, {})).toMatchObject({ got: 'nothing', why: expect.stringMatching(/ffmpeg/) })
  const absent = await lookAtFile(path, { ffmpeg: join(folder, 'no-such-program') })
  expect(absent).toMatchObject({ got: 'nothing', why: expect.stringMatching(/^ffmpeg: .*ENOENT/) })
})

const clipRequest = {
  ...({ model: 'v', inputType: 't2v', kind: 'video' } as const),
  ...{ width: 320, height: 180, seconds: 1, sound: true },
}

test.skipIf(ffmpeg === undefined)(
  'a placeholder of a clip moves and is heard (skipped without ffmpeg)',
  async () => {
    const [clip] = await render({ ...request, ...clipRequest })
    const seen = await lookAtFile(written('moving.mp4', clip?.bytes ?? ''), { ffmpeg })
    expect(seen).toMatchObject({
      got: 'facts',
      facts: { of: 'clip', seconds: 1, black: 0, sound: { clipped: 0 } },
    })
  },
)
