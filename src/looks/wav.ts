import { wordTable } from '../base/word-table.ts'
import { newSoundMeter, type SoundMeter } from './sound.ts'

/** Reads a WAV while it comes in (RIFF; PCM of 8 to 32 bits and floats), and measures it. */
interface WavMeter {
  add(piece: Uint8Array): void
  /** Undefined where no samples of a kind that is known came. */
  meter(): SoundMeter | undefined
}

interface Format {
  readonly channels: number
  readonly bytes: number
  readonly read: (view: DataView, at: number) => number
}

export function newWavMeter(): WavMeter {
  let pending: Uint8Array = new Uint8Array(0)
  let format: Format | undefined
  let meter: SoundMeter | undefined
  /** Bytes of sound that are still to come; a program that writes into a pipe does not know how many. */
  let left = 0
  function head(): boolean {
    // "RIFF", size, "WAVE", then pieces: a name, a size, and so many bytes, padded to an even number.
    let at = 12
    while (pending.length >= at + 8) {
      const view = viewOf(pending)
      const [name, size] = [view.getUint32(at), view.getUint32(at + 4, true)]
      if (name === dataName) {
        left = size === 0xffffffff || size === 0 ? Number.POSITIVE_INFINITY : size
        pending = pending.subarray(at + 8)
        return true
      }
      if (pending.length < at + 8 + size) return false
      if (name === formatName && size >= 16) {
        const found = formatOf(new DataView(pending.buffer, pending.byteOffset + at + 8, size))
        format = found?.format
        meter = found && newSoundMeter(found.rate, found.format.channels)
      }
      at += 8 + size + (size % 2)
    }
    return false
  }
  let isBegun = false
  return {
    add(piece) {
      pending = pending.length === 0 ? piece : Buffer.concat([pending, piece])
      if (!isBegun) isBegun = head()
      if (!isBegun || !format || !meter) return
      const frame = format.channels * format.bytes
      const usable = Math.min(left, pending.length)
      const count = Math.floor(usable / frame) * format.channels
      const view = viewOf(pending)
      const samples = new Float32Array(count)
      for (let at = 0; at < count; at++) samples[at] = format.read(view, at * format.bytes)
      meter.add(samples, count)
      left -= count * format.bytes
      pending = pending.slice(count * format.bytes)
    },
    meter: () => meter,
  }
}

const formatName = 0x666d7420 // "fmt "
const dataName = 0x64617461 // "data"

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function formatOf(view: DataView): { readonly format: Format; readonly rate: number } | undefined {
  const [tag, channels, rate, bits] = [
    view.getUint16(0, true),
    view.getUint16(2, true),
    view.getUint32(4, true),
    view.getUint16(14, true),
  ]
  // 0xfffe: what it is stands in its extension.
  const kind = tag === 0xfffe && view.byteLength >= 26 ? view.getUint16(24, true) : tag
  const read = readers[`${kind} ${bits}`]
  if (!read || channels === 0 || channels > 32 || rate < 1000 || rate > 768_000) return undefined
  return { format: { channels, bytes: bits / 8, read }, rate }
}

/** By the kind of numbers (1: whole, 3: floats) and their bits. */
const readers = wordTable<Format['read']>({
  '1 8': (view, at) => (view.getUint8(at) - 128) / 128,
  '1 16': (view, at) => view.getInt16(at, true) / 32_768,
  '1 24': (view, at) => (view.getUint8(at) | (view.getInt16(at + 1, true) << 8)) / 8_388_608,
  '1 32': (view, at) => view.getInt32(at, true) / 2_147_483_648,
  '3 32': (view, at) => view.getFloat32(at, true),
  '3 64': (view, at) => view.getFloat64(at, true),
})
