/** Samples of one or more channels, 16 bits each, channels alternating. */
export interface Pcm {
  readonly rate: number
  readonly channels: number
  readonly samples: Int16Array
}

const headerBytes = 44

/** A RIFF file with PCM samples, as long as its header says. */
export function wav({ rate, channels, samples }: Pcm): Uint8Array {
  const bytes = new Uint8Array(headerBytes + samples.length * 2)
  const view = new DataView(bytes.buffer)
  const word = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  word(0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true) // PCM
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  word(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  for (const [k, sample] of samples.entries()) view.setInt16(headerBytes + k * 2, sample, true)
  return bytes
}

/** Reads 16 bit PCM from a RIFF file, whose sizes may be too large (as when it was written to a pipe). */
export function readWav(bytes: Uint8Array): Pcm | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < headerBytes || word(0) !== 'RIFF' || word(8) !== 'WAVE') return undefined
  let format: { rate: number; channels: number } | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true)
    if (word(at) === 'fmt ' && view.getUint16(at + 22, true) === 16) {
      format = { channels: view.getUint16(at + 10, true), rate: view.getUint32(at + 12, true) }
    }
    if (word(at) === 'data' && format) {
      const end = Math.min(bytes.length, at + 8 + size)
      // A copy: a slice of Node's buffers is none, and has the rest of the file before it.
      const body = Uint8Array.from(bytes.subarray(at + 8, end - ((end - at) % 2)))
      return { ...format, samples: new Int16Array(body.buffer) }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** One number per channel and sample, between -1 and 1; louder ones are cut. */
export function toPcm(rate: number, channels: readonly Float32Array[]): Pcm {
  const length = channels[0]?.length ?? 0
  const samples = new Int16Array(length * channels.length)
  for (const [channel, values] of channels.entries()) {
    for (let k = 0; k < length; k++) {
      samples[k * channels.length + channel] = Math.max(-1, Math.min(1, values[k]!)) * 32767
    }
  }
  return { rate, channels: channels.length, samples }
}
