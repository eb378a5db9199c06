import type { JsonObject, Pointer } from '../../../base/names.ts'
import type { InputType } from '../../../catalog/model.ts'
import type { OutputKind } from '../../../catalog/param.ts'

/** One run's order: everything that decides what it yields. */
export interface RenderRequest {
  readonly model: string
  readonly inputType: InputType
  /** What is wanted; follows from `inputType`, and is given for models a user declared. */
  readonly kind: OutputKind
  /** Empty where a model takes none. */
  readonly prompt: string
  /** The run's id: takes of one job differ by it. */
  readonly seed: string
  /** As sent, with defaults filled in. */
  readonly params: JsonObject
  /** How many files. */
  readonly count: number
  /** Pixels, for images and video. */
  readonly width?: number
  readonly height?: number
  /** For video and for audio that is not speech. */
  readonly seconds?: number
  /** Whether a video gets a sound track. */
  readonly sound?: boolean
  readonly inputs: readonly RenderInput[]
  /** For images. */
  readonly format?: ImageFormat
  /** Whose run it is, to be shown in the picture. */
  readonly job?: string
}

/** A file that came with the order, in the order of the parameters. `param` is its name: `startFrame`, `imageUrls`. */
export interface RenderInput {
  readonly param: string
  /** Its place in the parameters: `/imageUrls/0`, where a link or data: URI stands for it. */
  readonly at?: Pointer
  readonly bytes: Uint8Array
  readonly kind: OutputKind
}

export interface RenderedFile {
  readonly bytes: Uint8Array
  /** `image/png` and the like. */
  readonly type: string
  /** Without a dot. */
  readonly extension: string
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly seconds?: number | undefined
  /** What a person should know about this file: speech that is only a tone. */
  readonly warning?: string
}

export type ImageFormat = 'png' | 'jpeg' | 'webp'
