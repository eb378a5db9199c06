import { setImmediate as breathe } from 'node:timers/promises'
import {
  ALL_FORMATS,
  AudioSample,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  Conversion,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputAudioTrack,
  Mp4OutputFormat,
  NullTarget,
  Output,
  Quality,
} from 'mediabunny'
import type { Sound } from './music.ts'
import { boxes } from './poster.ts'

/** The gateway's one door to mediabunny: putting packets into MP4 and taking them out. */
export interface VideoTrack {
  readonly codec: string
  /** AVCDecoderConfigurationRecord. */
  readonly config: Uint8Array
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
  readonly frames: readonly { readonly bytes: Uint8Array; readonly isKey: boolean }[]
}

/** Sound as it stands in a file, packet by packet. */
export interface SoundTrack {
  readonly codec: 'aac' | 'mp3' | 'opus'
  readonly config: AudioDecoderConfig
  readonly packets: readonly SoundPacket[]
}

interface SoundPacket {
  readonly bytes: Uint8Array
  readonly seconds: number
}

/** An MP4 of exactly `seconds`, its index in front; the last frame and the last sound packet are cut to fit. */
export async function muxMp4(
  video: VideoTrack,
  sound: SoundTrack | undefined,
  seconds: number,
): Promise<Uint8Array> {
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: 'in-memory' }),
    target: new BufferTarget(),
  })
  const pictures = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(pictures)
  const sounds = sound && new EncodedAudioPacketSource(sound.codec)
  if (sounds) output.addAudioTrack(sounds)
  await output.start()
  await Promise.all([
    addFrames(pictures, video, seconds),
    sounds && sound ? addSound(sounds, sound, seconds) : undefined,
  ])
  await output.finalize()
  return withoutDates(new Uint8Array(output.target.buffer!)) // there once finalized
}

/** Adding is awaited and yet never lets others work. */
const packetsPerBreath = 50

async function addFrames(to: EncodedVideoPacketSource, video: VideoTrack, seconds: number): Promise<void> {
  const { codec, config, width, height, framesPerSecond, frames } = video
  const colorSpace = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const
  const decoderConfig = { codec, codedWidth: width, codedHeight: height, description: config, colorSpace }
  for (const [k, frame] of frames.entries()) {
    const start = k / framesPerSecond
    const length = k === frames.length - 1 ? seconds - start : 1 / framesPerSecond
    const packet = new EncodedPacket(frame.bytes, frame.isKey ? 'key' : 'delta', start, length)
    await to.add(packet, k === 0 ? { decoderConfig } : undefined)
    if (k % packetsPerBreath === 0) await breathe()
  }
  to.close()
}

async function addSound(to: EncodedAudioPacketSource, sound: SoundTrack, seconds: number): Promise<void> {
  let start = 0
  for (const [k, packet] of sound.packets.entries()) {
    const left = seconds - start
    // A packet of less than a millisecond helps no one, and rounds to nothing in the file's own clock.
    if (left < 0.001) break
    const meta = start === 0 ? { decoderConfig: sound.config } : undefined
    await to.add(new EncodedPacket(packet.bytes, 'key', start, Math.min(packet.seconds, left)), meta)
    start += packet.seconds
    if (k % packetsPerBreath === 0) await breathe()
  }
  to.close()
}

/** Encodes stereo sound as AAC, in a thread of the encoder's own. */
export async function encodeAac(sound: Sound, bitsPerSecond: number): Promise<SoundTrack> {
  await allowAac()
  const packets: SoundPacket[] = []
  let config: AudioDecoderConfig | undefined
  const source = new AudioSampleSource({
    codec: 'aac',
    quality: new Quality(bitsPerSecond),
    onEncodedPacket: (packet, meta) => {
      config ??= meta?.decoderConfig
      packets.push({ bytes: packet.data, seconds: packet.duration })
    },
  })
  const output = new Output({ format: new Mp4OutputFormat(), target: new NullTarget() })
  output.addAudioTrack(source)
  await output.start()
  const sample = sampleOf(sound)
  await source.add(sample)
  sample.close()
  source.close()
  await output.finalize()
  if (config === undefined) throw new Error('the AAC encoder gave no packets')
  return { codec: 'aac', config, packets }
}

