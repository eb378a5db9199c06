import { setImmediate as breathe } from 'node:timers/promises'
import { lookOf } from './draw/art.ts'
import { type Drawing, newSheet, type Sheet } from './draw/canvas.ts'
import { captionOf, setPanel } from './draw/caption.ts'
import { drawCovering, drawInsets, drawSubject } from './draw/insets.ts'
import { drawStillProps, drawTimeCode, makeProps, type Props } from './draw/props.ts'
import { type Area, blankPicture, type Picture, putPixels } from './h264/picture.ts'
import type { InputCast } from './inputs.ts'
import type { RenderRequest } from './order/request.ts'
import type { Shot } from './storyboard.ts'

/** All of one shot that stands still, at the size a codec wants, and what will move before it. */
export interface Backdrop {
  readonly art: Area
  readonly props: Props
  /** How the clip begins, for a still. */
  readonly sheet: Sheet
  /** Art or start frame, what else came with the order, the caption. */
  readonly before: Picture
  /** The same with the end frame, when this shot has one. */
  readonly after: Picture | undefined
}

export interface Frame {
  readonly width: number
  readonly height: number
}

interface ShotPlace {
  readonly frame: Frame
  readonly shots: readonly Shot[]
  readonly shot: Shot
}

export async function setBackdrop(
  request: RenderRequest,
  cast: InputCast,
  { frame, shots, shot }: ShotPlace,
): Promise<Backdrop> {
  const look = lookOf(request.prompt, request.seed, shot.nth)
  const sheet = newSheet(roundUp(frame.width), roundUp(frame.height))
  const panel = setPanel(sheet.pen, frame, shotCaption(request, shots, shot), 0.24)
  const props = makeProps(panel.art, frame, look.palette)
  await breathe()
  const draw = (to: Sheet, scenery: Drawing | undefined): Sheet => {
    // Over all of the frame, as a clip begins with the whole of its start frame; the caption lies on it.
    if (scenery) drawCovering(to.pen, scenery, { x: 0, y: 0, ...frame })
    else look.draw(to.pen, panel.art)
    if (cast.subject) drawSubject(to.pen, cast.subject, panel.art, look.palette)
    drawInsets(to.pen, cast.others, panel.art, look.palette)
    panel.draw(to.pen, look.palette)
    drawStillProps(to.pen, props, look.palette)
    return to
  }
  const before = await toPicture(draw(sheet, shot.nth === 0 ? cast.start : undefined))
  drawTimeCode(sheet.pen, props, look.palette, '00:00.00')
  const end = shot.nth === shots.length - 1 ? cast.end : undefined
  const after = end && (await toPicture(draw(newSheet(sheet.width, sheet.height), end)))
  return { art: panel.art, props, sheet, before, after }
}

function shotCaption(request: RenderRequest, shots: readonly Shot[], { prompt, nth }: Shot) {
  const which = shots.length > 1 ? `shot ${nth + 1}/${shots.length}` : undefined
  const title = [request.job, which].filter(part => part !== undefined).join('   ')
  return { ...captionOf({ ...request, prompt }, 0), title: title === '' ? undefined : title }
}

/** Pixels turned into samples at once: about five milliseconds. */
const pixelsPerBreath = 300_000

async function toPicture({ pen, width, height }: Sheet): Promise<Picture> {
  const picture = blankPicture(width, height)
  const rows = Math.max(2, Math.floor(pixelsPerBreath / width / 2) * 2)
  for (let y = 0; y < height; y += rows) {
    const strip = { x: 0, y, width, height: Math.min(rows, height - y) }
    putPixels(picture, pen.getImageData(0, y, width, strip.height).data, strip)
    await breathe()
  }
  return picture
}

function roundUp(size: number): number {
  return Math.ceil(size / 16) * 16
}
