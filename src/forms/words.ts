import type { Json } from '../base/names.ts'
import { type InputMedia, type Model, paramOf } from '../catalog/index.ts'
import type { ParamCode } from './problem.ts'

/** What is said about a wrong value, before its place is added. */
export interface Words {
  readonly code: ParamCode
  readonly message: string
  readonly hint?: string
}

/** What a value is, to be read after "not": `text`, `a number`, `true`, `a list`. */
export function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value)
    case 'boolean':
      return String(value)
    default:
      return 'a mapping'
  }
}

/** What a model cannot do without: `famc-v3 needs a prompt`, `famc-avatar needs an audio file in audioUrl`. */
export function needs(model: Model, name: string): string {
  const param = paramOf(model, name)
  if (param?.type === 'file') return `${model.id} needs ${oneOf(param.media)} in ${name}`
  return `${model.id} needs ${name === 'prompt' ? 'a prompt' : name}`
}

/** `an image`, `a video`, `an audio file`. */
export function oneOf(media: InputMedia): string {
  if (media === 'file') return 'a file'
  return media === 'image' ? 'an image' : media === 'audio' ? 'an audio file' : 'a video'
}

/** `1 image`, `2 audio files`. */
export function countedMedia(count: number, media: InputMedia | 'item'): string {
  const word = media === 'audio' ? 'audio file' : media
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** `multiPrompt[0].prompt`. */
export function placeName(path: readonly (string | number)[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('')
}

/** Of a number or a truth value where a text is wanted. */
export function quotesHint(text: string): string {
  return `put it in quotes: ${quoted(text)}`
}

/** A word as somebody would write it again: cut when it is long, so that a hint stays one line. */
function quoted(text: string): string {
  const characters = [...text]
  return `"${characters.length > 30 ? `${characters.slice(0, 30).join('')}…` : text}"`
}
