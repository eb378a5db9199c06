import type { Area } from '../h264/picture.ts'
import type { Chance } from '../order/chance.ts'
import type { Pen } from './canvas.ts'
import { type Colour, mixed } from './palette.ts'
import type { Composition } from './patterns.ts'

/** Hills behind hills, and a sun. */
export const hills: Composition = (pen, area, palette, chance) => {
  const sky = mixed(palette.background, palette.accents[1], 0.15)
  fill(pen, area, sky)
  const small = Math.min(area.width, area.height)
  const radius = small * chance.between(0.13, 0.2)
  const sun = {
    x: area.x + area.width * chance.between(0.22, 0.78),
    y: area.y + area.height * chance.between(0.26, 0.42),
  }
  for (const [k, share] of [0.25, 0.5, 1].entries()) {
    disc(
      pen,
      { x: sun.x, y: sun.y, radius: radius * (1.9 - k * 0.45) },
      mixed(sky, palette.accents[1], share * 0.9),
    )
  }
  const count = chance.whole(4, 5)
  for (let k = 0; k < count; k++) {
    const top = area.y + area.height * (0.5 + (k / count) * 0.46)
    const from = mixed(palette.accents[0], sky, 0.45)
    pen.fillStyle = mixed(from, mixed(palette.accents[2], palette.ink, 0.35), k / (count - 1))
    wave(pen, area, { top, swing: small * chance.between(0.05, 0.1) }, chance)
  }
}

/** Water from edge to edge. */
export const waves: Composition = (pen, area, palette, chance) => {
  fill(pen, area, palette.background)
  const small = Math.min(area.width, area.height)
  const count = chance.whole(7, 10)
  const [from, middle, to] = chance.shuffle(palette.accents)
  for (let k = 0; k < count; k++) {
    const share = k / (count - 1)
    pen.fillStyle = share < 0.5 ? mixed(from!, middle!, share * 2) : mixed(middle!, to!, share * 2 - 1)
    wave(pen, area, { top: area.y + area.height * (0.12 + 0.85 * share), swing: small * 0.045 }, chance)
  }
}

/** Rings around a corner or an edge, like a cut trunk or a rainbow. */
export const arcs: Composition = (pen, area, palette, chance) => {
  fill(pen, area, palette.background)
  const x = area.x + area.width * chance.pick([0, 0.5, 1, 0.3, 0.7])
  const y = area.y + area.height * chance.pick([1, 1, 0])
  const reach = Math.max(area.height * 0.96, Math.min(area.width * 0.62, area.height * 1.5))
  const colours = chance.shuffle([...palette.accents, palette.paper])
  const count = chance.whole(7, 10)
  for (let k = 0; k < count; k++) {
    const share = 1 - k / count
    disc(
      pen,
      { x, y, radius: reach * share ** 1.1 },
      k % 3 === 2 ? palette.background : colours[k % colours.length]!,
    )
  }
}

/** A sun with planets on their rings. */
export const orbits: Composition = (pen, area, palette, chance) => {
  const night = mixed(palette.ink, palette.accents[2], 0.3)
  fill(pen, area, night)
  const small = Math.min(area.width, area.height)
  const x = area.x + area.width * chance.between(0.3, 0.7)
  const y = area.y + area.height * chance.between(0.35, 0.65)
  const turn = chance.between(0, 2 * Math.PI)
  stars(pen, area, mixed(night, palette.paper, 0.55), chance)
  pen.lineWidth = Math.max(1.5, small * 0.004)
  const count = Math.ceil((Math.hypot(area.width, area.height) * 0.6) / (small * 0.13))
  for (let k = 0; k < count; k++) {
    const radius = small * (0.22 + k * 0.13)
    pen.strokeStyle = mixed(night, palette.accents[3], 0.45)
    pen.beginPath()
    pen.arc(x, y, radius, 0, 2 * Math.PI)
    pen.stroke()
    for (let planet = 0; planet <= k / 2; planet++) {
      const angle = chance.between(0, 2 * Math.PI)
      const size = small * chance.between(0.018, 0.055)
      disc(
        pen,
        { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle), radius: size },
        chance.pick(palette.accents),
      )
    }
  }
  disc(pen, { x, y, radius: small * 0.15 }, palette.accents[1])
  pen.fillStyle = palette.accents[0]
  pen.beginPath()
  pen.arc(x, y, small * 0.15, turn, turn + Math.PI)
  pen.fill()
}

