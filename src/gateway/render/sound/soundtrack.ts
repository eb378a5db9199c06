import { chanceOf } from '../order/chance.ts'
import type { RenderRequest } from '../order/request.ts'
import { encodeAac, type SoundTrack, soundOf } from './mp4.ts'
import { composeMusic } from './music.ts'

const rate = 48_000
const packetSamples = 1024
/** About two seconds, and a whole number of packets: a loop is repeated packet by packet. */
const loopPackets = 94
/** How many pieces of music there are. They are kept once made, for encoding one takes longer than all else. */
const pieces = 8
const loops = new Map<number, Promise<SoundTrack>>()

/** What is heard in a clip: the recording that came with the order when it lasts long enough, else music. */
export async function soundtrackOf(request: RenderRequest, seconds: number): Promise<SoundTrack> {
  for (const input of request.inputs.filter(each => each.kind !== 'image')) {
    const recorded = await soundOf(input.bytes, seconds)
    if (recorded && lengthOf(recorded) >= seconds - 0.5) return recorded
  }
  const piece = chanceOf('sound', request.prompt, request.seed).whole(0, pieces - 1)
  const loop = loops.get(piece) ?? newLoop(piece)
  loops.set(piece, loop)
  return repeated(await loop, seconds)
}

/** Encodes a loop three times over and takes the middle one, which has neither a beginning nor an end. */
async function newLoop(piece: number): Promise<SoundTrack> {
  const length = loopPackets * packetSamples
  const score = { length, rate, beat: length / 4, isLoop: true }
  const { left, right } = await composeMusic(chanceOf('loop', String(piece)), score)
  const thrice = (once: Float32Array) => {
    const all = new Float32Array(3 * length)
    for (let k = 0; k < 3; k++) all.set(once, k * length)
    return all
  }
  const track = await encodeAac({ rate, left: thrice(left), right: thrice(right) }, 96_000)
  return { ...track, packets: track.packets.slice(loopPackets, 2 * loopPackets) }
}

function repeated(loop: SoundTrack, seconds: number): SoundTrack {
  const count = Math.ceil((seconds * rate) / packetSamples)
  const packets = Array.from({ length: count }, (_, k) => loop.packets[k % loop.packets.length]!)
  return { ...loop, packets }
}

function lengthOf(track: SoundTrack): number {
  return track.packets.reduce((sum, packet) => sum + packet.seconds, 0)
}
