import { join } from 'node:path'
import { makeFolder } from '../disk/made.ts'
import { programAt } from '../disk/program.ts'
import { writeNewFile } from '../disk/write.ts'
import { type Pcm, readWav } from '../gateway/render/sound/wav.ts'
import { demuxers } from '../looks/decode.ts'
import { runProgram } from '../looks/program.ts'

/** Looks into clips and sounds. It takes bytes: what was proven to be the file is what is looked at. */
export interface Decoder {
  /** As a picture; undefined where the bytes are no clip that can be decoded here. */
  firstFrame(bytes: Uint8Array, type: string): Promise<Uint8Array | undefined>
  /** Of each channel, from -1 to 1; undefined where the bytes are no sound that can be decoded here. */
  samples(bytes: Uint8Array, type: string): Promise<readonly Float32Array[] | undefined>
}

/** By the system's ffmpeg, wherever PATH has it; plain WAV is read without it. */
export function openDecoder(path: string | undefined): Decoder {
  const program = programAt('ffmpeg', path)
  const decoded = (bytes: Uint8Array, type: string, how: readonly string[]) => {
    const format = demuxers[type]
    return program && format
      ? ran(program, { before: [...bounds, '-f', format], after: [...how, 'pipe:1'] }, bytes)
      : undefined
  }
  return {
    async firstFrame(bytes, type) {
      return decoded(bytes, type, ['-frames:v', '1', '-an', '-f', 'image2pipe', '-c:v', 'png'])
    },
    async samples(bytes, type) {
      const plain = type === 'audio/wav' ? readWav(bytes) : undefined
      if (plain) return channelsOf(plain)
      // With its head, which tells how many channels there are: mixed into one they would be quieter.
      const read = await decoded(bytes, type, [
        '-vn',
        ...longest,
        '-ar',
        '8000',
        '-c:a',
        'pcm_s16le',
        '-f',
        'wav',
      ])
      const pcm = read && readWav(read)
      return pcm && channelsOf(pcm)
    },
  }
}

// What it is given is one file; a playlist in it opens nothing else.
const bounds = ['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file']
/** Nobody sees the rest of an hour. */
const longest = ['-t', '600']

interface Words {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const patienceSeconds = 20
const mostBytes = 64 * 1024 * 1024

/** What it writes about a file; undefined when it fails, writes nothing or too much, or takes too long. */
async function ran(
  program: string,
  { before, after }: Words,
  bytes: Uint8Array,
): Promise<Uint8Array | undefined> {
  // A file, not a pipe: the index of a clip may stand at its end.
  const folder = makeFolder('genrun-look-')
  try {
    const path = join(folder.path, 'file')
    writeNewFile(path, bytes)
    const written: Uint8Array[] = []
    const ended = await runProgram({
      program,
      words: [...before, '-i', `file:${path}`, ...after],
      outputs: [piece => written.push(piece)],
      seconds: patienceSeconds,
      mostBytes,
    })
    return ended.is === 'done' && written.length > 0 ? Buffer.concat(written) : undefined
  } finally {
    await folder.remove()
  }
}

function channelsOf({ samples, channels }: Pcm): Float32Array[] {
  const length = Math.floor(samples.length / channels)
  return Array.from({ length: channels }, (_, nth) =>
    Float32Array.from({ length }, (_, at) => (samples[at * channels + nth] ?? 0) / 32_768),
  )
}
