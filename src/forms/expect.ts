import { defined } from '../base/defined.ts'
import type { JsonObject } from '../base/names.ts'
import { type Model, type OutputKind, outputKind } from '../catalog/index.ts'
import { defaultsOf } from './defaults.ts'

/** What one run of a job will yield. What is left out depends on the inputs or is for the service to choose. */
export interface Expectation {
  readonly kind: OutputKind
  /** How many files. */
  readonly count: number
  /** Pixels, always together with `height`. */
  readonly width?: number
  readonly height?: number
  /** The shape asked for, `16:9`, also where the pixels are not known. */
  readonly aspectRatio?: string
  readonly seconds?: number
  /** Of a video: whether it has sound. */
  readonly sound?: boolean
}

/**
 * What a job will yield, defaults applied. The parameters are valid.
 *
 * Pixels, where the specification names a size without a number: `1k`, `2k` and `4k` of an image are 1024, 2048 and 4096
 * on the long side; `480p` to `1080p` of a video are the short side, `4k` is 2160. The other side follows from the aspect
 * ratio, rounded to the nearest even number because video cannot have odd ones: 1k at 19.5:9 is 1024x472, 480p at 16:9 is
 * 854x480. Videos without a resolution go by rendering speed: std is 720p, pro 1080p, 4k is 4k.
 */
export function expectOf(model: Model, params: JsonObject): Expectation {
  const given: JsonObject = { ...defaultsOf(model), ...params }
  const kind = outputKind(model)
  const { aspectRatio, duration } = given
  const pixels = kind === 'image' || kind === 'video' ? pixelsOf(kind, given) : undefined
  const sound = kind === 'video' ? soundOf(model, given) : undefined
  // What a length means for a video that is edited or extended, the specification does not say.
  const isTimed =
    typeof duration === 'number' && (kind === 'video' || kind === 'audio') && model.inputType !== 'v2v'
  return {
    kind,
    count: outputCount(model, params),
    ...pixels,
    ...(typeof aspectRatio === 'string' && { aspectRatio }),
    ...(isTimed && { seconds: duration }),
    ...defined({ sound }),
  }
}

/** How many files one run yields. */
export function outputCount(model: Model, params: JsonObject): number {
  const { count = defaultsOf(model).count } = params
  return typeof count === 'number' ? count : 1
}

interface Pixels {
  readonly width: number
  readonly height: number
}

function pixelsOf(kind: 'image' | 'video', given: JsonObject): Pixels | undefined {
  const { aspectRatio, renderingSpeed } = given
  const size = given.resolution ?? (kind === 'video' ? sizeOfSpeed(renderingSpeed) : undefined)
  if (typeof size !== 'string') return undefined
  const exact = /^(\d+)x(\d+)$/.exec(size)
  if (exact) return { width: Number(exact[1]), height: Number(exact[2]) }
  const ratio = typeof aspectRatio === 'string' ? ratioOf(aspectRatio) : undefined
  if (ratio === undefined) return undefined
  return kind === 'image' ? byLongSide(longSide(size), ratio) : byShortSide(shortSide(size), ratio)
}

function longSide(size: string): number | undefined {
  const thousands = /^(\d+)k$/.exec(size)?.[1]
  return thousands === undefined ? undefined : Number(thousands) * 1024
}

function shortSide(size: string): number | undefined {
  if (size === '4k') return 2160
  const lines = /^(\d+)p$/.exec(size)?.[1]
  return lines === undefined ? undefined : Number(lines)
}

function sizeOfSpeed(speed: unknown): string | undefined {
  switch (speed) {
    case 'std':
      return '720p'
    case 'pro':
      return '1080p'
    case '4k':
      return '4k'
    default:
      return undefined
  }
}

/** Width over height: `19.5:9` is 2.1666. */
function ratioOf(text: string): number | undefined {
  const [width, height, ...more] = text.split(':').map(Number)
  if (!width || !height || more.length > 0) return undefined
  return width / height
}

function byLongSide(side: number | undefined, ratio: number): Pixels | undefined {
  if (side === undefined) return undefined
  return ratio >= 1
    ? { width: side, height: even(side / ratio) }
    : { width: even(side * ratio), height: side }
}

function byShortSide(side: number | undefined, ratio: number): Pixels | undefined {
  if (side === undefined) return undefined
  return ratio >= 1
    ? { width: even(side * ratio), height: side }
    : { width: side, height: even(side / ratio) }
}

function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2)
}

function soundOf(model: Model, given: JsonObject): boolean | undefined {
  if (typeof given.generateAudio === 'boolean') return given.generateAudio
  return model.sound === 'native' ? true : undefined
}
