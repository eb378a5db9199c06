import type { Media } from '../media/probe.ts'
import type { Expectation } from './expect.ts'

/**
 * How a delivered file differs from what was asked, in words; undefined when it does not. The kind is checked elsewhere.
 *
 * Sizes that the specification gives in pixels must come so. Where it only names them (`1k`, `720p`), services differ: an
 * image may be 1.4 times off on its longer side, a video 4 %. Shapes may be 5 % off, lengths 8 % or 0.6 seconds.
 */
export function mismatchOf(asked: Expectation, got: Media, isExact = false): string | undefined {
  const told = [pixels(asked, got, isExact), seconds(asked, got), sound(asked, got)]
  const found = told.filter(each => each !== undefined)
  return found.length > 0 ? found.join('; ') : undefined
}

function pixels(asked: Expectation, { width, height }: Media, isExact: boolean): string | undefined {
  if (width === undefined || height === undefined) return undefined
  const shape = asked.aspectRatio === undefined ? undefined : ratioOf(asked.aspectRatio)
  if (asked.width === undefined || asked.height === undefined) {
    const isOff = shape !== undefined && !isNear(width / height, shape, 1.05)
    return isOff ? `it is ${width}x${height}, and ${asked.aspectRatio} was asked` : undefined
  }
  const allowed = isExact ? 1 : asked.kind === 'video' ? 1.04 : 1.4
  const long = isNear(Math.max(width, height), Math.max(asked.width, asked.height), allowed)
  const isSameShape = isNear(width / height, asked.width / asked.height, isExact ? 1 : 1.05)
  if (long && isSameShape) return undefined
  return `it is ${width}x${height}, and ${isExact ? '' : 'about '}${asked.width}x${asked.height} was asked`
}

function seconds(asked: Expectation, got: Media): string | undefined {
  if (asked.seconds === undefined || got.seconds === undefined) return undefined
  const allowed = Math.max(0.6, asked.seconds * 0.08)
  if (Math.abs(got.seconds - asked.seconds) <= allowed) return undefined
  return `it lasts ${Math.round(got.seconds * 10) / 10} s, and ${asked.seconds} s were asked`
}

function sound(asked: Expectation, got: Media): string | undefined {
  if (asked.sound === undefined || got.sound === undefined || asked.sound === got.sound) return undefined
  return asked.sound ? 'it has no sound' : 'it has sound that was not asked for'
}

function isNear(a: number, b: number, factor: number): boolean {
  return a <= b * factor && b <= a * factor
}

function ratioOf(text: string): number | undefined {
  const [width, height] = text.split(':').map(Number)
  return width && height ? width / height : undefined
}
