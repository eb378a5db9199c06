import { setImmediate as breathe } from 'node:timers/promises'
import { type BitWriter, bitWriter } from './bits.ts'
import { putMacroblock } from './macroblock.ts'
import { type Area, blankPicture, type Picture, toMacroblocks } from './picture.ts'
import type { CodedPlane } from './plane.ts'
import { quantiser } from './transform.ts'

/**
 * A small H.264 encoder for pictures that are drawn rather than filmed (ITU-T H.264, constrained baseline): what
 * changed is written as Intra16x16, everything else is skipped and stays as it was. No motion search, no loop filter.
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

export interface Format {
  /** Even, as 4:2:0 pictures can only be cropped by pairs. */
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
}

/** Frames are length-prefixed NAL units (AVCC). Encoding gives way to other work every few milliseconds. */
export function h264(format: Format): Encoder {
  const wanted = blankPicture(roundUp(format.width), roundUp(format.height))
  const shown = blankPicture(wanted.width, wanted.height)
  const before = blankPicture(wanted.width, wanted.height)
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
      if (!isKey) bits.ue(at - next) // mb_skip_run
      putMacroblock(bits, planes, at % columns, Math.floor(at / columns), isKey ? 0 : 5)
      next = at + 1
      if (++written % macroblocksPerBreath === 0) await breathe()
    }
    if (next < blocks) bits.ue(blocks - next)
    return unit(isKey ? 0x65 : 0x61, bits.finish())
  }

  const keyFrame = (): Promise<Uint8Array> => {
    frameNumber = 0
    const bits = bitWriter(blocks * 16)
    putSliceHeader(bits, 7, frameNumber, keyFrames++)
    for (const plane of [0, 1, 2] as const) before.planes[plane].set(wanted.planes[plane])
    return slice(bits, true, Array(blocks).keys())
  }

  const nextFrame = (areas: readonly Area[]): Promise<Uint8Array> => {
    // Sets what was remembered, so that a macroblock in two areas is due once.
    const due = areas.flatMap(area =>
      macroblocksOf(area, wanted).filter(at =>
        remember(wanted, before, at % columns, Math.floor(at / columns)),
      ),
    )
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
const frameNumberBits = 16
const frameNumbers = 1 << frameNumberBits

function roundUp(size: number): number {
  return Math.ceil(size / 16) * 16
}

function macroblocksOf(area: Area, picture: Picture): number[] {
  const columns = picture.width / 16
  const { x, y, width, height } = toMacroblocks(area, picture)
  const found: number[] = []
  for (let row = y / 16; row < (y + height) / 16; row++) {
    for (let column = x / 16; column < (x + width) / 16; column++) found.push(row * columns + column)
  }
  return found
}

/** Copies one macroblock from `wanted` to `before`; whether they differed. */
function remember(wanted: Picture, before: Picture, column: number, row: number): boolean {
  let isChanged = false
  for (let plane = 0; plane < 3; plane++) {
    const side = plane === 0 ? 16 : 8
    const stride = plane === 0 ? wanted.width : wanted.width >> 1
    const from = wanted.planes[plane]!
    const to = before.planes[plane]!
    for (let j = 0; j < side; j++) {
      const line = (row * side + j) * stride + column * side
      for (let at = line; at < line + side; at++) {
        if (from[at] === to[at]) continue
        to[at] = from[at]!
        isChanged = true
      }
    }
  }
  return isChanged
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

function parameterSets(format: Format, coded: Picture): { codec: string; config: Uint8Array } {
  const level = levelFor(coded, format.framesPerSecond)
  const profile = [66, 0xc0, level]
  const sequence = nal(0x67, concat([new Uint8Array(profile), sequenceSet(format, coded)]))
  const picture = nal(0x68, pictureSet())
  const config = concat([
    new Uint8Array([1, ...profile, 0xff, 0xe1]),
    ...[sequence, new Uint8Array([1]), picture].flatMap(each =>
      each.length === 1 ? [each] : [new Uint8Array([each.length >> 8, each.length & 255]), each],
    ),
  ])
  const codec = `avc1.${profile.map(byte => byte.toString(16).toUpperCase().padStart(2, '0')).join('')}`
  return { codec, config }
}

/** Section 7.3.2.1.1 after the level, and its usability information (annex E). */
function sequenceSet(format: Format, coded: Picture): Uint8Array {
  const bits = bitWriter()
  bits.ue(0) // seq_parameter_set_id
  bits.ue(frameNumberBits - 4)
  bits.ue(2) // pic_order_cnt_type: shown in the order of decoding
  bits.ue(1) // max_num_ref_frames
  bits.put(0, 1) // gaps_in_frame_num_value_allowed_flag
  bits.ue(coded.width / 16 - 1)
  bits.ue(coded.height / 16 - 1)
  bits.put(0b11, 2) // frame_mbs_only_flag, direct_8x8_inference_flag
  bits.put(1, 1) // frame_cropping_flag, then left, right, top, bottom in pairs of pixels
  for (const crop of [0, coded.width - format.width, 0, coded.height - format.height]) bits.ue(crop / 2)
  bits.put(1, 1) // vui_parameters_present_flag
  bits.put(1, 1) // aspect_ratio_info_present_flag
  bits.put(1, 8) // square samples
  bits.put(0, 1) // overscan_info_present_flag
  bits.put(0b1_101_0_1, 6) // video_signal_type: unspecified format, limited range, colours described
  for (let k = 0; k < 3; k++) bits.put(1, 8) // BT.709 primaries, transfer, matrix
  bits.put(0b01, 2) // no chroma location; timing_info_present_flag
  put32(bits, 1)
  put32(bits, 2 * format.framesPerSecond)
  bits.put(0b1_0_0_0_1_1, 6) // fixed rate; no NAL or VCL HRD, no pic_struct; bitstream_restriction, vectors over edges
  for (const limit of [0, 0, 10, 10, 0, 1]) bits.ue(limit) // nothing is reordered, one frame is buffered
  return bits.finish()
}

/** Section 7.3.2.2. */
function pictureSet(): Uint8Array {
  const bits = bitWriter()
  bits.ue(0) // pic_parameter_set_id
  bits.ue(0) // seq_parameter_set_id
  bits.put(0, 2) // CAVLC, no field pictures
  for (let k = 0; k < 3; k++) bits.ue(0) // one slice group, one reference in each list
  bits.put(0, 3) // no weighted prediction
  bits.se(quantiser - 26)
  bits.se(0) // pic_init_qs
  bits.se(0) // chroma_qp_index_offset
  bits.put(0b100, 3) // deblocking_filter_control, no constrained intra prediction, no redundant pictures
  return bits.finish()
}

/** Table A-1: the first level that allows this many macroblocks a frame and a second. */
function levelFor(coded: Picture, framesPerSecond: number): number {
  const blocks = (coded.width * coded.height) / 256
  const side = Math.max(coded.width, coded.height) / 16
  const fits = levels.find(
    ([, perSecond, perFrame]) =>
      blocks <= perFrame && blocks * framesPerSecond <= perSecond && side <= Math.sqrt(8 * perFrame),
  )
  return fits?.[0] ?? 62
}

const levels: readonly (readonly [level: number, perSecond: number, perFrame: number])[] = [
  [30, 40_500, 1620],
  [31, 108_000, 3600],
  [32, 216_000, 5120],
  [40, 245_760, 8192],
  [42, 522_240, 8704],
  [50, 589_824, 22_080],
  [51, 983_040, 36_864],
  [52, 2_073_600, 36_864],
  [60, 4_177_920, 139_264],
]

function put32(bits: BitWriter, value: number): void {
  bits.put(value >>> 16, 16)
  bits.put(value & 0xffff, 16)
}

/** A NAL unit with its length in front. */
function unit(header: number, payload: Uint8Array): Uint8Array {
  const body = nal(header, payload)
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, body.length)
  return concat([size, body])
}

/** A NAL unit (section 7.3.1): two zeros are never followed by 0 to 3 inside it. */
function nal(header: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + payload.length + Math.floor(payload.length / 2))
  bytes[0] = header
  let length = 1
  let zeros = 0
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      bytes[length++] = 3
      zeros = 0
    }
    bytes[length++] = byte
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return bytes.slice(0, length)
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
