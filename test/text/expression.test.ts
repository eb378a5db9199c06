import { describe, expect, test } from 'vitest'
import { type Expression, parseExpression } from '../../src/text/expression.ts'
import { parseTemplate, wholeExpression } from '../../src/text/template.ts'
import fc from '../cases.ts'

/** The tree as nested lists, without places. */
function shown(expression: Expression): unknown {
  switch (expression.is) {
    case 'literal':
      return expression.value
    case 'name':
      return `$${expression.name}`
    case 'path':
      return [
        shown(expression.head),
        ...expression.steps.map(step =>
          step.by === 'name' ? `.${step.name}` : step.by === 'all' ? '*' : [shown(step.index)],
        ),
      ]
    case 'call':
      return { [expression.name]: expression.args.map(shown) }
    case 'not':
      return ['!', shown(expression.of)]
    case 'compare':
      return [shown(expression.left), expression.operator, shown(expression.right)]
    case 'and':
    case 'or':
      return [expression.is, ...expression.of.map(shown)]
  }
}

function parse(source: string) {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return parsed.expression
}

describe('expressions', () => {
  test.each<[string, unknown]>([
    ['vars', '$vars'],
    ['vars.brand', ['$vars', '.brand']],
    [" jobs.hero-1['outputs'][0] ", ['$jobs', '.hero-1', '.outputs', [0]]],
    ['jobs.a.*', ['$jobs', '.a', '*']],
    ['jobs[*].b', ['$jobs', '*', '.b']],
    ['a[b.c]', ['$a', [['$b', '.c']]]],
    ["'it''s ''so'''", "it's 'so'"],
    ['-1.5', -1.5],
    ['true', true],
    ['null', null],
    ['a.true', ['$a', '.true']],
    ["slug(vars.a, 'x')", { slug: [['$vars', '.a'], 'x'] }],
    ['f().b', [{ f: [] }, '.b']],
    ["!a && b == 'x' || c >= 2", ['or', ['and', ['!', '$a'], ['$b', '==', 'x']], ['$c', '>=', 2]]],
    ['a && (b || c)', ['and', '$a', ['or', '$b', '$c']]],
    ["a ==\n'two\nlines' && b", ['and', ['$a', '==', 'two\nlines'], '$b']],
  ])('%s', (source, tree) => {
    expect(shown(parse(source))).toEqual(tree)
  })

  test('every name has its place, behind texts over several lines too', () => {
    const source = "f('two\nlines', vars.brand)"
    const call = parse(source)
    const arg = call.is === 'call' ? call.args[1] : undefined
    const step = arg?.is === 'path' ? arg.steps[0] : undefined
    expect(step && source.slice(step.start, step.end)).toBe('brand')
    expect(arg && source.slice(arg.start, arg.end)).toBe('vars.brand')
  })

  test.each([
    ['', '', 'this expression is empty'],
    ['a b', 'b', '`b` is not expected here'],
    ['(a', 'a', 'the expression ends too early'],
    ['a.', '.', 'the expression ends too early'],
    ['a = b', '=', '`=` has no meaning in an expression'],
    ['a + b', '+', '`+` has no meaning in an expression'],
    ['"a"', '"a"', 'text in an expression stands in single quotes'],
    ["x == 'a", "'a", 'this quote is never closed'],
    ['jobs.007.output', '007', '`007` cannot follow a dot, because it begins with a digit'],
    ['a.7', '7', '`7` cannot follow a dot, because it begins with a digit'],
    ['1x', '1x', '`1x` has no meaning in an expression'],
    ['a 1', '1', '`1` is not expected here'],
    ['contains()', 'contains', '`contains` needs more arguments'],
    ['('.repeat(60), '('.repeat(60), 'this expression is nested too deeply'],
    ['é', 'é', '`é` has no meaning in an expression'],
  ])('%j is told at %j', (source, at, message) => {
    const parsed = parseExpression(source)
    const problem = 'problem' in parsed ? parsed.problem : undefined
    expect(problem?.message).toBe(message)
    expect(problem && source.slice(problem.start, problem.end)).toBe(at)
  })

  test('any text gets a tree or a problem inside it', () => {
    const pieces = fc.constantFrom(
      'a',
      '.',
      '[',
      ']',
      '(',
      ')',
      "'",
      '"',
      ' ',
      '0',
      '-',
      '!',
      '=',
      '==',
      '&&',
      '||',
      '*',
      ',',
      'true',
      'contains',
      '\n',
      'é',
      '$',
      '<',
      'constructor',
      '__proto__',
      'NaN',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), parts => {
        const source = parts.join('')
        const parsed = parseExpression(source, 5)
        if (!('problem' in parsed)) return
        expect(parsed.problem.start).toBeGreaterThanOrEqual(5)
        expect(parsed.problem.start).toBeLessThanOrEqual(5 + source.length)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('templates', () => {
  test.each<[string, unknown[]]>([
    ['plain', ['plain']],
    ['${{ a }}', [['$a']]],
    ['x ${{ a }} y${{ b }}', ['x ', ['$a'], ' y', ['$b']]],
    ["${{ '}}' }}!", [['}}'], '!']],
    ["say ${{ '${{' }} a }}", ['say ', ['${{'], ' a }}']],
    ['$ {{ a }} ${ b }', ['$ {{ a }} ${ b }']],
    ['', []],
  ])('%j', (text, parts) => {
    const template = parseTemplate(text)
    expect(template.problems).toEqual([])
    expect(template.parts.map(part => (part.is === 'text' ? part.text : [shown(part.expression)]))).toEqual(
      parts,
    )
    expect(template.parts.map(part => text.slice(part.start, part.end)).join('')).toBe(text)
  })

  test.each([
    ['${{ a }}', true],
    ['  ${{ a }}\n', true],
    ['${{ a }}${{ b }}', false],
    ['x${{ a }}', false],
    ['x', false],
  ])('%j is a whole expression: %s', (text, expected) => {
    expect(wholeExpression(parseTemplate(text)) !== undefined).toBe(expected)
  })

  test.each([
    ['a ${{ b', '${{'],
    ['a ${{ }} b', '${{ }}'],
    ["a ${{ 'b }} c", "'b "],
    ['a ${{ b + c }} d', '+'],
  ])('%j is told at %j', (text, at) => {
    const { problems } = parseTemplate(text)
    expect(problems.map(problem => text.slice(problem.start, problem.end))).toEqual([at])
  })

  test('all broken expressions of a text are told', () => {
    expect(parseTemplate('${{ }} ${{ a b }} ${{ c }}').problems).toHaveLength(2)
  })
})
