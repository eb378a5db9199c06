/** What a path under `/gw-v2/workflows/` names. */
export type EndpointPlace =
  | { readonly names: 'execute' | 'submit'; readonly workflow: string }
  | { readonly names: 'result'; readonly workflow: string; readonly id: string }

/**
 * Reads `{workflow}/execute`, `{workflow}/submit` and `{workflow}/{id}/result`. A workflow may have slashes, and each
 * segment is encoded by itself. Undefined for every other path.
 */
export function endpointPlace(path: string): EndpointPlace | undefined {
  const segments = path.split('/').map(decoded)
  const last = segments.pop()
  if (last === 'execute' || last === 'submit') return named(segments, workflow => ({ names: last, workflow }))
  const id = segments.pop()
  if (last !== 'result' || !id) return undefined
  return named(segments, workflow => ({ names: 'result', workflow, id }))
}

function named(
  segments: readonly (string | undefined)[],
  place: (workflow: string) => EndpointPlace,
): EndpointPlace | undefined {
  const isWhole = segments.length > 0 && segments.every(segment => segment !== undefined && segment !== '')
  return isWhole ? place(segments.join('/')) : undefined
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
