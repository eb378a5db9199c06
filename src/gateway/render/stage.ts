import type { Backdrop, Frame } from './backdrop.ts'
import { laySprite, type Sprite } from './draw/sprite.ts'
import { type Area, copyArea, evenArea, fillArea, type Picture } from './h264/picture.ts'
import { type Chance, chanceOf } from './order/chance.ts'
import type { RenderRequest } from './order/request.ts'
import type { Shot } from './storyboard.ts'

export interface Clip extends Frame {
  readonly framesPerSecond: number
  readonly frames: number
}

/** One shot of a clip: a wandering disc, a time code, a bar that grows, and the end frame coming in from the right. */
interface Stage {
  /**
   * Draws a frame, counted from the shot's first, over the frame before it; the first one over anything. Gives the
   * areas that may have changed.
   */
  draw(to: Picture, frame: number): Area[]
}

/** What moves, at one frame. Places are even. */
interface Moment {
  readonly timeCode: string
  readonly played: number
  readonly disc: Area
  /** Where the end frame begins; the picture's width when it is not seen. */
  readonly wipe: number
}

export function setStage(request: RenderRequest, clip: Clip, shot: Shot, backdrop: Backdrop): Stage {
  const { art, props, before, after } = backdrop
  const chance = chanceOf('disc', request.prompt, request.seed, String(shot.nth))
  const wander = wandering(chance, art, props.disc)
  const seamWidth = 6

  const moment = (frame: number): Moment => {
    const at = shot.first + frame
    const come = ramp(frame / Math.max(1, shot.frames - 1), 0.35, 0.75)
    return {
      timeCode: timeCode(at, clip.framesPerSecond),
      played: even(((at + 1) / clip.frames) * props.bar.width),
      disc: wander(at / clip.framesPerSecond),
      wipe: after === undefined ? before.width : even(before.width * (1 - come)),
    }
  }
  const restore = (to: Picture, area: Area, wipe: number): void => {
    const left = Math.max(0, Math.min(area.width, wipe - area.x))
    copyArea(before, to, { ...area, width: left })
    if (after) copyArea(after, to, { ...area, x: area.x + left, width: area.width - left })
  }
  const drawProps = (to: Picture, { wipe, disc, played, timeCode }: Moment): void => {
    if (wipe > 0 && wipe < clip.width) {
      fillArea(
        to,
        evenArea({ x: wipe, y: 0, width: seamWidth, height: art.y + art.height }, clip),
        props.seam,
      )
    }
    laySprite(to, props.disc, disc.x, disc.y)
    restore(to, props.chip, 0 /* alike on both */)
    for (const [k, glyph] of [...timeCode].entries()) {
      const sprite = props.glyphs.get(glyph)
      if (sprite) laySprite(to, sprite, props.chip.x + props.inset + k * sprite.width, props.chip.y)
    }
    fillArea(to, { ...props.bar, width: played }, props.played)
  }
  const draw = (to: Picture, frame: number): Area[] => {
    const now = moment(frame)
    const areas = frame === 0 ? [whole(before)] : changes(moment(frame - 1), now)
    for (const area of areas) restore(to, area, now.wipe)
    drawProps(to, now)
    return areas
  }
  const changes = (last: Moment, now: Moment): Area[] => [
    evenArea(around(last.disc, now.disc), clip),
    props.chip,
    { ...props.bar, x: props.bar.x + last.played, width: now.played - last.played },
    ...(now.wipe < last.wipe
      ? [evenArea({ x: now.wipe, y: 0, width: last.wipe - now.wipe + seamWidth, height: clip.height }, clip)]
      : []),
  ]
  return { draw }
}

function whole({ width, height }: Picture): Area {
  return { x: 0, y: 0, width, height }
}

function around(a: Area, b: Area): Area {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const right = Math.max(a.x + a.width, b.x + b.width)
  const bottom = Math.max(a.y + a.height, b.y + b.height)
  return { x, y, width: right - x, height: bottom - y }
}

/** `00:07.12` is the thirteenth frame of the eighth second. */
function timeCode(frame: number, framesPerSecond: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = Math.floor(frame / framesPerSecond)
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}.${two(frame % framesPerSecond)}`
}

/** A path that stays inside the art, by seconds. */
function wandering(chance: Chance, art: Area, disc: Sprite): (seconds: number) => Area {
  const [reachX, reachY] = [(art.width - disc.width) / 2 - 4, (art.height - disc.height) / 2 - 4].map(reach =>
    Math.max(0, reach * 0.92),
  ) as [number, number] // two in, two out
  const [first, second] = [chance.between(0, 2 * Math.PI), chance.between(0, 2 * Math.PI)]
  const [slow, fast] = [chance.between(0.35, 0.45), chance.between(0.55, 0.75)]
  return seconds => ({
    x: even(art.x + (art.width - disc.width) / 2 + reachX * Math.sin(first + seconds * slow)),
    y: even(art.y + (art.height - disc.height) / 2 + reachY * Math.sin(second + seconds * fast)),
    width: disc.width,
    height: disc.height,
  })
}

/** 0 before `from`, 1 after `to`, even between. */
function ramp(share: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (share - from) / (to - from)))
}

function even(size: number): number {
  return Math.round(size / 2) * 2
}
