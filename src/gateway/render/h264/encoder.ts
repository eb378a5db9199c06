import { setImmediate as breathe } from 'node:timers/promises'
import { type BitWriter, bitWriter } from './bits.ts'
import { openChanges } from './changes.ts'
import { putChange, putIntra } from './macroblock.ts'
import { unit } from './nal.ts'
import { type Format, frameNumberBits, parameterSets } from './parameters.ts'
import { type Area, blankPicture, type Picture, toMacroblocks } from './picture.ts'
import type { CodedPlane } from './plane.ts'

/**
 * A small H.264 encoder for pictures that are drawn rather than filmed (ITU-T H.264, constrained baseline): what
 * changed is written as a difference, everything else is skipped and stays as it was. No motion search, no loop filter.
 */
export interface Encoder {
  /** For `avc1` in MP4: `avc1.42C028`. */
  readonly codec: string
  /** AVCDecoderConfigurationRecord (ISO/IEC 14496-15), with the parameter sets. */
  readonly config: Uint8Array
  /** The samples to show next, at the coded size. Write here, then encode. */
  readonly wanted: Picture
  /** What decoders show after the last encoded frame. */
  readonly shown: Picture
  /** A frame that needs nothing before it: all of `wanted`. */
  keyFrame(): Promise<Uint8Array>
  /** A frame that shows what it was told of `wanted`: `areas` names all places that may have changed. */
  nextFrame(areas: readonly Area[]): Promise<Uint8Array>
}

/** Frames are length-prefixed NAL units (AVCC). Encoding gives way to other work every few milliseconds. */
export function h264(format: Format): Encoder {
  const wanted = blankPicture(roundUp(format.width), roundUp(format.height))
  const shown = blankPicture(wanted.width, wanted.height)
  const changed = openChanges(wanted)
  const columns = wanted.width / 16
  const rows = wanted.height / 16
  const blocks = columns * rows
  const planeOf = (k: 0 | 1 | 2): CodedPlane => {
    const stride = wanted.width >> (k === 0 ? 0 : 1)
    const counts = new Uint8Array(wanted.planes[k].length / 16)
    return { wanted: wanted.planes[k], shown: shown.planes[k], stride, counts }
  }
  const planes = [planeOf(0), planeOf(1), planeOf(2)] as const
  let frameNumber = 0
  let keyFrames = 0

  /** `due` is in the order of the picture, and all of it in key frames. */
  const slice = async (bits: BitWriter, isKey: boolean, due: Iterable<number>): Promise<Uint8Array> => {
    for (const plane of planes) plane.counts.fill(0)
    let next = 0
    let written = 0
    for (const at of due) {
      const place = { column: at % columns, row: Math.floor(at / columns) }
      if (isKey) putIntra(bits, planes, place, 0)
      if (isKey || putChange(bits, planes, place, at - next)) next = at + 1
      if (++written % macroblocksPerBreath === 0) await breathe()
    }
    if (next < blocks) bits.ue(blocks - next)
    return unit(isKey ? 0x65 : 0x61, bits.finish())
  }

  const keyFrame = (): Promise<Uint8Array> => {
    frameNumber = 0
    const bits = bitWriter(blocks * 16)
    putSliceHeader(bits, 7, frameNumber, keyFrames++)
    changed.forget()
    return slice(bits, true, Array(blocks).keys())
  }

  const nextFrame = (areas: readonly Area[]): Promise<Uint8Array> => {
    const due: number[] = []
    // Copies what was changed, so that a macroblock in two areas is due once.
    for (const area of areas) changed.find(toMacroblocks(area, wanted), due)
    const bits = bitWriter()
    frameNumber = (frameNumber + 1) % frameNumbers
    putSliceHeader(bits, 5, frameNumber, undefined)
    return slice(
      bits,
      false,
      due.sort((a, b) => a - b),
    )
  }

  const { codec, config } = parameterSets(format, wanted)
  return { codec, config, wanted, shown, keyFrame, nextFrame }
}

/** About five milliseconds of work. */
const macroblocksPerBreath = 600
const frameNumbers = 1 << frameNumberBits

function roundUp(size: number): number {
  return Math.ceil(size / 16) * 16
}

/** Section 7.3.3. `type` 7 is all I, 5 all P; key frames have a number that differs from their neighbour's. */
function putSliceHeader(
  bits: BitWriter,
  type: 5 | 7,
  frameNumber: number,
  keyFrame: number | undefined,
): void {
  bits.ue(0) // first_mb_in_slice
  bits.ue(type)
  bits.ue(0) // pic_parameter_set_id
  bits.put(frameNumber, frameNumberBits)
  if (keyFrame !== undefined) {
    bits.ue(keyFrame & 1) // idr_pic_id
    bits.put(0, 2) // no_output_of_prior_pics_flag, long_term_reference_flag
  } else {
    bits.put(0, 3) // num_ref_idx_active_override, ref_pic_list_modification, adaptive_ref_pic_marking_mode
  }
  bits.se(0) // slice_qp_delta
  bits.ue(1) // disable_deblocking_filter_idc: what is drawn is what is shown
}