function sampleOf({ left, right, rate }: Sound): AudioSample {
  const data = new Float32Array(left.length * 2)
  data.set(left)
  data.set(right, left.length)
  return new AudioSample({ data, format: 'f32-planar', numberOfChannels: 2, sampleRate: rate, timestamp: 0 })
}

async function allowAac(): Promise<void> {
  const { registerAacEncoder } = await import('@mediabunny/aac-encoder')
  registerAacEncoder()
}

/**
 * The sound of a recording, at most `seconds` of it, as it can stand in an MP4: copied where it can be, else encoded.
 * Undefined when there is none or it cannot be read.
 */
export async function soundOf(recording: Uint8Array, seconds: number): Promise<SoundTrack | undefined> {
  try {
    const track = await audioTrack(recording)
    if (track === undefined) return undefined
    const copied = await packetsOf(track, seconds)
    return copied ?? (await converted(recording, seconds))
  } catch {
    // A foreign file: whatever is wrong with it, the clip gets other sound.
    return undefined
  }
}

/** The frames of a clip whose parameter sets are the given ones, so that more can follow them; none of any other. */
export async function framesOf(clip: Uint8Array, config: Uint8Array): Promise<VideoTrack['frames']> {
  try {
    const input = new Input({ source: new BufferSource(clip), formats: ALL_FORMATS })
    const track = await input.getPrimaryVideoTrack()
    const described = (await track?.getDecoderConfig())?.description
    if (!track || !(described instanceof Uint8Array) || Buffer.compare(described, config) !== 0) return []
    const frames: { bytes: Uint8Array; isKey: boolean }[] = []
    for await (const packet of new EncodedPacketSink(track).packets()) {
      frames.push({ bytes: packet.data, isKey: packet.type === 'key' })
    }
    return frames
  } catch {
    // A foreign file that cannot be read is not continued.
    return []
  }
}

async function audioTrack(recording: Uint8Array): Promise<InputAudioTrack | undefined> {
  const input = new Input({ source: new BufferSource(recording), formats: ALL_FORMATS })
  return (await input.getPrimaryAudioTrack()) ?? undefined
}

async function packetsOf(track: InputAudioTrack, seconds: number): Promise<SoundTrack | undefined> {
  const codec = await track.getCodec()
  const config = await track.getDecoderConfig()
  if (config === null || (codec !== 'aac' && codec !== 'mp3' && codec !== 'opus')) return undefined
  const packets: SoundPacket[] = []
  let length = 0
  for await (const packet of new EncodedPacketSink(track).packets()) {
    if (length >= seconds) break
    packets.push({ bytes: packet.data, seconds: packet.duration })
    length += packet.duration
  }
  return packets.length === 0 ? undefined : { codec, config, packets }
}

async function converted(recording: Uint8Array, seconds: number): Promise<SoundTrack | undefined> {
  await allowAac()
  const input = new Input({ source: new BufferSource(recording), formats: ALL_FORMATS })
  const output = new Output({ format: new Mp4OutputFormat(), target: new BufferTarget() })
  const conversion = await Conversion.init({
    input,
    output,
    video: { discard: true },
    audio: { codec: 'aac', sampleRate: 48_000, numberOfChannels: 2, quality: new Quality(128_000) },
    trim: { start: 0, end: seconds },
  })
  if (!conversion.isValid) return undefined
  await conversion.execute()
  const track = await audioTrack(new Uint8Array(output.target.buffer!)) // there once executed
  return track && packetsOf(track, seconds)
}

const dated = new Set(['mvhd', 'tkhd', 'mdhd'])
const holding = new Set(['moov', 'trak', 'mdia'])

/** Sets the times of creation and change to zero ("unknown"), so that one order always gives the same bytes. */
function withoutDates(mp4: Uint8Array, from = 0, to = mp4.length): Uint8Array {
  for (const box of boxes(mp4, from, to)) {
    if (holding.has(box.type)) withoutDates(mp4, box.start, box.end)
    // Version and flags, then two times: of 8 bytes in version 1, else of 4.
    if (dated.has(box.type)) mp4.fill(0, box.start + 4, box.start + 4 + (mp4[box.start] === 1 ? 16 : 8))
  }
  return mp4
}
