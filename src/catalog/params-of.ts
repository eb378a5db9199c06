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

/** What one parameter takes, by its row in the catalog; an editor shows what else the row says. */
type ValueOf<P extends Param> = P extends ChoiceParam
  ? ChoiceOf<P>
  : P extends TextParam
    ? string
    : P extends ToggleParam
      ? WithDefault<boolean, P['default']>
      : P extends NumberParam
        ? Between<P['minimum'], P['maximum'], P['step'], P['default']>
        : P extends FileParam
          ? P extends { readonly maxItems: number }
            ? FileInput | readonly FileInput[]
            : FileInput
          : P extends ObjectsParam
            ? readonly MembersOf<P['members'][number]>[]
            : never

type ChoiceOf<P extends ChoiceParam> = P extends { readonly default: infer Default }
  ? P extends { readonly labels: infer Labels }
    ? Labelled<P['values'][number], Default, { readonly [Value in keyof Labels]: Labels[Value] }>
    : WithDefault<P['values'][number], Default>
  : P['values'][number]

/** One of the values. The service takes `Default` for it when it is left out. */
type WithDefault<Value, Default> = Value | Aside<Default>

/** The same, with the service's own words for some values. */
type Labelled<Value, Default, Labels> = Value | Aside<Default> | Aside<Labels>

/**
 * A number from `Least` to `Most`, both included, in steps of `Step`: for the reader; it is checked when it runs. The
 * service takes `Default` for it when it is left out.
 */
type Between<Least extends number | undefined, Most extends number | undefined, Step, Default> =
  | NonNullable<Least>
  | NonNullable<Most>
  // Keeps the bounds beside it: an editor shows a type by its name only while it is a union.
  | (number & {})
  | Aside<Step>
  | Aside<Default>

/** Adds nothing to a union but its place among the type's arguments, where a reader sees it. */
type Aside<About> = About extends never ? About : never

/** Members that end in `_url` are files; what the others may be, the specification does not say. */
type MembersOf<Members extends string> = {
  readonly [Member in Members]?: Member extends `${string}_url` ? FileInput : string | number | boolean | null
}

type Rows<Id extends ModelId> = (typeof models)[Id]['params']

type RequiredNames<R> = {
  [Name in keyof R]: R[Name] extends { readonly required: true } ? Name : never
}[keyof R]

type Shape<R> = {
  readonly [Name in RequiredNames<R>]: R[Name] extends Param ? ValueOf<R[Name]> : never
} & {
  readonly [Name in Exclude<keyof R, RequiredNames<R>>]?: R[Name] extends Param ? ValueOf<R[Name]> : never
}

/**
 * The parameters of one model: `ParamsOf<'famc-v3'>['duration']` is `3 | 5 | 8 | 10 | 12 | 15 | undefined`. One mapped
 * type, so that messages of the compiler call it by this name.
 */
export type ParamsOf<Id extends ModelId> = { readonly [Name in keyof Shape<Rows<Id>>]: Shape<Rows<Id>>[Name] }

/** An id of the catalog, or one of your own. */
export type AnyModelId = ModelId | (string & {})

/** The parameters of a model of your own: their names and values are known when it runs. */
export interface OwnParams {
  readonly [name: string]: OwnValue | undefined
}

type OwnValue = FileInput | number | boolean | null | readonly OwnValue[] | OwnParams

/** `ParamsOf` where the catalog has the model. */
export type ParamsFor<Id extends string> = Id extends ModelId ? ParamsOf<Id> : OwnParams
