import { nearest } from '../base/nearest.ts'

/** The listed numbers directly below and above, lower first; one beyond the ends. */
export function numbersAround(value: number, listed: readonly number[]): number[] {
  const below = Math.max(...listed.filter(number => number < value))
  const above = Math.min(...listed.filter(number => number > value))
  return [below, above].filter(Number.isFinite)
}

/**
 * The listed words that were probably meant, best first, three at most: by letters, and where nothing is close, the
 * words that contain it. One alone when only case or dashes differ. Sizes and ratios are for `shapesNear`.
 */
export function wordsNear(word: string, listed: readonly string[]): string[] {
  const folded = fold(word)
  const same = listed.find(candidate => fold(candidate).replaceAll(':', 'x') === folded.replaceAll(':', 'x'))
  if (same !== undefined) return [same]
  if (shapeOf(word) && listed.every(shapeOf)) return []
  const near = nearestFew(word, listed)
  if (near.length > 0 || folded.length < 3) return near
  return listed.filter(candidate => fold(candidate).includes(folded)).slice(0, most)
}

/** The two listed sizes (`1024x768`) or ratios (`4:3`) most like the given one; none when it is no such thing. */
export function shapesNear(word: string, listed: readonly string[]): string[] {
  const wanted = shapeOf(word)
  if (!wanted || !listed.every(shapeOf)) return []
  // A wrong shape is worse than a wrong size: it crops or stretches the picture.
  const far = (candidate: string) => {
    const { ratio, area } = shapeOf(candidate) ?? wanted
    return 4 * Math.abs(Math.log(ratio / wanted.ratio)) + Math.abs(Math.log(area / wanted.area))
  }
  return listed.toSorted((a, b) => far(a) - far(b)).slice(0, 2)
}

const most = 3

function nearestFew(word: string, listed: readonly string[]): string[] {
  const found: string[] = []
  while (found.length < most) {
    const rest = listed.filter(candidate => !found.includes(candidate))
    const next = nearest(word, rest)
    if (next === undefined) break
    found.push(next)
  }
  return found
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '')
}

interface Shape {
  readonly ratio: number
  readonly area: number
}

function shapeOf(word: string): Shape | undefined {
  const [, width, mark, height] =
    /^(\d{1,6}(?:\.\d{1,3})?) ?([x×*:]) ?(\d{1,6}(?:\.\d{1,3})?)$/i.exec(word.trim()) ?? []
  if (!Number(width) || !Number(height)) return undefined
  const isRatio = mark === ':' || Number(width) < 64
  return { ratio: Number(width) / Number(height), area: isRatio ? 1 : Number(width) * Number(height) }
}
