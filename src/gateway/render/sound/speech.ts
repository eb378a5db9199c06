import { chanceOf } from '../order/chance.ts'
import type { RenderedFile, RenderRequest } from '../order/request.ts'
import { installed, packaged, type Synthesiser } from './espeak.ts'
import { type Voice, voiceFor } from './voices.ts'
import { type Pcm, toPcm, wav } from './wav.ts'

const noSynthesiser =
  'no speech synthesiser is installed, so this is a tone as long as the words; install the package ' +
  '@echogarden/espeak-ng-emscripten or the program espeak-ng to hear them'

/** The prompt, spoken. Given synthesisers are tried in turn; when none can, a pattern of tones stands for the words. */
export async function renderSpeech(
  request: RenderRequest,
  synthesisers: readonly Synthesiser[] = [packaged, installed],
): Promise<RenderedFile[]> {
  const { prompt, params, count } = request
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : '')
  const voice = voiceFor(text('voiceId'), text('language'), text('accent'))
  const spoken = await firstSpoken(prompt, voice, synthesisers)
  const pcm = spoken ?? tones(prompt, voice)
  const file: RenderedFile = {
    bytes: wav(pcm),
    type: 'audio/wav',
    extension: 'wav',
    seconds: pcm.samples.length / pcm.channels / pcm.rate,
    ...warningOf(voice, spoken !== undefined),
  }
  return Array.from({ length: count }, () => file)
}

function warningOf({ unspoken }: Voice, isSpoken: boolean): { warning?: string } {
  if (!isSpoken) return { warning: noSynthesiser }
  if (unspoken === undefined) return {}
  return { warning: `no voice speaks ${unspoken}, so this is spoken in English` }
}

async function firstSpoken(text: string, voice: Voice, by: readonly Synthesiser[]): Promise<Pcm | undefined> {
  for (const synthesiser of by) {
    const pcm = await synthesiser(text, voice)
    if (pcm && pcm.samples.length > 0) return pcm
  }
  return undefined
}

const rate = 22_050
const lettersPerSecond = 15

/** A tone for every word, as long as it takes to say it, with a gap after it. */
function tones(text: string, voice: Voice): Pcm {
  const words = text.split(/\s+/).filter(word => word !== '')
  const lengths = words.map(word => Math.round((rate * (word.length + 1)) / lettersPerSecond))
  const samples = new Float32Array(lengths.reduce((sum, length) => sum + length, 0))
  const chance = chanceOf('tones', text, voice.name)
  let at = 0
  for (const [k, length] of lengths.entries()) {
    const pitch = (110 + 2 * voice.pitch) * chance.between(0.85, 1.2)
    tone(samples.subarray(at, at + length), pitch, /[.,;:!?]$/.test(words[k]!) ? 0.6 : 0.85)
    at += length
  }
  return toPcm(rate, [samples])
}

function tone(samples: Float32Array, pitch: number, share: number): void {
  const length = samples.length * share
  for (let k = 0; k < length; k++) {
    const angle = (2 * Math.PI * pitch * k) / rate
    samples[k] = 0.25 * Math.sin(Math.PI * (k / length)) * (Math.sin(angle) + 0.4 * Math.sin(2 * angle))
  }
}
