import { defined } from '../../base/defined.ts'
import type { JsonObject } from '../../base/names.ts'
import { type Model, outputKind } from '../../catalog/index.ts'
import { withDefaults } from '../../forms/defaults.ts'
import { type Expectation, expectOf } from '../../forms/expect.ts'
import type { Media } from '../../media/probe.ts'
import type { ImageFormat, RenderedFile, RenderRequest } from '../render/order/request.ts'
import type { Input } from './inputs.ts'

/** Makes a run's files, or says why there are none. Rejects only when it is broken itself. */
export type Render = (request: RenderRequest) => Promise<RenderedFile[] | Unrendered>

/** Why a run has no files, as its result tells it. */
export interface Unrendered {
  readonly code: string
  readonly message: string
}

/** What a paid request orders, checked. */
export interface Work {
  readonly model: Model
  /** Without file bytes; canonical, as sent. */
  readonly params: JsonObject
  readonly inputs: readonly Input[]
  readonly job?: string
}

/** A run's work as the renderer takes it: sizes and lengths settled by the parameters and, where they are silent, by the inputs. */
export function renderRequest(work: Work, run: string, format: ImageFormat | undefined): RenderRequest {
  const { model, params, inputs, job } = work
  const given = withDefaults(model, params)
  const expected = expectOf(model, params)
  return {
    model: model.id,
    inputType: model.inputType,
    kind: outputKind(model),
    prompt: typeof given.prompt === 'string' ? given.prompt : '',
    seed: run,
    params: given,
    count: expected.count,
    ...((expected.kind === 'image' || expected.kind === 'video') && pixelsOf(work, expected)),
    ...lengthOf(work, given),
    ...(expected.kind === 'video' && { sound: expected.sound ?? soundOf(work, given) }),
    inputs: inputs.flatMap(({ param, kind, at, file }) =>
      file ? [{ param, kind, at, bytes: file.bytes }] : [],
    ),
    ...defined({ format, job }),
  }
}

/** What a person should know about files that were made without their inputs; undefined when nothing was left out. */
export function unfetchedWarning(inputs: readonly Input[]): string | undefined {
  const names = new Set(inputs.filter(({ file }) => !file).map(({ param }) => param))
  if (names.size === 0) return undefined
  return `made without ${[...names].join(', ')}: links to elsewhere are not fetched here`
}

interface Pixels {
  readonly width: number
  readonly height: number
}

function pixelsOf(work: Work, expected: Expectation): Pixels {
  const { width, height, aspectRatio } = expected
  if (width !== undefined && height !== undefined) return { width, height }
  const isVideo = expected.kind === 'video'
  if (aspectRatio !== undefined) return shaped(aspectRatio, isVideo)
  // A video that is edited keeps its size; what is made from a picture, or moves like a video, has its shape.
  const source = mediaOf(work, 'video') ?? mediaOf(work, 'image')
  if (!source?.width || !source.height) return shaped(isVideo ? '16:9' : '1:1', isVideo)
  const shape = `${source.width}:${source.height}`
  const asked = expectOf(work.model, { ...work.params, aspectRatio: shape })
  if (asked.width !== undefined && asked.height !== undefined)
    return { width: asked.width, height: asked.height }
  return source.kind === 'video' ? even(source.width, source.height) : shaped(shape, isVideo)
}

/** Of that shape, where nothing says how large. */
function shaped(ratio: string, isVideo: boolean): Pixels {
  const [across = 1, down = 1] = ratio.split(':').map(Number)
  const longSide = isVideo ? 1280 : 1024
  const scale = longSide / Math.max(across, down)
  return even(across * scale, down * scale)
}

function even(width: number, height: number): Pixels {
  const round = (side: number) => Math.max(64, Math.round(side / 2) * 2)
  return { width: round(width), height: round(height) }
}

function lengthOf(work: Work, given: JsonObject): { seconds?: number } {
  const kind = outputKind(work.model)
  // How long speech is follows from what it says.
  if (kind === 'image' || kind === 'file' || work.model.inputType === 'tts') return {}
  const asked = typeof given.duration === 'number' ? given.duration : undefined
  const source = mediaOf(work, 'video')?.seconds ?? mediaOf(work, 'audio')?.seconds
  // Extending keeps what is there and adds to it.
  if (work.model.inputType === 'v2v') return { seconds: (source ?? usualSeconds) + (asked ?? 0) }
  return { seconds: asked ?? source ?? usualSeconds }
}

const usualSeconds = 5

/** Where no parameter and no model's nature decides: what came with sound keeps it. */
function soundOf(work: Work, given: JsonObject): boolean {
  if (mediaOf(work, 'audio')) return true
  return given.keepOriginalSound !== 'no' && mediaOf(work, 'video')?.sound === true
}

function mediaOf(work: Work, kind: Media['kind']): Media | undefined {
  return work.inputs.find(input => input.kind === kind && input.file)?.file?.media
}
