import { type RunId, runId } from '../../base/names.ts'

/**
 * The run that a Location header leads to: the last part of its path, `result` or `status` left out. An address that
 * ends where orders go, in words of the service's own paths, names none.
 */
export function idFromLocation(location: string | undefined): RunId | undefined {
  if (location === undefined || !URL.canParse(location, 'http://service.invalid')) return undefined
  const parts = new URL(location, 'http://service.invalid').pathname.split('/').filter(part => part !== '')
  const last = parts.findLast(part => part !== 'result' && part !== 'status')
  try {
    return last === undefined || ordering.has(last) ? undefined : runId(decodeURIComponent(last))
  } catch {
    return undefined
  }
}

const ordering = new Set(['execute', 'submit', 'workflows', 'gw-v2'])
