import { type Bytes, pieceBytes, uint32 } from './bytes.ts'
import { adtsFrameBytes, mp3FrameBytes, tagBytes } from './frames.ts'
import { latin } from './letters.ts'
import { type Check, cut, excess, type MediaVerdict } from './verdict.ts'

/** MP3: frame follows frame to the end, tags apart; as many as the encoder's own count, where it left one. */
export const checkMp3: Check = async bytes => {
  const start = tagBytes(await bytes.read(0, 10))
  const end = await tagsStart(bytes)
  const walked = await walkFrames(bytes, { start, end, header: 4, frameBytes: mp3FrameBytes })
  if (walked.wrong) return walked.wrong
  const declared = await declaredFrames(bytes, start)
  // The frame that holds the count is not counted.
  const missing = (declared ?? 0) - (walked.frames - 1)
  return missing > 0 ? cut(`${missing} of ${declared} frames are missing`) : undefined
}

/** AAC in ADTS frames, the same way. */
export const checkAac: Check = async bytes => {
  const start = tagBytes(await bytes.read(0, 10))
  return (await walkFrames(bytes, { start, end: bytes.size, header: 7, frameBytes: adtsFrameBytes })).wrong
}

interface Walk {
  readonly start: number
  readonly end: number
  readonly header: number
  readonly frameBytes: (bytes: Uint8Array, at: number) => number | undefined
}

async function walkFrames(bytes: Bytes, walk: Walk): Promise<{ frames: number; wrong?: MediaVerdict }> {
  let at = walk.start
  let frames = 0
  while (at < walk.end) {
    const length = walk.frameBytes(await bytes.read(at, walk.header), 0)
    if (length === undefined) {
      const wrong = (await isPadding(bytes, at, walk.end))
        ? undefined
        : broken(walk.end - at, walk.header, at)
      return frames === 0 ? { frames, wrong: cut('it has no frames') } : { frames, wrong }
    }
    if (at + length > walk.end) return { frames, wrong: cut('it ends inside a frame') }
    at += length
    frames += 1
  }
  return frames === 0 ? { frames, wrong: cut('it has no frames') } : { frames }
}

function broken(left: number, header: number, at: number): string {
  return left < header ? cut('it ends inside a frame') : `no frame begins at byte ${at}: ${excess(left)}`
}

async function isPadding(bytes: Bytes, start: number, end: number): Promise<boolean> {
  for (let at = start; at < end; at += pieceBytes) {
    const piece = await bytes.read(at, Math.min(pieceBytes, end - at))
    if (piece.some(byte => byte !== 0)) return false
  }
  return true
}

/** Where the tags at the end begin: ID3v1 is the last 128 bytes, APEv2 stands before it and counts itself in its footer. */
async function tagsStart(bytes: Bytes): Promise<number> {
  let end = bytes.size
  if (end > 128 && latin(await bytes.read(end - 128, 3), 0, 3) === 'TAG') end -= 128
  const footer = end > 32 ? await bytes.read(end - 32, 32) : new Uint8Array()
  if (latin(footer, 0, 8) !== 'APETAGEX') return end
  const length = new DataView(footer.buffer, footer.byteOffset).getUint32(12, true)
  const hasHeader = ((footer[23] ?? 0) & 0x80) !== 0
  return Math.max(0, end - length - (hasHeader ? 32 : 0))
}

/** The number of frames by the encoder's note in the first frame, which is silent: `Xing` or `Info`, flags, count. */
async function declaredFrames(bytes: Bytes, start: number): Promise<number | undefined> {
  const frame = await bytes.read(start, 64)
  const isVersion1 = ((frame[1] ?? 0) & 0x08) !== 0
  const isMono = (frame[3] ?? 0) >> 6 === 3
  const at = 4 + (isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17)
  const word = latin(frame, at, at + 4)
  const hasCount = (word === 'Xing' || word === 'Info') && ((frame[at + 7] ?? 0) & 1) === 1
  return hasCount && frame.length >= at + 12 ? uint32(frame, at + 8) : undefined
}
