import { displayWidth } from '../base/display.ts'

/**
 * Talk for a terminal: a line that does not fit is broken between words, and goes on below its beginning. Words stay whole,
 * however long; lines of a manifest with their underlines stay as they are. Colours take no room.
 */
export function wrapTalk(text: string, columns: number): string {
  return text
    .split('\n')
    .map(line => wrapLine(line, columns))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const plain = line.replaceAll(colour, '')
  if (displayWidth(plain) <= columns || excerpt.test(plain)) return line
  const [start = ''] = /^ */.exec(plain) ?? []
  const indent = ' '.repeat(Math.min(start.length + 2, Math.floor(columns / 2)))
  const lines: string[] = []
  let [current, width, gap] = [start, start.length, '']
  for (const part of line.slice(start.length).match(/ +|[^ ]+/g) ?? []) {
    if (part.startsWith(' ')) {
      gap = part
      continue
    }
    const wide = displayWidth(part.replaceAll(colour, ''))
    const isFirst = current.trim() === ''
    if (!isFirst && width + gap.length + wide > columns) {
      lines.push(current)
      ;[current, width] = [indent + part, indent.length + wide]
    } else [current, width] = [current + gap + part, width + gap.length + wide]
    gap = ''
  }
  return [...lines, current].join('\n')
}

const colour = new RegExp(`${String.fromCodePoint(27)}\\[\\d{1,2}m`, 'g')

/** `12 | prompt: …` and the line below it. */
const excerpt = /^ *\d* \|/
