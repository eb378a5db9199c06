/** Kinds of media that flow between jobs. Speech is audio. */
export type MediaKind = 'image' | 'video' | 'audio'

/** What a parameter takes: media, or a file of any other kind (a model in 3D, a document), of declared models alone. */
export type InputMedia = MediaKind | 'file'

/** What a model makes; a file of any other kind, of declared models alone. */
export type OutputKind = MediaKind | 'file'

/** A parameter, as a row of the specification's tables: the words of its Type column, its short flag, its Values. */
export type Param =
  | TextParam
  | ChoiceParam
  | ToggleParam
  | NumberParam
  | FileParam
  | ObjectsParam
  | ObjectParam
  | TextsParam

interface Row {
  /** The specification's primary short flag, dashes included: `--ar`, `-p`. */
  readonly flag: string
  readonly required?: true
  /** What a person should know beyond the row: where the specification is silent or speaks in prose only. */
  readonly note?: string
}

export interface TextParam extends Row {
  readonly type: 'text'
  /** In Unicode code points. */
  readonly maxLength?: number
}

export interface ChoiceParam<Value extends string | number = string | number> extends Row {
  readonly type: 'enum'
  readonly values: readonly Value[]
  readonly default?: NoInfer<Value>
  /** Display words of values, where the specification gives some: `TURBO` is `Turbo`. */
  readonly labels?: { readonly [value in Value]?: string }
  /** Longest reference video in seconds that a value allows. */
  readonly referenceSeconds?: { readonly [value in Value]?: number }
}

export interface ToggleParam extends Row {
  readonly type: 'boolean'
  readonly default?: boolean
}

/** Of the specification's models all of it is known; others may leave open what they take. */
export interface NumberParam extends Row {
  readonly type: 'integer' | 'number'
  readonly minimum?: number
  readonly maximum?: number
  readonly step?: number
  /** `advice`: the bounds decide, and a value off the step is a warning only. */
  readonly stepIs?: 'advice'
  readonly default?: number
}

export interface FileParam extends Row {
  readonly type: 'file'
  readonly media: InputMedia
  /** Present where the specification says "up to N": the canonical value is then a list. */
  readonly maxItems?: number
}

export interface ObjectsParam extends Row {
  readonly type: 'object[]'
  readonly maxItems: number
  readonly members: readonly string[]
}

/** A mapping of whatever the service knows; of declared models alone. */
interface ObjectParam extends Row {
  readonly type: 'object'
}

/** A list of texts; of declared models alone. */
export interface TextsParam extends Row {
  readonly type: 'text[]'
  readonly maxItems?: number
}

export function text<const Rest extends Omit<TextParam, 'type' | 'flag'>>(
  flag: string,
  rest: Rest = {} as Rest,
) {
  return { type: 'text', flag, ...rest } as const
}

export function choice<
  const Value extends string | number,
  const Rest extends Omit<ChoiceParam<Value>, 'type' | 'flag' | 'values'>,
>(flag: string, values: readonly Value[], rest: Rest & Omit<ChoiceParam<Value>, 'type' | 'flag' | 'values'>) {
  return { type: 'enum', flag, values, ...rest } as const
}

export function toggle<const Standard extends boolean>(flag: string, standard: Standard) {
  return { type: 'boolean', flag, default: standard } as const
}

export function numeric<const Rest extends Omit<NumberParam, 'type' | 'flag'>>(
  flag: string,
  type: 'integer' | 'number',
  rest: Rest,
) {
  return { type, flag, ...rest } as const
}

export function file<const Rest extends Omit<FileParam, 'type' | 'flag' | 'media'>>(
  flag: string,
  media: MediaKind,
  rest: Rest = {} as Rest,
) {
  return { type: 'file', flag, media, ...rest } as const
}

export function objects<const Members extends readonly string[]>(
  flag: string,
  maxItems: number,
  members: Members,
) {
  return { type: 'object[]', flag, maxItems, members } as const
}

/** Members of object arrays that end in `_url` are files: `image_url` is an image. Undefined for plain members. */
export function memberMedia(member: string): MediaKind | undefined {
  return memberKinds.find(kind => member === `${kind}_url`)
}

const memberKinds: readonly MediaKind[] = ['image', 'video', 'audio']
