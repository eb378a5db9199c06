import { createHash } from 'node:crypto'
import { chanceOf } from '../order/chance.ts'
import type { RenderedFile, RenderRequest } from '../order/request.ts'
import { composeMusic } from './music.ts'
import { toPcm, wav } from './wav.ts'

const rate = 44_100

/** Music of exactly `seconds`, another for every prompt, run and source. */
export async function renderAudio(request: RenderRequest): Promise<RenderedFile[]> {
  const seconds = request.seconds ?? 5
  const sources = request.inputs.map(input => createHash('sha256').update(input.bytes).digest('hex'))
  const files: RenderedFile[] = []
  for (let nth = 0; nth < request.count; nth++) {
    const chance = chanceOf('audio', request.prompt, request.seed, String(nth), ...sources)
    const beat = (rate * 60) / chance.between(76, 132)
    const sound = await composeMusic(chance, {
      length: Math.round(seconds * rate),
      rate,
      beat,
      isLoop: false,
    })
    const bytes = wav(toPcm(rate, [sound.left, sound.right]))
    files.push({ bytes, type: 'audio/wav', extension: 'wav', seconds: sound.left.length / rate })
  }
  return files
}
