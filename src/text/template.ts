import { type Expression, type ExpressionProblem, parseExpression, type Range } from './expression.ts'

/** A text cut at its `${{ }}`. */
export type TemplatePart =
  | (Range & { readonly is: 'text'; readonly text: string })
  /** The range includes `${{` and `}}`. */
  | (Range & { readonly is: 'expression'; readonly expression: Expression })

export interface TextTemplate {
  readonly parts: readonly TemplatePart[]
  readonly problems: readonly ExpressionProblem[]
}

/**
 * Cuts a text at its expressions. `}}` inside the quotes of an expression does not end it; a literal `${{` is
 * written `${{ '${{' }}`.
 */
export function parseTemplate(text: string): TextTemplate {
  const parts: TemplatePart[] = []
  const problems: ExpressionProblem[] = []
  let at = 0
  for (let open = text.indexOf('${{'); open >= 0; open = text.indexOf('${{', at)) {
    if (open > at) parts.push({ is: 'text', text: text.slice(at, open), start: at, end: open })
    const close = closing(text, open + 3)
    if (close === undefined) {
      problems.push(neverClosed(text, open))
      return { parts, problems }
    }
    const parsed = parseExpression(text.slice(open + 3, close), open + 3)
    at = close + 2
    if ('problem' in parsed) problems.push(withBraces(parsed.problem, open, at))
    else parts.push({ is: 'expression', expression: parsed.expression, start: open, end: at })
  }
  if (at < text.length) parts.push({ is: 'text', text: text.slice(at), start: at, end: text.length })
  return { parts, problems }
}

/** The expression when it is all there is: such a value keeps its type. White space around it does not count. */
export function wholeExpression(template: TextTemplate): (TemplatePart & { is: 'expression' }) | undefined {
  const solid = template.parts.filter(part => part.is === 'expression' || part.text.trim() !== '')
  const [only] = solid
  return solid.length === 1 && only?.is === 'expression' ? only : undefined
}

export function hasExpressions(text: string): boolean {
  return text.includes('${{')
}

function neverClosed(text: string, open: number): ExpressionProblem {
  const inner = /^\$\{\{\s*([^{}\n]*?)\s*\}/.exec(text.slice(open))
  if (!inner) {
    const hint = 'close it with `}}`'
    return { start: open, end: open + 3, message: 'this `${{` is never closed', hint }
  }
  const end = open + inner[0].length
  return { start: end - 1, end, message: 'one brace closes no `${{`', hint: `write \${{ ${inner[1]} }}` }
}

function closing(text: string, from: number): number | undefined {
  let isQuoted = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") isQuoted = !isQuoted
    else if (!isQuoted && text.startsWith('}}', at)) return at
  }
  // A quote that is never closed must not swallow the braces too: the expression itself is then told.
  const plain = text.indexOf('}}', from)
  return plain < 0 ? undefined : plain
}

/** An empty expression is underlined with its braces, so that there is something to see. */
function withBraces(problem: ExpressionProblem, open: number, close: number): ExpressionProblem {
  return problem.start === open + 3 && problem.end >= close - 2
    ? { ...problem, start: open, end: close }
    : problem
}
