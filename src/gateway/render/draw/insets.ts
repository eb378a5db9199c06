import type { Area } from '../h264/picture.ts'
import type { Drawing, Pen } from './canvas.ts'
import type { Palette } from './palette.ts'

/** Fills an area with a picture and cuts off what sticks out: left and right alike, more below than above. */
export function drawCovering(pen: Pen, image: Drawing, area: Area): void {
  const scale = Math.max(area.width / image.width, area.height / image.height)
  const [width, height] = [area.width / scale, area.height / scale]
  const [x, y] = [(image.width - width) / 2, (image.height - height) * 0.3]
  pen.drawImage(image, x, y, width, height, area.x, area.y, area.width, area.height)
}

/** Shows a picture as what the work is about: large, in a ring. */
export function drawSubject(pen: Pen, image: Drawing, area: Area, palette: Palette): void {
  const small = Math.min(area.width, area.height)
  const [x, y, radius] = [area.x + area.width / 2, area.y + area.height / 2, small * 0.37]
  for (const [share, colour] of [
    [1.16, palette.accents[1]],
    [1.08, palette.paper],
  ] as const) {
    pen.fillStyle = colour
    pen.beginPath()
    pen.arc(x, y, radius * share, 0, 2 * Math.PI)
    pen.fill()
  }
  pen.save()
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.clip()
  drawCovering(pen, image, { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius })
  pen.restore()
}

/** Shows pictures as prints laid on the art, in rows from the top right corner. */
export function drawInsets(pen: Pen, images: readonly Drawing[], area: Area, palette: Palette): void {
  const small = Math.min(area.width, area.height)
  const margin = small * 0.05
  const perRow = Math.max(
    1,
    Math.min(images.length, Math.round(Math.sqrt((images.length * area.width) / area.height))),
  )
  const rows = Math.ceil(images.length / perRow)
  const largest = images.length === 1 ? 0.42 : 0.34
  const cell = Math.min(
    small * largest,
    (area.width - margin) / perRow - margin,
    (area.height * 0.8 - margin) / rows - margin,
  )
  for (const [k, image] of images.entries()) {
    const column = k % perRow
    const right = area.x + area.width - margin - column * (cell + margin)
    drawPrint(
      pen,
      image,
      { right, top: area.y + margin + Math.floor(k / perRow) * (cell + margin), cell },
      palette,
    )
  }
}

function drawPrint(
  pen: Pen,
  image: Drawing,
  { right, top, cell }: { right: number; top: number; cell: number },
  palette: Palette,
): void {
  const border = Math.max(2, cell * 0.04)
  const scale = (cell - 2 * border) / Math.max(image.width, image.height)
  const [width, height] = [image.width * scale, image.height * scale]
  const x = right - width - 2 * border
  pen.fillStyle = palette.ink
  pen.fillRect(x + border * 0.6, top + border * 0.6, width + 2 * border, height + 2 * border)
  pen.fillStyle = palette.paper
  pen.fillRect(x, top, width + 2 * border, height + 2 * border)
  pen.drawImage(image, x + border, top + border, width, height)
}
