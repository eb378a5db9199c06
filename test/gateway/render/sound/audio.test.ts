import { beforeEach, describe, expect, test } from 'vitest'
import { render } from '../../../../src/gateway/render/index.ts'
import type { RenderedFile, RenderRequest } from '../../../../src/gateway/render/order/request.ts'
import {
  installed,
  packaged,
  type Synthesiser,
  speakingWith,
} from '../../../../src/gateway/render/sound/espeak.ts'
import { renderSpeech } from '../../../../src/gateway/render/sound/speech.ts'
import { voiceFor } from '../../../../src/gateway/render/sound/voices.ts'
import { readWav, toPcm, wav } from '../../../../src/gateway/render/sound/wav.ts'
import { needs } from '../../tools.ts'
import { imageRequest } from '../tools.ts'

const music = imageRequest({ model: 'famc-t2a', inputType: 't2a', kind: 'audio', prompt: 'rain', seconds: 3 })
const speech = imageRequest({
  model: 'fama-tts',
  inputType: 'tts',
  kind: 'audio',
  prompt: 'Good morning to you all',
})

test('a WAV in one of Node’s buffers gives its samples, and nothing of what stands before them', () => {
  const samples = Int16Array.from({ length: 50 }, (_, nth) => nth * 10)
  const whole = Buffer.concat([Buffer.alloc(7, 0xff), wav({ rate: 8000, channels: 1, samples })])
  expect(readWav(whole.subarray(7))?.samples).toEqual(samples)
})

/** The loudest sample of each tenth of a second. */
function loudness(bytes: Uint8Array): number[] {
  const { samples, rate, channels } = readWav(bytes)!
  const step = (rate * channels) / 10
  return Array.from({ length: Math.floor(samples.length / step) }, (_, k) =>
    samples.subarray(k * step, (k + 1) * step).reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  )
}

describe('music', () => {
  test.each([3, 3.5, 9.5, 10])('lasts exactly %f s', async seconds => {
    const [file] = await render({ ...music, seconds })
    expect(file).toMatchObject({ type: 'audio/wav', extension: 'wav', seconds })
    const { samples, rate, channels } = readWav(file!.bytes)!
    expect([samples.length / channels, rate, channels]).toEqual([seconds * 44_100, 44_100, 2])
  })

  test('rises and falls, is never cut, and ends in silence', async () => {
    const [file] = await render({ ...music, seconds: 8 })
    const loud = loudness(file!.bytes)
    expect(Math.max(...loud)).toBeLessThan(32_767)
    expect(Math.max(...loud)).toBeGreaterThan(6000)
    expect(new Set(loud.map(value => Math.round(value / 500))).size).toBeGreaterThan(5)
    expect(Math.abs(readWav(file!.bytes)!.samples.at(-1)!)).toBeLessThan(50)
  })

  test('is the same for the same request, and another for another prompt, run or source', async () => {
    const source = { param: 'videoUrl', kind: 'video', bytes: new Uint8Array([1, 2]) } as const
    const orders = [
      music,
      music,
      { ...music, prompt: 'sun' },
      { ...music, seed: 'x' },
      { ...music, inputs: [source] },
    ]
    const files = await Promise.all(orders.map(order => render(order)))
    const sums = files.map(([file]) => Buffer.from(file!.bytes).toString('latin1'))
    expect(sums[0]).toBe(sums[1])
    expect(new Set(sums).size).toBe(4)
  })
})

