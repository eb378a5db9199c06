import type { Json } from '../../../base/names.ts'
import type { Area } from '../h264/picture.ts'
import type { RenderRequest } from '../order/request.ts'
import { newSheet, type Pen } from './canvas.ts'
import { illegibleWarning } from './legible.ts'
import type { Palette } from './palette.ts'
import { drawText, fitText, readable, type SetText } from './text.ts'

/** The words on a picture or clip. */
interface Caption {
  /** The job, and which of several pictures this is. */
  readonly title?: string | undefined
  readonly prompt: string
  /** Model and parameters. */
  readonly small: string
}

/** A caption set in its panel, which leaves the rest of the picture to `art`. */
interface Panel {
  readonly area: Area
  readonly art: Area
  draw(pen: Pen, palette: Palette): void
}

export function captionOf(request: RenderRequest, nth: number): Caption {
  const which = request.count > 1 ? `${nth + 1}/${request.count}` : undefined
  const title = [request.job, which].filter(part => part !== undefined).join('   ')
  const fileParams = new Set(request.inputs.map(input => input.param))
  const shown = Object.entries(request.params).flatMap(([name, value]) =>
    name === 'prompt' || fileParams.has(name) ? [] : smallPrint(name, value),
  )
  return {
    title: title === '' ? undefined : title,
    prompt: request.prompt,
    small: [request.model, ...measures(request), ...shown].join('  ·  '),
  }
}

/** What a person should know about a caption: letters that no font here has. */
export function captionWarning({ prompt }: RenderRequest): { readonly warning?: string } {
  const warning = illegibleWarning(newSheet(1, 1).pen, readable(prompt))
  return warning === undefined ? {} : { warning }
}

/** Pixels and seconds, where no parameter says just that. */
function measures({ params, width, height, seconds }: RenderRequest): string[] {
  const isSaid = Object.values(params).includes(`${width}x${height}`)
  const size = width === undefined || isSaid ? [] : [`${width} × ${height}`]
  return seconds === undefined || 'duration' in params ? size : [...size, `${seconds} s`]
}

function smallPrint(name: string, value: Json): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${name} ×${value.length}`]
  if (value === null || typeof value === 'object') return []
  const text = String(value)
  if (text === '' || /^(data|https?):/.test(text)) return []
  return [`${name} ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`]
}

/**
 * Sets a caption for a picture of any ratio: below the art, or beside it where the picture is much wider than high.
 * The panel takes `share` of the picture's height, and more only when the text could not be read otherwise.
 */
export function setPanel(
  pen: Pen,
  frame: { readonly width: number; readonly height: number },
  caption: Caption,
  share = 0.3,
): Panel {
  const { width, height } = frame
  // One hundredth of the picture's size, less where it is so narrow that lines would hold few words.
  const unit = Math.min(Math.sqrt(width * height), Math.min(width, height) * 1.25) / 100
  const isBeside = width / height >= 1.85
  const panelWidth = isBeside ? Math.round(width * 0.36) : width
  const inner = panelWidth - 8 * unit
  const set = (highest: number, smallest: number) =>
    setParts(pen, caption, { width: inner, highest, unit, smallest, canGrow: !isBeside })
  const titleShare = caption.title === undefined ? 0 : 0.06
  const roomy = isBeside ? height : height * (share + titleShare)
  const first = set(roomy, 3 * unit)
  const parts = isBeside || !first.isCut ? first : set(Math.max(roomy, height * 0.44), 2.3 * unit)
  const panelHeight = isBeside ? height : Math.round(parts.height)
  const area = { x: 0, y: height - panelHeight, width: panelWidth, height: panelHeight }
  const art = isBeside
    ? { x: panelWidth, y: 0, width: width - panelWidth, height }
    : { x: 0, y: 0, width, height: height - panelHeight }
  return { area, art, draw: (to, palette) => drawPanel(to, { area, unit, isBeside }, parts, palette) }
}

interface Parts {
  readonly title: SetText | undefined
  readonly prompt: SetText | undefined
  readonly small: SetText
  readonly height: number
  readonly isCut: boolean
}

interface PartsRoom {
  readonly width: number
  /** Of the panel, margins included. */
  readonly highest: number
  readonly unit: number
  readonly smallest: number
  /** Whether further lines of small print make the panel higher, rather than the prompt smaller. */
  readonly canGrow: boolean
}

function setParts(pen: Pen, caption: Caption, room: PartsRoom): Parts {
  const { width, highest, unit, smallest } = room
  const row = (text: string, size: number, lines: number, weight: 400 | 600) =>
    fitText(pen, text, { width, height: lines * size * 1.3, largest: size, smallest: size, weight })
  const title = caption.title === undefined ? undefined : row(caption.title, Math.max(11, 2.4 * unit), 1, 600)
  const small = row(caption.small, Math.max(11, 2 * unit), 3, 400)
  const further = room.canGrow ? small.height - small.lineHeight : 0
  const around = (title ? title.height + unit : 0) + small.height + (2 + 3.5 + 3.5) * unit
  const prompt =
    caption.prompt.trim() === ''
      ? undefined
      : fitText(pen, caption.prompt, {
          width,
          height: Math.max(highest - around + further, smallest * 1.3),
          largest: Math.max(12, 7 * unit),
          smallest: Math.max(11, smallest),
          weight: 600,
        })
  const height = around + (prompt?.height ?? -2 * unit)
  return { title, prompt, small, height, isCut: prompt?.lines.at(-1)?.endsWith('…') ?? false }
}

function drawPanel(pen: Pen, { area, unit, isBeside }: PanelPlace, parts: Parts, palette: Palette): void {
  pen.fillStyle = palette.paper
  pen.fillRect(area.x, area.y, area.width, area.height)
  drawStripe(pen, { area, unit, isBeside }, palette)
  const x = area.x + 4 * unit
  let y = area.y + 3.5 * unit
  if (parts.title) {
    pen.fillStyle = palette.accents[2]
    drawText(pen, parts.title, x, y)
    y += parts.title.height + unit
  }
  if (parts.prompt) {
    pen.fillStyle = palette.ink
    drawText(pen, parts.prompt, x, y)
  }
  pen.fillStyle = palette.muted
  drawText(pen, parts.small, x, area.y + area.height - 3.5 * unit - parts.small.height)
}

interface PanelPlace {
  readonly area: Area
  readonly unit: number
  readonly isBeside: boolean
}

/** The palette along the edge between panel and art. */
function drawStripe(pen: Pen, { area, unit, isBeside }: PanelPlace, palette: Palette): void {
  const length = (isBeside ? area.height : area.width) / palette.accents.length
  const thickness = Math.max(2, Math.round(unit * 0.9))
  for (const [k, accent] of palette.accents.entries()) {
    pen.fillStyle = accent
    if (isBeside) pen.fillRect(area.x + area.width - thickness, k * length, thickness, length + 1)
    else pen.fillRect(k * length, area.y, length + 1, thickness)
  }
}
