import type { ModelId, models } from './index.ts'
import type {
  ChoiceParam,
  FileParam,
  NumberParam,
  ObjectsParam,
  Param,
  TextParam,
  ToggleParam,
} from './param.ts'

/** An input file: a path, a link, a data URI, or its bytes. */
export type FileInput = string | URL | Uint8Array

/** What one parameter takes, by its row in the catalog. */
export type ValueOf<P extends Param> = P extends ChoiceParam
  ? P['values'][number]
  : P extends TextParam
    ? string
    : P extends ToggleParam
      ? boolean
      : P extends NumberParam
        ? number
        : P extends FileParam
          ? P extends { readonly maxItems: number }
            ? FileInput | readonly FileInput[]
            : FileInput
          : P extends ObjectsParam
            ? readonly MembersOf<P>[]
            : never

/** Members that end in `_url` are files; what the others may be, the specification does not say. */
type MembersOf<P extends ObjectsParam> = {
  readonly [Member in P['members'][number]]?: Member extends `${string}_url`
    ? FileInput
    : string | number | boolean | null
}

type Rows<Id extends ModelId> = (typeof models)[Id]['params']

type RequiredNames<R> = {
  [Name in keyof R]: R[Name] extends { readonly required: true } ? Name : never
}[keyof R]

type Flat<T> = { readonly [Name in keyof T]: T[Name] }

/** The parameters of one model: `ParamsOf<'famc-v3'>['duration']` is `3 | 5 | 8 | 10 | 12 | 15 | undefined`. */
export type ParamsOf<Id extends ModelId> = Flat<
  {
    [Name in RequiredNames<Rows<Id>>]: Rows<Id>[Name] extends Param ? ValueOf<Rows<Id>[Name]> : never
  } & {
    [Name in Exclude<keyof Rows<Id>, RequiredNames<Rows<Id>>>]?: Rows<Id>[Name] extends Param
      ? ValueOf<Rows<Id>[Name]>
      : never
  }
>
