import { markup } from '../../src/base/display.ts'
import type { Screen } from '../cli/terminal.ts'

/** What stood on a screen at one moment: rows of pieces of one style. */
interface Frame {
  readonly rows: readonly (readonly Piece[])[]
}

interface Piece {
  readonly text: string
  readonly column: number
  /** Columns. */
  readonly width: number
  readonly style: string
}

/** The screen as it is. */
export function frameOf(screen: Screen): Frame {
  const buffer = screen.terminal.buffer.active
  const rows: Piece[][] = []
  for (let y = 0; y < screen.terminal.rows; y++) {
    const line = buffer.getLine(buffer.baseY + y)
    const pieces: { text: string; column: number; width: number; style: string }[] = []
    for (let x = 0; line && x < screen.terminal.cols; x++) {
      const cell = line.getCell(x)
      if (!cell || cell.getWidth() === 0) continue
      const style = [cell.isBold() && 'b', cell.isDim() && 'd', cell.isFgPalette() && `c${cell.getFgColor()}`]
        .filter(Boolean)
        .join(' ')
      const text = cell.getChars() || ' '
      const last = pieces.at(-1)
      if (last && last.style === style) {
        last.text += text
        last.width += cell.getWidth()
      } else pieces.push({ text, column: x, width: cell.getWidth(), style })
    }
    rows.push(pieces.map(trimmed).filter(piece => piece.text !== ''))
  }
  return { rows }
}

function trimmed(piece: Piece): Piece {
  const text = piece.text.trimEnd()
  return { ...piece, text, width: piece.width - (piece.text.length - text.length) }
}

const [cellWidth, lineHeight, padding] = [8.4, 19, 16]
const secondsPerFrame = 2

/**
 * The frames one after the other as an animated picture; whoever wants no motion sees the last one. Each piece is as wide as its
 * columns, whatever the font.
 */
export function svgOf(frames: readonly Frame[], columns: number, rows: number): string {
  const width = Math.round(columns * cellWidth + 2 * padding)
  const height = rows * lineHeight + 2 * padding
  const total = frames.length * secondsPerFrame
  const share = 100 / frames.length
  const groups = frames.map((frame, nth) => {
    const delay = nth === 0 ? '' : ` style="animation-delay:${nth * secondsPerFrame}s"`
    return `<g class="frame"${delay}>\n${frame.rows.flatMap(rowText).join('\n')}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="a run of genrun in a terminal">
<style>
text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e8e3da;white-space:pre}
.b{font-weight:700}.d{fill:#9a948a}.c1{fill:#ff8a80}.c2{fill:#7fd39b}.c3{fill:#f0c36d}
.frame{visibility:hidden;animation:show ${total}s step-end infinite}
@keyframes show{0%{visibility:visible}${share.toFixed(3)}%{visibility:hidden}}
@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame:last-of-type{visibility:visible}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1b1a18"/>
${groups.join('\n')}
</svg>
`
}

function rowText(pieces: readonly Piece[], row: number): string[] {
  const y = padding + (row + 0.75) * lineHeight
  return pieces.map(({ text, column, width, style }) => {
    const x = (padding + column * cellWidth).toFixed(1)
    const classes = style === '' ? '' : ` class="${style}"`
    return `<text x="${x}" y="${y}" textLength="${(width * cellWidth).toFixed(1)}"${classes}>${markup(text)}</text>`
  })
}
