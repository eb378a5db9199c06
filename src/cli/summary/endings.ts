import type { Ending } from '../../desk/report.ts'
import type { Colours } from '../colour.ts'

/** In the order in which they are told. */
export const endings: readonly Ending[] = [
  'made',
  'fetched',
  'moved',
  'kept',
  'doubt',
  'failed',
  'held',
  'detached',
  'skipped',
]

/** How an ending is called. */
export const endingWords: { readonly [ending in Ending]: string } = {
  made: 'made',
  fetched: 'fetched again',
  moved: 'moved',
  kept: 'up to date',
  doubt: 'in doubt',
  failed: 'failed',
  held: 'held',
  detached: 'unfinished',
  skipped: 'skipped',
}

/** The text in the colour of an ending. */
export function coloured(ending: Ending, text: string, paint: Colours): string {
  if (ending === 'failed') return paint.error(text)
  if (ending === 'doubt' || ending === 'detached' || ending === 'held') return paint.warning(text)
  return ending === 'made' ? paint.good(text) : text
}
