import type { Diagnostic } from './diagnostic.ts'
import { display, displayWidth } from './display.ts'
import { lineText, positionAt, type Span } from './source.ts'

/** How parts of a message are coloured; every function returns its text unchanged where there is no colour. */
export interface Paint {
  readonly error: (text: string) => string
  readonly warning: (text: string) => string
  readonly place: (text: string) => string
  readonly dim: (text: string) => string
}

const plain: Paint = { error: same, warning: same, place: same, dim: same }

const widestLine = 160

/**
 * One problem as text, without a final line feed:
 *
 *     campaign.yaml:21:15: error: duration must be one of 3, 5, 8 [bad-value]
 *     21 |     duration: 7
 *        |               ^
 *        = hint: the nearest are 5 and 8
 */
export function renderProblem(problem: Diagnostic, paint: Paint = plain): string {
  const word = problem.severity === 'error' ? paint.error('error') : paint.warning('warning')
  const head = `${paint.place(place(problem.at))}: ${word}: ${display(problem.message)} ${paint.dim(`[${problem.code}]`)}`
  const mark = problem.severity === 'error' ? paint.error : paint.warning
  const lines = [head, ...excerpt(problem.at, mark, paint)]
  for (const note of problem.notes ?? []) {
    lines.push(
      `${paint.place(place(note.at))}: note: ${display(note.message)}`,
      ...excerpt(note.at, paint.dim, paint),
    )
  }
  if (problem.hint) {
    const gutter = ' '.repeat(String(positionAt(problem.at.file, problem.at.start).line).length)
    lines.push(`${gutter} ${paint.dim('=')} hint: ${display(problem.hint)}`)
  }
  return lines.join('\n')
}

function place(at: Span): string {
  const { line, column } = positionAt(at.file, at.start)
  return `${display(at.file.name)}:${line}:${column}`
}

/** The line with an underline below it; nothing for an empty file. */
function excerpt(at: Span, mark: (text: string) => string, paint: Paint): string[] {
  if (at.file.text === '') return []
  const start = positionAt(at.file, at.start)
  const end = positionAt(at.file, at.end)
  const line = [...lineText(at.file, start.line)]
  const first = start.column - 1
  const last = end.line === start.line ? end.column - 1 : line.length
  // A line of thousands of characters is cut to a window around the place.
  const from = first > widestLine - 40 ? first - 60 : 0
  const cut = (a: number, b: number) =>
    display(line.slice(a, b).join('').replaceAll('\t', '  '), Number.POSITIVE_INFINITY)
  const shown = `${from > 0 ? '…' : ''}${cut(from, from + widestLine)}${line.length > from + widestLine ? '…' : ''}`
  const pad = ' '.repeat(displayWidth(cut(from, first)) + (from > 0 ? 1 : 0))
  const under = Math.max(1, displayWidth(cut(first, Math.min(last, from + widestLine))))
  const gutter = String(start.line)
  const blank = ' '.repeat(gutter.length)
  return [
    `${paint.dim(`${gutter} |`)} ${shown}`.trimEnd(),
    `${paint.dim(`${blank} |`)} ${pad}${mark('^'.repeat(under))}`,
  ]
}

function same(text: string): string {
  return text
}
