import { text, type Values } from './values.ts'

export type StartArgs =
  | { readonly do: 'learn'; readonly noColour: boolean }
  | InitArgs
  | {
      readonly do: 'schema'
      readonly model: string | undefined
      /** Files that declare models. */
      readonly catalog?: readonly string[]
      readonly noColour: boolean
    }

export interface InitArgs {
  readonly do: 'init'
  readonly name: string | undefined
  /** What kind of manifest, as written. */
  readonly makes: string | undefined
  /** Nothing is asked. */
  readonly yes: boolean
  readonly noColour: boolean
}

/** Reads `init` and `schema`; undefined for other commands. */
export function startArgs(
  name: string,
  given: readonly unknown[],
  values: Values,
  catalog: readonly string[] | undefined,
): StartArgs | undefined {
  const first = text(given[0])
  const noColour = values.color === false
  switch (name) {
    case 'learn':
      return { do: 'learn', noColour }
    case 'init':
      return { do: 'init', name: first, makes: text(values.make), yes: values.yes === true, noColour }
    case 'schema':
      return { do: 'schema', model: first, ...(catalog && { catalog }), noColour }
    default:
      return undefined
  }
}
