import { Lexer, Parser } from '@actions/expressions'
import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Star,
  Unary,
} from '@actions/expressions/ast'
import { ErrorType, ExpressionError } from '@actions/expressions/errors'
import { type Token, TokenType } from '@actions/expressions/lexer'

/** Offsets into the text that was read, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** What stands between `${{` and `}}`. Nothing in it is ever run as code. */
export type Expression =
  | (Range & { readonly is: 'literal'; readonly value: null | boolean | number | string })
  | (Range & { readonly is: 'name'; readonly name: string })
  | (Range & { readonly is: 'path'; readonly head: Expression; readonly steps: readonly PathPart[] })
  | (Range & {
      readonly is: 'call'
      readonly name: string
      readonly at: Range
      readonly args: readonly Expression[]
    })
  | (Range & { readonly is: 'not'; readonly of: Expression })
  | (Range & {
      readonly is: 'compare'
      readonly operator: Comparison
      readonly left: Expression
      readonly right: Expression
    })
  | (Range & { readonly is: 'and' | 'or'; readonly of: readonly Expression[] })

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

/** One `.name`, `[expression]` or `.*` of a path. Ranges leave dots and brackets out. */
export type PathPart =
  | (Range & { readonly by: 'name'; readonly name: string; readonly isBracketed?: true })
  | (Range & { readonly by: 'index'; readonly index: Expression })
  | (Range & { readonly by: 'all' })

/** What is wrong inside an expression, at offsets of the text it stands in. */
export interface ExpressionProblem extends Range {
  readonly message: string
  readonly hint?: string
}

type Parsed = { readonly expression: Expression } | { readonly problem: ExpressionProblem }

/** Reads one expression without its `${{ }}`. `base` is its offset in the text that the ranges count in. */
export function parseExpression(source: string, base = 0): Parsed {
  const lexed = lex(source)
  if ('problem' in lexed) return { problem: shifted(lexed.problem, base) }
  const { tokens, offsets } = lexed
  const range = (token: Token): Range => {
    const start = base + (offsets.get(token) ?? 0)
    return { start, end: start + Math.max(1, token.lexeme.length) }
  }
  try {
    const names = tokens.filter(token => token.type === TokenType.IDENTIFIER).map(token => token.lexeme)
    // Every name is let through here; which names there are is for the manifest to say.
    const functions = names.map(name => ({ name, minArgs: 0, maxArgs: 255 }))
    const tree = new Parser(tokens, names, functions).parse()
    return { expression: translate(tree, range) }
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause
    return { problem: parseProblem(cause, tokens, { start: base, end: base + source.length }, range) }
  }
}

function shifted(problem: ExpressionProblem, base: number): ExpressionProblem {
  return { ...problem, start: base + problem.start, end: base + problem.end }
}

type Lexed =
  | { readonly tokens: Token[]; readonly offsets: ReadonlyMap<Token, number> }
  | { readonly problem: ExpressionProblem }

function lex(source: string): Lexed {
  if (source.trim() === '') {
    return {
      problem: {
        start: 0,
        end: Math.max(1, source.length),
        message: 'this expression is empty',
        hint: 'write a name into it, for instance vars.brand',
      },
    }
  }
  if (source.length > longestExpression) {
    return {
      problem: {
        start: 0,
        end: source.length,
        message: `an expression is at most ${longestExpression} characters long`,
      },
    }
  }
  let tokens: Token[]
  try {
    tokens = new Lexer(source).lex().tokens
  } catch (cause) {
    return { problem: lexProblem(source, cause instanceof Error ? cause.message : '') }
  }
  // The lexer's own columns are off behind texts with line ends; between tokens there is nothing but white space.
  const offsets = new Map<Token, number>()
  let at = 0
  for (const token of tokens) {
    while (/\s/.test(source.charAt(at))) at++
    // The end is shown at the last character that means something.
    offsets.set(token, token.type === TokenType.EOF ? source.trimEnd().length - 1 : at)
    at += token.lexeme.length
  }
  return { tokens, offsets }
}

const longestExpression = 10_000

