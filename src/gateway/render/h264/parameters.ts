import { type BitWriter, bitWriter } from './bits.ts'
import { joined, nal } from './nal.ts'
import type { Picture } from './picture.ts'
import { quantiser } from './transform.ts'

export interface Format {
  /** Even, as 4:2:0 pictures can only be cropped by pairs. */
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
}

/** How frames are numbered: modulo 2 to this power. */
export const frameNumberBits = 16

/** What decoders are told before the first frame: as `codec` and `config` of an encoder. */
export function parameterSets(format: Format, coded: Picture): { codec: string; config: Uint8Array } {
  const level = levelFor(coded, format.framesPerSecond)
  const profile = [66, 0xc0, level]
  const sequence = nal(0x67, joined([new Uint8Array(profile), sequenceSet(format, coded)]))
  const picture = nal(0x68, pictureSet())
  const config = joined([
    // Version 1, profile and level, lengths of four bytes, one sequence set; then one picture set.
    new Uint8Array([1, ...profile, 0xff, 0xe1]),
    ...withLength(sequence),
    new Uint8Array([1]),
    ...withLength(picture),
  ])
  const codec = `avc1.${profile.map(byte => byte.toString(16).toUpperCase().padStart(2, '0')).join('')}`
  return { codec, config }
}

function withLength(bytes: Uint8Array): Uint8Array[] {
  return [new Uint8Array([bytes.length >> 8, bytes.length & 255]), bytes]
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
