import { createCanvas } from '@napi-rs/canvas'
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny'
import { mediaTypes } from '../../src/media/sniff.ts'

/** One small whole file of every type, made here: by the libraries that are installed, or by hand from the format's page. */
export async function samples(): Promise<{ readonly [Name in keyof typeof mediaTypes]: Uint8Array }> {
  return {
    png: picture('image/png'),
    jpeg: picture('image/jpeg'),
    webp: picture('image/webp'),
    avif: picture('image/avif'),
    gif: gif(),
    mp4: await movie(new Mp4OutputFormat({ fastStart: 'in-memory' }), ['vp9']),
    mov: await movie(new MovOutputFormat({ fastStart: false }), ['vp9']),
    webm: await movie(new WebMOutputFormat(), ['vp9', 'opus']),
    m4a: branded(await movie(new Mp4OutputFormat({ fastStart: 'in-memory' }), ['opus']), 'M4A '),
    ogg: await movie(new OggOutputFormat(), ['opus']),
    wav: wav(800),
    mp3: mp3(20),
    aac: aac(20),
    flac: flac(5),
  }
}

function picture(type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif'): Uint8Array {
  const canvas = createCanvas(40, 24)
  const pen = canvas.getContext('2d')
  pen.fillStyle = 'teal'
  pen.fillRect(4, 4, 20, 12)
  // The overloads name one type each.
  return new Uint8Array(canvas.toBuffer(type as 'image/png'))
}

/** RFC 7845, section 5.1: version 1, one channel, no samples to skip, 48000 Hz. */
const opusHead = Uint8Array.from([...ascii('OpusHead'), 1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0])

/** One second in ten packets; what they hold is of no interest to a container. */
export async function movie(format: OutputFormat, codecs: readonly ('vp9' | 'opus')[]): Promise<Uint8Array> {
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const video = codecs.includes('vp9') ? new EncodedVideoPacketSource('vp9') : undefined
  const audio = codecs.includes('opus') ? new EncodedAudioPacketSource('opus') : undefined
  if (video) output.addVideoTrack(video)
  if (audio) output.addAudioTrack(audio)
  await output.start()
  for (let nth = 0; nth < 10; nth++) {
    await video?.add(new EncodedPacket(new Uint8Array(60).fill(nth), 'key', nth / 10, 0.1), {
      decoderConfig: { codec: 'vp09.00.10.08', codedWidth: 64, codedHeight: 36 },
    })
    await audio?.add(new EncodedPacket(new Uint8Array([0xfc, ...new Uint8Array(40)]), 'key', nth / 10, 0.1), {
      decoderConfig: { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000, description: opusHead },
    })
  }
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0))
}

/** The same file under another major brand. */
export function branded(file: Uint8Array, brand: string): Uint8Array {
  const copy = file.slice()
  copy.set(ascii(brand), 8)
  return copy
}

/** 2 by 2 pixels, black and white. */
function gif(): Uint8Array {
  const screen = [...ascii('GIF89a'), 2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff]
  const frame = [0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x0c, 0x10, 0x05, 0]
  return Uint8Array.from([...screen, 0x21, 0xf9, 4, 0, 0, 0, 0, 0, ...frame, 0x3b])
}

/** 16 bits, one channel, 8000 samples a second. */
export function wav(samples: number): Uint8Array {
  const file = Buffer.alloc(44 + samples * 2)
  file.write('RIFF')
  file.writeUInt32LE(36 + samples * 2, 4)
  file.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 16_000],
  ] as const)
    file.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    file.writeUInt16LE(value, at)
  file.write('data', 36)
  file.writeUInt32LE(samples * 2, 40)
  for (let nth = 0; nth < samples; nth++) file.writeInt16LE(nth % 1000, 44 + nth * 2)
  return new Uint8Array(file)
}

/** Silent frames of 64 kbit/s at 44100 Hz, one channel, behind the encoder's note that counts them. */
function mp3(frames: number): Uint8Array {
  const frame = () => Uint8Array.from([0xff, 0xfb, 0x50, 0xc0, ...new Uint8Array(204)])
  const note = frame()
  note.set([...ascii('Info'), 0, 0, 0, 1, 0, 0, 0, frames], 4 + 17)
  return Buffer.concat([note, ...Array.from({ length: frames }, frame)])
}

/** ADTS frames of AAC-LC at 44100 Hz, one channel, of 32 bytes each. */
function aac(frames: number): Uint8Array {
  const frame = Uint8Array.from([
    0xff,
    0xf1,
    0x50,
    0x40,
    32 >> 3,
    ((32 & 7) << 5) | 0x1f,
    0xfc,
    ...new Uint8Array(25),
  ])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

/** Frames of 192 equal samples, 16 bits, one channel, 44100 Hz. */
function flac(frames: number): Uint8Array {
  const info = Buffer.alloc(34)
  info.writeUInt16BE(192, 0)
  info.writeUInt16BE(192, 2)
  info.writeUInt32BE(((44_100 << 12) | (15 << 4)) >>> 0, 10)
  info.writeUInt32BE(192 * frames, 14)
  const pieces = Array.from({ length: frames }, (_, nth) => {
    const head = [0xff, 0xf8, 0x19, 0x08, nth]
    const whole = [...head, remainder(head, 8, 0x07), 0, nth, 7]
    const sum = remainder(whole, 16, 0x8005)
    return [...whole, sum >> 8, sum & 0xff]
  })
  return Uint8Array.from([...ascii('fLaC'), 0x80, 0, 0, 34, ...info, ...pieces.flat()])
}

/** Division of polynomials over bits, the way a checksum's page draws it. */
function remainder(bytes: readonly number[], width: number, polynomial: number): number {
  const bits = bytes.flatMap(byte => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1))
  const padded = [...bits, ...new Array<number>(width).fill(0)]
  for (let at = 0; at < bits.length; at++) {
    if (padded[at] === 0) continue
    padded[at] = 0
    for (let bit = 0; bit < width; bit++)
      padded[at + 1 + bit] = (padded[at + 1 + bit] ?? 0) ^ ((polynomial >> (width - 1 - bit)) & 1)
  }
  return padded.slice(-width).reduce((sum, bit) => sum * 2 + bit, 0)
}

export function ascii(text: string): number[] {
  return [...Buffer.from(text, 'latin1')]
}
