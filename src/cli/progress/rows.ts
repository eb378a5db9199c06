import { display, displayWidth, truncate } from '../../base/display.ts'
import type { Colours } from '../io/colour.ts'
import type { EndedAs } from './board.ts'

/** What there is to draw with. */
export interface DrawRoom {
  readonly columns: number
  readonly rows: number
  /** No marks beyond ASCII where the locale is not UTF-8. */
  readonly isAscii: boolean
  readonly paint: Colours
}

/** One job in a picture, not yet cut to the width. */
export interface Row {
  readonly mark: keyof typeof marks
  readonly address: string
  readonly model: string
  readonly text: string
  /** Of a tree: what stands before the address. */
  readonly stem?: string
}

const shortestRow = 8

/** Columns below each other, cut to the width; what is narrow goes without models. */
export function layOut(rows: readonly Row[], { columns, isAscii, paint }: DrawRoom): string[] {
  // Rows stand two columns in, and a mark takes two.
  const width = columns - 4
  if (width < shortestRow) return []
  const names = rows.map(({ stem = '', address }) => `${isAscii ? asciiStem(stem) : stem}${address}`)
  const addresses = widest(names, Math.floor(width * 0.4))
  const models =
    width < 64
      ? 0
      : widest(
          rows.map(row => row.model),
          28,
        )
  return rows.map((row, nth) => {
    const cells = [
      cell(names[nth] ?? '', addresses),
      ...(models > 0 ? [cell(row.model, models)] : []),
      row.text,
    ]
    const line = truncate(cells.join('  ').trimEnd(), width - 1)
    return `${painted(row.mark, isAscii, paint)} ${row.mark === 'waiting' ? paint.dim(line) : line}`
  })
}

function asciiStem(stem: string): string {
  return stem.replaceAll('│', '|').replaceAll('├', '|').replaceAll('└', '`')
}

function widest(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(0, ...texts.map(text => displayWidth(display(text)))))
}

function cell(text: string, columns: number): string {
  const shown = truncate(display(text), columns)
  return shown + ' '.repeat(Math.max(0, columns - displayWidth(shown)))
}

const marks = {
  made: ['✔', '+'],
  failed: ['✖', 'x'],
  doubt: ['?', '?'],
  unfinished: ['…', '~'],
  skipped: ['–', '-'],
  running: ['•', '*'],
  waiting: ['·', '.'],
  none: [' ', ' '],
} as const satisfies {
  readonly [mark in EndedAs | 'running' | 'waiting' | 'none']: readonly [string, string]
}

function painted(mark: keyof typeof marks, isAscii: boolean, paint: Colours): string {
  const sign = marks[mark][isAscii ? 1 : 0]
  if (mark === 'made') return paint.good(sign)
  if (mark === 'failed') return paint.error(sign)
  if (mark === 'doubt' || mark === 'unfinished') return paint.warning(sign)
  return mark === 'running' ? sign : paint.dim(sign)
}
