import { wordTable } from '../base/word-table.ts'
import { framesPerSecond, newClipMeter } from './clip.ts'
import type { ClipFacts, SoundFigures } from './facts.ts'
import { hashSide } from './hash.ts'
import { runProgram } from './program.ts'
import { newWavMeter } from './wav.ts'

/** What is decoded by a program of the system's: clips, and sounds that are no WAV. */
interface Decoding {
  readonly path: string
  /** Its media type, by its bytes. */
  readonly type: string
  readonly has: { readonly pictures: boolean; readonly sound: boolean }
  /** The absolute path of the program. */
  readonly ffmpeg: string
  readonly stop?: AbortSignal | undefined
}

type Decoded =
  | {
      readonly got: 'figures'
      readonly clip?: Omit<ClipFacts, 'of' | 'sound'>
      readonly sound?: SoundFigures
    }
  | { readonly got: 'nothing'; readonly why: string }

/** No more of a file is looked at. */
const mostSeconds = 600
const patienceSeconds = 60

/**
 * Decodes pictures and sound in one go. The program is told what the file is by its bytes, and opens nothing but that file: it knows
 * formats that name other files and addresses.
 */
export async function decodeTracks(decoding: Decoding): Promise<Decoded> {
  const { has } = decoding
  const clip = has.pictures ? newClipMeter() : undefined
  const sound = has.sound ? newWavMeter() : undefined
  const ended = await runProgram({
    program: decoding.ffmpeg,
    words: wordsFor(decoding),
    outputs: [...(clip ? [clip.add] : []), ...(sound ? [sound.add] : [])],
    seconds: patienceSeconds,
    mostBytes: 2 ** 30,
    stop: decoding.stop,
  })
  if (ended.is === 'stopped') return { got: 'nothing', why: 'genrun was stopped' }
  if (ended.is === 'failed') return { got: 'nothing', why: `ffmpeg: ${ended.said ?? ended.why}` }
  const [shown, heard] = [clip?.facts(), sound?.meter()?.figures()]
  if ((clip && !shown) || (sound && !heard)) return { got: 'nothing', why: 'ffmpeg brought nothing of it' }
  return { got: 'figures', ...(shown && { clip: shown }), ...(heard && { sound: heard }) }
}

function wordsFor({ path, type, has }: Decoding): string[] {
  const length = ['-t', String(mostSeconds)]
  const pictures = `fps=${framesPerSecond},scale=${hashSide}:${hashSide}:flags=area,format=gray`
  return [
    ...['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file,pipe'],
    // Blocks of a picture are not smoothed: nobody sees them in so few pixels.
    ...['-skip_loop_filter', 'all', '-f', demuxers[type] ?? 'mov', '-i', `file:${path}`],
    ...(has.pictures ? ['-map', '0:v:0', '-an', '-vf', pictures, ...length, '-f', 'rawvideo', 'pipe:1'] : []),
    ...(has.sound
      ? [
          '-map',
          '0:a:0',
          '-vn',
          '-c:a',
          'pcm_f32le',
          ...length,
          '-f',
          'wav',
          has.pictures ? 'pipe:3' : 'pipe:1',
        ]
      : []),
  ]
}

/** What ffmpeg calls a format, by its media type: told, it never guesses one that opens other files. */
export const demuxers = wordTable<string>({
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'audio/mp4': 'mov',
})
