import type { Area } from '../h264/picture.ts'
import { chanceOf } from '../order/chance.ts'
import type { Pen } from './canvas.ts'
import { type Palette, paletteFrom } from './palette.ts'
import { blocks, type Composition, dots, ribbons, tiles } from './patterns.ts'
import { arcs, hills, orbits, petals, waves } from './scapes.ts'

const compositions: readonly Composition[] = [
  hills,
  tiles,
  orbits,
  arcs,
  ribbons,
  waves,
  blocks,
  petals,
  dots,
]

/** How one picture will look. */
interface Look {
  readonly palette: Palette
  draw(pen: Pen, area: Area): void
}

/**
 * The look of the `nth` picture (from 0) of a run. The prompt decides the colours, so that pictures of one prompt
 * belong together; prompt, seed and `nth` decide what is drawn. Pictures of one run differ in composition as long as
 * there are enough of them.
 */
export function lookOf(prompt: string, seed: string, nth: number): Look {
  const palette = paletteFrom(chanceOf('palette', prompt))
  const order = chanceOf('order', prompt, seed).shuffle(compositions)
  const compose = order[nth % order.length]!
  const draw = (pen: Pen, area: Area): void => {
    pen.save()
    pen.beginPath()
    pen.rect(area.x, area.y, area.width, area.height)
    pen.clip()
    compose(pen, area, palette, chanceOf('art', prompt, seed, String(nth)))
    pen.restore()
  }
  return { palette, draw }
}
