import type { Ending } from '../../desk/report.ts'
import type { Colours } from '../colour.ts'

/** The text in the colour of an ending. */
export function coloured(ending: Ending, text: string, paint: Colours): string {
  if (ending === 'failed') return paint.error(text)
  if (ending === 'doubt' || ending === 'detached' || ending === 'held') return paint.warning(text)
  return ending === 'made' ? paint.good(text) : text
}
