export type StartAsked =
  | { readonly do: 'init'; readonly name: string | undefined; readonly noColour: boolean }
  | { readonly do: 'schema'; readonly model: string | undefined; readonly noColour: boolean }

/** Reads `init` and `schema`; undefined for other commands. */
export function startAsked(
  name: string,
  given: readonly unknown[],
  noColour: boolean,
): StartAsked | undefined {
  const first = typeof given[0] === 'string' ? given[0] : undefined
  switch (name) {
    case 'init':
      return { do: 'init', name: first, noColour }
    case 'schema':
      return { do: 'schema', model: first, noColour }
    default:
      return undefined
  }
}