/** The lexer throws a plain Error that holds the place, counted from 1. */
function lexProblem(source: string, message: string): ExpressionProblem {
  const start = Math.max(0, Number(/at position (\d+)/.exec(message)?.[1] ?? 1) - 1)
  const word = /^(?:'.*|"[^"]*"?|[^\s()[\],]+)/s.exec(source.slice(start))?.[0] ?? source.slice(start)
  const range = { start, end: start + Math.max(1, word.length) }
  if (word.startsWith("'"))
    return {
      ...range,
      message: 'this quote is never closed',
      hint: 'text in an expression stands in single quotes',
    }
  if (word.startsWith('"')) {
    const hint = `write ${word.replaceAll("'", "''").replaceAll('"', "'")}`
    return { ...range, message: 'text in an expression stands in single quotes', hint }
  }
  const digits = source.charAt(start - 1) === '.' && /^[\w-]+/.exec(word)
  if (digits) return { start, end: start + digits[0].length, ...afterDot(digits[0]) }
  if (word === '=')
    return { ...range, message: '`=` has no meaning in an expression', hint: 'compare with `==`' }
  const hint = 'an expression compares, joins by `||` and `&&` and calls functions; it does not calculate'
  return { ...range, message: `\`${word}\` has no meaning in an expression`, hint }
}

function afterDot(digits: string): { message: string; hint: string } {
  return {
    message: `\`${digits}\` cannot follow a dot, because it begins with a digit`,
    hint: `write it in brackets: ['${digits}']`,
  }
}

function parseProblem(
  cause: ExpressionError,
  tokens: readonly Token[],
  whole: Range,
  range: (token: Token) => Range,
): ExpressionProblem {
  // The package keeps both private, and its message is worded for another tool.
  const token: Token | undefined = cause['tok']
  const kind: ErrorType = cause['typ']
  const at = token ? range(token) : whole
  const shown = token?.lexeme
  switch (kind) {
    case ErrorType.ErrorUnexpectedEndOfExpression:
      return { ...at, message: 'the expression ends too early' }
    case ErrorType.ErrorExceededMaxDepth:
    case ErrorType.ErrorExceededMaxLength:
      return { ...whole, message: 'this expression is nested too deeply' }
    case ErrorType.ErrorTooFewParameters:
      return { ...at, message: `\`${shown}\` needs more arguments` }
    case ErrorType.ErrorTooManyParameters:
      return { ...at, message: `\`${shown}\` takes fewer arguments` }
    case ErrorType.ErrorEvenParameters:
      return { ...at, message: `\`${shown}\` takes an odd number of arguments` }
    case ErrorType.ErrorUnexpectedSymbol:
    case ErrorType.ErrorUnrecognizedNamedValue:
    case ErrorType.ErrorUnrecognizedContext:
    case ErrorType.ErrorUnrecognizedFunction:
      if (!shown) return { ...at, message: 'the expression ends too early' }
      if (tokens[tokens.indexOf(token) - 1]?.type === TokenType.DOT) return { ...at, ...afterDot(shown) }
      return { ...at, message: `\`${shown}\` is not expected here` }
  }
}

/** From the package's tree to ours. Depth is bounded by the parser. */
function translate(tree: Expr, range: (token: Token) => Range): Expression {
  if (tree instanceof Grouping) return translate(tree.group, range)
  if (tree instanceof Literal) return { is: 'literal', value: literalValue(tree.token), ...range(tree.token) }
  if (tree instanceof ContextAccess) return { is: 'name', name: tree.name.lexeme, ...range(tree.name) }
  if (tree instanceof IndexAccess) return translatePath(tree, range)
  if (tree instanceof FunctionCall) {
    const args = tree.args.map(arg => translate(arg, range))
    const at = range(tree.functionName)
    return {
      is: 'call',
      name: tree.functionName.lexeme,
      at,
      args,
      start: at.start,
      end: args.at(-1)?.end ?? at.end,
    }
  }
  if (tree instanceof Unary) {
    const of = translate(tree.expr, range)
    return { is: 'not', of, start: range(tree.operator).start, end: of.end }
  }
  if (tree instanceof Binary) {
    const left = translate(tree.left, range)
    const right = translate(tree.right, range)
    const operator = tree.operator.lexeme as Comparison // The grammar makes binaries of comparisons only.
    return { is: 'compare', operator, left, right, start: left.start, end: right.end }
  }
  if (tree instanceof Logical) {
    const of = tree.args.map(arg => translate(arg, range))
    const is = tree.operator.type === TokenType.AND ? 'and' : 'or'
    return { is, of, start: of[0]?.start ?? 0, end: of.at(-1)?.end ?? 0 }
  }
  throw new Error('the expression parser yielded a node that it does not declare')
}

function translatePath(tree: IndexAccess, range: (token: Token) => Range): Expression {
  const indexes: Expr[] = []
  let innermost: Expr = tree
  while (innermost instanceof IndexAccess) {
    indexes.unshift(innermost.index)
    innermost = innermost.expr
  }
  const head = translate(innermost, range)
  const steps: PathPart[] = []
  let end = head.end
  for (const index of indexes) {
    const step = translateStep(index, range, end)
    steps.push(step)
    end = step.end
  }
  return { is: 'path', head, steps, start: head.start, end }
}

/** `before` is where the step before ends: a star has no token of its own in the tree. */
function translateStep(index: Expr, range: (token: Token) => Range, before: number): PathPart {
  if (index instanceof Star) return { by: 'all', start: before, end: before + 2 }
  if (index instanceof Literal && index.token.type === TokenType.IDENTIFIER) {
    return { by: 'name', name: index.token.lexeme, ...range(index.token) }
  }
  const value = translate(index, range)
  const { start, end } = value
  if (value.is === 'literal' && typeof value.value === 'string')
    return { by: 'name', name: value.value, isBracketed: true, start, end }
  return { by: 'index', index: value, start, end }
}

function literalValue(token: Token): null | boolean | number | string {
  switch (token.type) {
    case TokenType.TRUE:
      return true
    case TokenType.FALSE:
      return false
    case TokenType.NULL:
      return null
    case TokenType.NUMBER:
      return Number(token.value)
    default:
      // The lexer unescapes the first '' of a text only.
      return token.lexeme.slice(1, -1).replaceAll("''", "'")
  }
}
