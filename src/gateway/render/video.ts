import { setImmediate as breathe } from 'node:timers/promises'
import { setBackdrop } from './backdrop.ts'
import { encodeImage, newSheet, type Sheet } from './draw/canvas.ts'
import { captionWarning } from './draw/caption.ts'
import { h264 } from './h264/encoder.ts'
import { castOf, type InputCast } from './inputs.ts'
import type { RenderedFile, RenderRequest } from './order/request.ts'
import { framesOf, muxMp4, type VideoTrack } from './sound/mp4.ts'
import { withPoster } from './sound/poster.ts'
import { soundtrackOf } from './sound/soundtrack.ts'
import { type Clip, setStage } from './stage.ts'
import { shotsOf } from './storyboard.ts'

const framesPerSecond = 30
/** A player that seeks decodes from the key frame before: five seconds at most. */
const keyFrameInterval = 5 * framesPerSecond
const framesPerBreath = 8

/** Clips of exactly `width` x `height` (made even, as 4:2:0 wants it) and `seconds`. */
export async function renderVideos(request: RenderRequest): Promise<RenderedFile[]> {
  const cast = await castOf(request)
  const files: RenderedFile[] = []
  for (let nth = 0; nth < request.count; nth++) {
    const seed = nth === 0 ? request.seed : `${request.seed}/${nth}`
    files.push(await renderVideo({ ...request, seed }, cast))
  }
  return files
}

async function renderVideo(request: RenderRequest, cast: InputCast): Promise<RenderedFile> {
  const seconds = request.seconds ?? 5
  const clip: Clip = {
    width: even(request.width ?? 1280),
    height: even(request.height ?? 720),
    framesPerSecond,
    // A frame that would show for less than a millisecond is left out.
    frames: Math.max(1, Math.ceil((seconds - 0.001) * framesPerSecond)),
  }
  const { track, poster } = await film(request, cast, clip)
  const sound = request.sound ? await soundtrackOf(request, seconds) : undefined
  const bytes = withPoster(await muxMp4(track, sound, seconds), poster)
  const { width, height } = clip
  return { bytes, type: 'video/mp4', extension: 'mp4', width, height, seconds, ...captionWarning(request) }
}

async function film(request: RenderRequest, cast: InputCast, clip: Clip) {
  const encoder = h264(clip)
  const frames = [...(await keptFrames(request, encoder.config, clip))]
  const shots = shotsOf(request, clip.frames, frames.length)
  let poster: Uint8Array | undefined
  for (const shot of shots) {
    const backdrop = await setBackdrop(request, cast, { frame: clip, shots, shot })
    poster ??= await posterFrom(backdrop.sheet, clip)
    const stage = setStage(request, clip, shot, backdrop)
    for (let frame = 0; frame < shot.frames; frame++) {
      const changed = stage.draw(encoder.wanted, frame)
      const isKey = frame % keyFrameInterval === 0
      frames.push({ bytes: await (isKey ? encoder.keyFrame() : encoder.nextFrame(changed)), isKey })
      if (frame % framesPerBreath === 0) await breathe()
    }
  }
  const track: VideoTrack = { ...clip, codec: encoder.codec, config: encoder.config, frames }
  return { track, poster: poster! } // there is at least one shot
}

/** The frames of a clip made here that is to become longer, as they are. */
async function keptFrames(
  { inputType, inputs }: RenderRequest,
  config: Uint8Array,
  clip: Clip,
): Promise<VideoTrack['frames']> {
  const source = inputType === 'v2v' ? inputs.find(input => input.kind === 'video') : undefined
  const frames = source ? await framesOf(source.bytes, config) : []
  // A clip that is edited keeps its length and is made anew.
  return frames.length + framesPerSecond / 2 <= clip.frames ? frames : []
}

/** A small picture of how the clip begins. */
async function posterFrom(sheet: Sheet, { width, height }: Clip): Promise<Uint8Array> {
  const scale = Math.min(1, 640 / Math.max(width, height))
  const small = newSheet(Math.round(width * scale), Math.round(height * scale))
  small.pen.drawImage(sheet.canvas, 0, 0, width, height, 0, 0, small.width, small.height)
  return encodeImage(small, 'jpeg')
}

function even(size: number): number {
  return Math.max(2, Math.floor(size / 2) * 2)
}
