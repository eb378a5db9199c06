import { spawn } from 'node:child_process'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Voice } from './voices.ts'
import { type Pcm, readWav } from './wav.ts'

/** Speaks a text; undefined where this synthesiser is missing or cannot. */
export type Synthesiser = (text: string, voice: Voice) => Promise<Pcm | undefined>

/** eSpeak NG as a package (GPL-3.0), which is used when the user installed it, and never asked for. */
export const packaged: Synthesiser = speakingWith('@echogarden/espeak-ng-emscripten')

/** The same under the name of a package; it is loaded when first wanted, and may be missing. */
export function speakingWith(name: string): Synthesiser {
  let loading: Promise<Speaker | undefined> | undefined
  return async (text, voice) => {
    loading ??= newSpeaker(name).catch(() => undefined)
    const speaker = await loading
    return speaker && speak(speaker, text, voice)
  }
}

async function speak(speaker: Speaker, text: string, voice: Voice): Promise<Pcm | undefined> {
  const parts: Int16Array[] = []
  for (const sentence of sentences(text)) {
    // Before each sentence: another text may have been spoken in between.
    if (!namesFor(voice).some(name => speaker.set_voice(name) === 0)) return undefined
    speaker.set_rate(voice.speed)
    speaker.set_pitch(voice.pitch)
    speaker.synthesize(sentence, samples => {
      parts.push(samples)
      return false
    })
    await breathe()
  }
  return { rate: speaker.get_samplerate(), channels: 1, samples: joined(parts) }
}

/** What is used of the package's worker; it has no types of its own. */
interface Speaker {
  /** 0 when there is such a voice. */
  set_voice(name: string): number
  set_rate(wordsPerMinute: number): void
  set_pitch(pitch: number): void
  get_samplerate(): number
  /** Hands over samples as they are made; ends early when told `true`. */
  synthesize(text: string, take: (samples: Int16Array) => boolean): void
}

/** The voice, then its language without the region, then English: a synthesiser may know fewer. */
function namesFor({ name }: Voice): string[] {
  const [language = '', variant = ''] = name.split('+')
  return [language, language.split('-')[0], 'en'].map(each => `${each}+${variant}`)
}

async function newSpeaker(name: string): Promise<Speaker> {
  // In a variable: neither the compiler nor a bundler shall look for it.
  const { default: start } = await import(/* @vite-ignore */ name)
  const { eSpeakNGWorker } = await start()
  return new eSpeakNGWorker()
}

/** Pieces of a text that take some milliseconds each to speak. */
function sentences(text: string): string[] {
  return text.match(/[^.!?;:。！？\n]{1,300}[.!?;:。！？\n]*\s*/gu) ?? [text]
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The program `espeak-ng`, when the system has it. */
export const installed: Synthesiser = async (text, voice) => {
  for (const name of namesFor(voice)) {
    const settings = ['-v', name, '-p', String(voice.pitch), '-s', String(voice.speed)]
    const output = await run('espeak-ng', ['--stdin', '--stdout', '-b', '1', ...settings], text)
    if (output) return readWav(output)
  }
  return undefined
}

/** What a program wrote; undefined when it is missing, failed, or wrote nothing. */
function run(program: string, options: readonly string[], input: string): Promise<Uint8Array | undefined> {
  return new Promise(done => {
    const child = spawn(program, options, { stdio: ['pipe', 'pipe', 'ignore'] })
    const written: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => written.push(part))
    child.on('error', () => done(undefined))
    child.on('close', code => done(code === 0 && written.length > 0 ? Buffer.concat(written) : undefined))
    // A program that ends without reading is told by its code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
