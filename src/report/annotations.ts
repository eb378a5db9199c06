import type { Diagnostic } from '../base/diagnostic.ts'
import { display } from '../base/display.ts'
import { positionAt } from '../base/source.ts'

/**
 * Problems as workflow commands of GitHub Actions, one a line, which mark the places in a pull request:
 *
 *     ::error file=teapots.yaml,line=4,col=7,endLine=4,endColumn=11,title=bad-value::duration must be one of 3, 5
 */
export function annotations(problems: readonly Diagnostic[]): string {
  return problems.map(annotation).join('\n')
}

function annotation({ severity, code, message, hint, at }: Diagnostic): string {
  const start = positionAt(at.file, at.start)
  const end = positionAt(at.file, at.end)
  const fields = {
    file: at.file.name,
    line: start.line,
    col: start.column,
    endLine: end.line,
    endColumn: Math.max(end.column, 1),
    title: code,
  }
  const properties = Object.entries(fields).map(([name, value]) => `${name}=${property(String(value))}`)
  const text = hint ? `${display(message)}\n${display(hint)}` : display(message)
  return `::${severity} ${properties.join(',')}::${data(text)}`
}

/** A line end would begin a command of its own, and the runner would carry it out. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
