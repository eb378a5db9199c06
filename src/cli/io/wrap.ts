import { displayWidth } from '../../base/display.ts'

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

/** A help screen for a terminal that is narrower than it: what a flag says stands below the flag. */
export function wrapHelp(text: string, columns: number): string {
  if (text.split('\n').every(line => line.length <= columns)) return text
  const whole = text.replaceAll(/\n {12,}(?=\S)/g, ' ')
  const lines = whole.split('\n').flatMap(line => {
    const [, left = '', right = ''] = /^( +\S.*?) {2,}(\S.*)$/.exec(line) ?? []
    return line.length <= columns || left === '' ? [line] : [left, `${' '.repeat(8)}${right}`]
  })
  return wrapTalk(lines.join('\n'), columns)
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
