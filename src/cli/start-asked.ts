export type StartAsked =
  | { readonly do: 'learn'; readonly noColour: boolean }
  | { readonly do: 'init'; readonly name: string | undefined; readonly noColour: boolean }
  | {
      readonly do: 'schema'
      readonly model: string | undefined
      /** Files that declare models. */
      readonly catalog?: readonly string[]
      readonly noColour: boolean
    }

/** Reads `init` and `schema`; undefined for other commands. */
export function startAsked(
  name: string,
  given: readonly unknown[],
  { noColour, catalog }: { readonly noColour: boolean; readonly catalog?: readonly string[] },
): StartAsked | undefined {
  const first = typeof given[0] === 'string' ? given[0] : undefined
  switch (name) {
    case 'learn':
      return { do: 'learn', noColour }
    case 'init':
      return { do: 'init', name: first, noColour }
    case 'schema':
      return { do: 'schema', model: first, ...(catalog && { catalog }), noColour }
    default:
      return undefined
  }
}
