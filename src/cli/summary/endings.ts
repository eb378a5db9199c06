import type { Ending } from '../../wording/report.ts'
import type { Colours } from '../io/colour.ts'

/** The text in the colour of an ending. */
export function coloured(ending: Ending, text: string, paint: Colours): string {
  if (ending === 'failed') return paint.error(text)
  if (ending === 'doubt' || ending === 'detached' || ending === 'held') return paint.warning(text)
  return ending === 'made' ? paint.good(text) : text
}
