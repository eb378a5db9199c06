import { type Cursor, code, isGap, lineEnd, scalarOf, unsure, valued } from './plain-cursor.ts'
import type { TextScalar } from './tree.ts'

/**
 * `|`, `|-`, `>` and `>-` with lines that all begin in one column, at the cursor; the cursor goes to the line feed
 * behind the last of them. Indentation written as a number and `+` are left to the package.
 */
export function blockScalar(c: Cursor): TextScalar {
  const start = c.at
  const isFolded = c.text.charCodeAt(start) === code.more
  const isStripped = c.text.charCodeAt(start + 1) === code.dash
  const headerEnd = start + (isStripped ? 2 : 1)
  let feed = headerEnd
  while (c.text.charCodeAt(feed) === code.space) feed++
  if (c.text.charCodeAt(feed) !== code.feed) throw unsure
  const { lines, end } = contentLines(c, feed + 1, isFolded)
  const joined = isFolded ? folded(lines) : lines.join('\n')
  const value = isStripped ? joined : `${joined}\n`
  c.at = end - (c.text.charCodeAt(end - 1) === code.feed ? 1 : 0)
  return valued(c, scalarOf(c, start, end, value, value, isFolded ? 'folded' : 'literal'))
}

interface Content {
  /** Without indentation; blank lines are empty. */
  readonly lines: readonly string[]
  /** Behind the line feed of the last line that is not blank. */
  readonly end: number
}

function contentLines(c: Cursor, from: number, isFolded: boolean): Content {
  const { text } = c
  const lines: string[] = []
  let indent = -1
  let mostBlank = 0
  let written = 0
  let end = from
  for (let at = from; at < text.length; ) {
    const stop = lineEnd(text, at)
    let first = at
    while (text.charCodeAt(first) === code.space) first++
    const column = first - at
    if (first === stop) mostBlank = Math.max(mostBlank, column)
    else {
      if (indent < 0 && column <= c.innermost) throw unsure
      if (indent < 0) indent = column
      if (column < indent) {
        if (column > c.innermost && text.charCodeAt(first) !== code.hash) throw unsure
        break
      }
      if (isFolded && column > indent) throw unsure
    }
    lines.push(first === stop ? '' : text.slice(at + indent, stop))
    if (first !== stop) {
      written = lines.length
      end = Math.min(stop + 1, text.length)
    }
    at = stop + 1
  }
  if (indent < 0 || mostBlank > indent) throw unsure
  return { lines: lines.slice(0, written), end }
}

/** One line feed becomes a space, more become one less. */
function folded(lines: readonly string[]): string {
  let text = ''
  let feeds = 0
  let hasContent = false
  for (const line of lines) {
    if (line === '') feeds++
    else {
      text += hasContent && feeds === 0 ? ` ${line}` : '\n'.repeat(feeds) + line
      feeds = 0
      hasContent = true
    }
  }
  return text
}

/** Whether a block scalar begins at the cursor, and one that is read here. */
export function beginsBlockScalar(c: Cursor): boolean {
  const unit = c.text.charCodeAt(c.at)
  if (unit !== code.bar && unit !== code.more) return false
  const next = c.text.charCodeAt(c.at + 1)
  if (next !== code.dash && !isGap(next)) throw unsure
  return true
}