/** A flower seen from above. */
export const petals: Composition = (pen, area, palette, chance) => {
  fill(pen, area, palette.background)
  const small = Math.min(area.width, area.height)
  const x = area.x + area.width * chance.between(0.38, 0.62)
  const y = area.y + area.height * chance.between(0.42, 0.58)
  const colours = chance.shuffle(palette.accents)
  const count = chance.whole(6, 11)
  const turn = chance.between(0, 1)
  for (const [ring, length] of [0.62, 0.44, 0.27].entries()) {
    pen.fillStyle = colours[ring]!
    for (let k = 0; k < count; k++) {
      petal(pen, {
        x,
        y,
        length: small * length,
        angle: ((k + ring / 2) / count + turn) * 2 * Math.PI,
        spread: Math.PI / count,
      })
    }
  }
  disc(pen, { x, y, radius: small * 0.09 }, palette.ink)
  disc(pen, { x, y, radius: small * 0.05 }, colours[3]!)
}

function fill(pen: Pen, area: Area, colour: Colour): void {
  pen.fillStyle = colour
  pen.fillRect(area.x, area.y, area.width, area.height)
}

interface Disc {
  readonly x: number
  readonly y: number
  readonly radius: number
}

function disc(pen: Pen, { x, y, radius }: Disc, colour: Colour): void {
  pen.fillStyle = colour
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.fill()
}

interface Swing {
  readonly top: number
  readonly swing: number
}

/** Fills everything below a line that swings around `top`. */
function wave(pen: Pen, area: Area, { top, swing }: Swing, chance: Chance): void {
  const unit = Math.max(area.width, area.height * 0.8)
  const [first, second] = [chance.between(0, 6.28), chance.between(0, 6.28)]
  const [slow, fast] = [chance.between(0.8, 1.5), chance.between(2, 3.4)]
  pen.beginPath()
  pen.moveTo(area.x, area.y + area.height)
  for (let k = 0; k <= 64; k++) {
    const along = ((k / 64) * area.width * 2 * Math.PI) / unit
    const y = top + swing * (Math.sin(along * slow + first) + 0.45 * Math.sin(along * fast + second))
    pen.lineTo(area.x + (k / 64) * area.width, y)
  }
  pen.lineTo(area.x + area.width, area.y + area.height)
  pen.fill()
}

interface Petal {
  readonly x: number
  readonly y: number
  readonly length: number
  readonly angle: number
  readonly spread: number
}

function petal(pen: Pen, { x, y, length, angle, spread }: Petal): void {
  const side = (turn: number, share: number) =>
    [x + length * share * Math.cos(angle + turn), y + length * share * Math.sin(angle + turn)] as const
  const [tip, left, right] = [side(0, 1), side(-spread, 0.75), side(spread, 0.75)]
  pen.beginPath()
  pen.moveTo(x, y)
  pen.quadraticCurveTo(...left, ...tip)
  pen.quadraticCurveTo(...right, x, y)
  pen.fill()
}

function stars(pen: Pen, area: Area, colour: Colour, chance: Chance): void {
  const size = Math.max(1, Math.min(area.width, area.height) * 0.003)
  for (let k = 0; k < 60; k++) {
    disc(
      pen,
      {
        x: area.x + area.width * chance.next(),
        y: area.y + area.height * chance.next(),
        radius: size * chance.between(0.5, 1.2),
      },
      colour,
    )
  }
}