describe('speech', () => {
  const none: Synthesiser = async () => undefined
  const fake: Synthesiser = async text => ({
    rate: 8000,
    channels: 1,
    samples: new Int16Array(text.length * 800).fill(9),
  })

  test('is what the first synthesiser that can speak says', async () => {
    const [file] = await renderSpeech(speech, [none, fake, none])
    expect(file).toMatchObject({ type: 'audio/wav', seconds: speech.prompt.length / 10 })
    expect(file!.warning).toBeUndefined()
    expect(readWav(file!.bytes)).toMatchObject({ rate: 8000, channels: 1 })
  })

  test('is a tone for every word, with a warning, where nothing can speak', async () => {
    const [short] = await renderSpeech(speech, [none])
    const [long] = await renderSpeech({ ...speech, prompt: `${speech.prompt} `.repeat(4) }, [none])
    expect(short!.warning).toMatch(/^no speech synthesiser is installed, so this is a tone/)
    expect(Math.max(...loudness(short!.bytes))).toBeGreaterThan(3000)
    expect(long!.seconds! / short!.seconds!).toBeCloseTo(4, 1)
  })

  test('in a language that nobody speaks is English, with a warning', async () => {
    const [file] = await renderSpeech({ ...speech, params: { language: 'Klingon' } }, [fake])
    expect(file!.warning).toBe('no voice speaks Klingon, so this is spoken in English')
    const [known] = await renderSpeech({ ...speech, params: { language: 'Deutsch' } }, [fake])
    expect(known!.warning).toBeUndefined()
  })

  test('may be about nothing', async () => {
    expect((await renderSpeech({ ...speech, prompt: '   ' }, [none]))[0]!.seconds).toBe(0)
  })

  test('may be spoken without the optional package, or not at all', async () => {
    const missing = speakingWith('@echogarden/there-is-no-such-package')
    expect(await missing('hello', voiceFor('eve', '', ''))).toBeUndefined()
    expect((await renderSpeech(speech, [missing, fake]))[0]!.warning).toBeUndefined()
    expect((await renderSpeech(speech, [missing, missing]))[0]!.warning).toBeDefined()
  })

  describe.each([
    ['the optional package', packaged],
    ['the installed program', installed],
  ])('by %s', (_, synthesiser) => {
    beforeEach(context => synthesiser === installed && needs(context, 'espeak-ng'))

    const said = async (text: string, params: RenderRequest['params']) =>
      (await renderSpeech({ ...speech, prompt: text, params }, [synthesiser]))[0]!
    const same = (files: readonly RenderedFile[]) =>
      new Set(files.map(file => Buffer.from(file.bytes).toString('latin1'))).size

    test('is heard, each voice in its own way', async () => {
      const voices = ['eve', 'ara', 'rex', 'sal', 'leo', 'somebody']
      const files = await Promise.all(voices.map(voiceId => said(speech.prompt, { voiceId })))
      expect(files.map(file => file.warning)).toEqual(Array(6).fill(undefined))
      expect(same(files)).toBe(6)
      for (const file of files) {
        expect(file.seconds).toBeGreaterThan(0.8)
        expect(file.seconds).toBeLessThan(4)
        expect(Math.max(...loudness(file.bytes))).toBeGreaterThan(5000)
      }
    })

    test('is another in every language, and British English is not American', async () => {
      const languages = ['en', 'en-GB', 'German', 'fr', 'Español', 'ja', 'zh', 'pt-BR']
      const files = await Promise.all(languages.map(language => said('12 30', { language })))
      expect(files.map(file => file.warning)).toEqual(Array(8).fill(undefined))
      expect(same(files)).toBe(8)
    })

    test('takes longer when there is more to say', async () => {
      const [one, three] = await Promise.all([said('One word.', {}), said('One word. '.repeat(3), {})])
      expect(three.seconds! / one.seconds!).toBeGreaterThan(2)
    })
  })
})

test.each([
  ['', '', 'en-us'],
  ['de', '', 'de'],
  ['de-DE', '', 'de'],
  ['German', '', 'de'],
  ['Deutsch', '', 'de'],
  ['pt-BR', '', 'pt-br'],
  ['Portuguese', 'Brazilian', 'pt-br'],
  ['Portuguese', '', 'pt'],
  ['English', 'British', 'en-gb'],
  ['en-GB', '', 'en-gb'],
  ['en_US', '', 'en-us'],
  ['English', 'Scottish', 'en-gb-scotland'],
  ['es', 'Mexican', 'es-419'],
  ['Spanish (Latin America)', '', 'es-419'],
  ['zh', '', 'cmn'],
  ['Chinese', '', 'cmn'],
  ['Klingon', '', 'en-us'],
])('language %j with accent %j is spoken as %s', (language, accent, expected) => {
  expect(voiceFor('eve', language, accent).name).toBe(`${expected}+f2`)
})

describe('a WAV file', () => {
  test('comes back as it was written', () => {
    const pcm = toPcm(8000, [Float32Array.of(0, 0.5, -1), Float32Array.of(1, -2, 2)])
    expect([...pcm.samples]).toEqual([0, 32767, 16383, -32767, -32767, 32767])
    expect(readWav(wav(pcm))).toEqual(pcm)
  })

  test('whose header promises more than there is ends where it ends', () => {
    const bytes = wav({ rate: 8000, channels: 1, samples: Int16Array.of(1, 2, 3) })
    new DataView(bytes.buffer).setUint32(40, 0x7ffff000, true)
    expect([...readWav(bytes)!.samples]).toEqual([1, 2, 3])
  })

  test.each([[new Uint8Array(3)], [new Uint8Array(80)]])('is not found in other bytes', bytes => {
    expect(readWav(bytes)).toBeUndefined()
  })
})
