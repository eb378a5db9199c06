import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/names.ts'
import { entryOf, nodeAt, type TextNode, toJson } from '../../src/text/tree.ts'
import { readYaml } from '../../src/text/yaml.ts'
import fc from '../cases.ts'
import { effortOf } from './effort.ts'

function read(text: string) {
  return readYaml({ name: 'm.yaml', text })
}

function tree(text: string): TextNode {
  const { value, problems } = read(text)
  if (!value) throw new Error(problems.map(problem => problem.message).join('\n'))
  return value
}

function codes(text: string): string[] {
  return read(text).problems.map(problem => problem.code)
}

describe('values follow the YAML 1.2 core schema', () => {
  test.each<[string, Json]>([
    ['a: 16:9', { a: '16:9' }],
    ['a: yes', { a: 'yes' }],
    ['a: no', { a: 'no' }],
    ['a: True', { a: true }],
    ['a: 0x1F', { a: 31 }],
    ['a: 0o17', { a: 15 }],
    ['a: 1_000', { a: '1_000' }],
    ['a: 1e3', { a: 1000 }],
    ['a: -0.5', { a: -0.5 }],
    ['a: ~', { a: null }],
    ['a:', { a: null }],
    ['a: 2026-01-31', { a: '2026-01-31' }],
    ['a: !!str 5', { a: '5' }],
    ['a: "5"', { a: '5' }],
    ["a: 'it''s'", { a: "it's" }],
    ['a: "\\ud83c\\udf75 \\u00e9"', { a: '🍵 é' }],
    ['a: |\n  one\n  two\n', { a: 'one\ntwo\n' }],
    ['a: >-\n  one\n  two\n\n  three\n', { a: 'one two\nthree' }],
    ['[1, [2, {b: 3}], a b]', [1, [2, { b: 3 }], 'a b']],
    ['{"a": [1, 2.5, "x", null, true]}', { a: [1, 2.5, 'x', null, true] }],
    ['{\n\t"a": 1,\n\t"b": 2\n}', { a: 1, b: 2 }],
    ['--- \na: 1\n...\n', { a: 1 }],
    ['# note\n%YAML 1.2\n---\na: 16:9\n', { a: '16:9' }],
    ['a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['"hello"', 'hello'],
  ])('%j', (text, value) => {
    expect(toJson(tree(text))).toEqual(value)
  })

  test('keys keep their source text', () => {
    const root = tree('007: a\n1.10: b\ntrue: c\nnull: d\n"x y": e\n')
    expect(root.kind === 'map' && root.entries.map(entry => entry.key.source)).toEqual([
      '007',
      '1.10',
      'true',
      'null',
      'x y',
    ])
  })
})

describe('anchors and merge keys', () => {
  test('an alias is the anchored node itself, at the place of the anchor', () => {
    const text = 'a: &x { n: 1 }\nb: *x\n'
    const root = tree(text)
    expect(nodeAt(root, ['b'])).toBe(nodeAt(root, ['a']))
    expect(nodeAt(root, ['b'])).toMatchObject({ start: 6, end: 14 })
  })

  test('the latest anchor of a name is meant', () => {
    expect(toJson(tree('a: &x 1\nb: *x\nc: &x 2\nd: *x\n'))).toEqual({ a: 1, b: 1, c: 2, d: 2 })
  })

  test.each<[string, string, Json]>([
    ['what is written wins, before and behind', '{ p: 1, <<: *a, q: 2 }', { p: 1, x: 7, q: 2 }],
    ['of several sources the first wins', '{ <<: [*b, *a] }', { p: 6, q: 6, x: 7 }],
    ['a mapping can be merged directly', '{ <<: { p: 3 }, q: 1 }', { p: 3, q: 1 }],
    ['a quoted << is a key like any other', '{ "<<": 1 }', { '<<': 1 }],
  ])('%s', (_, body, value) => {
    const root = tree(`a: &a { p: 7, q: 7, x: 7 }\nb: &b { p: 6, q: 6 }\nc: ${body}\nd: [*a, *b]\n`)
    expect(toJson(nodeAt(root, ['c']) ?? root)).toEqual(value)
  })

  test('an anchored key can be used as a value', () => {
    expect(toJson(tree('&k name: 1\nb: *k\n'))).toEqual({ name: 1, b: 'name' })
  })

  test('a thousand uses of a large anchor pass', () => {
    const style = `style: &s { ${Array.from({ length: 50 }, (_, n) => `k${n}: v`).join(', ')} }\n`
    const uses = Array.from({ length: 1000 }, (_, n) => `j${n}: { <<: *s, k0: own }\n`).join('')
    const root = tree(style + uses)
    expect(root.kind === 'map' && root.entries.length).toBe(1001)
    expect(toJson(nodeAt(root, ['j999', 'k0']) ?? root)).toBe('own')
  })

  test('an alias bomb is refused without being written out', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let n = 1; n < 30; n++)
      lines.push(
        `a${n}: &a${n} [${Array(10)
          .fill(`*a${n - 1}`)
          .join(', ')}]`,
      )
    const text = `${lines.join('\n')}\n`
    expect(effortOf(() => expect(codes(text)).toEqual(['alias-bomb']))).toBeLessThan(2000)
  })
})

describe('refusals', () => {
  test.each([
    ['', 'empty-file'],
    ['\n\n', 'empty-file'],
    ['# only a comment\n', 'empty-file'],
    ['---\n', 'empty-file'],
    ['~', undefined],
    ['a: 1\n---\nb: 2\n', 'second-document'],
    ['a: 1\n---\n', 'second-document'],
    ['%YAML 1.1\n---\na: 1\n', 'yaml-version'],
    ['# x\n\n%YAML 1.1\n---\na: 1\n', 'yaml-version'],
    ['a: "%YAML 1.1"\n', undefined],
    ['a: |\n %YAML 1.1\n', undefined],
    ['%FOO bar\n---\na: 1\n', 'bad-yaml'],
    ['a: 1\na: 2\n', 'duplicate-key'],
    ['{a: 1, "a": 2}', 'duplicate-key'],
    ['a: {b: 1, b: 2}\n', 'duplicate-key'],
    ['__proto__: 1\n', 'bad-key'],
    ['a: { constructor: 1 }\n', 'bad-key'],
    ['"prototype": 1\n', 'bad-key'],
    ['? [a]\n: 1\n', 'bad-key'],
    [': 1\n', 'bad-key'],
    ['a: .inf\n', 'bad-number'],
    ['a: -.Inf\n', 'bad-number'],
    ['a: .nan\n', 'bad-number'],
    ['a: 1e999\n', 'bad-number'],
    ['a: 9007199254740993\n', 'bad-number'],
    ['a: 9007199254740991\n', undefined],
    ['1e999: a\n', undefined],
    ['a: !foo b\n', 'yaml-tag'],
    ['a: !!binary aGk=\n', 'yaml-tag'],
    ['a: *b\n', 'unknown-anchor'],
    ['&a [*a]\n', 'unknown-anchor'],
    ['b: *a\na: &a 1\n', 'unknown-anchor'],
    ['a: 1\n<<: 2\n', 'bad-merge'],
    ['a: x\u0000y\n', 'not-text'],
    ['a: {b:1}\n', 'yaml-colon'],
  ])('%j is told as %s', (text, code) => {
    expect(codes(text).filter(told => told !== 'unused-anchor')).toEqual(code ? [code] : [])
    expect(read(text).value === undefined).toBe(code !== undefined)
  })

  test('a broken text is told once, at its first fault', () => {
    expect(codes('a: "x" y\nb: @c\n\td: 1\n}')).toEqual(['yaml-quote'])
  })

  test('of two keys of one name both places are told', () => {
    const [problem] = read('a: 1\nb: 2\na: 3\n').problems
    expect(problem).toMatchObject({ at: { start: 10, end: 11 }, notes: [{ at: { start: 0, end: 1 } }] })
  })

  test('64 levels pass, 65 do not', () => {
    expect(codes(`${'['.repeat(64)}${']'.repeat(64)}`)).toEqual([])
    expect(codes(`${'['.repeat(65)}${']'.repeat(65)}`)).toEqual(['too-deep'])
    expect(codes(`${'- '.repeat(65)}x`)).toEqual(['too-deep'])
  })

  test('levels count through aliases', () => {
    const half = `${'['.repeat(40)}${']'.repeat(40)}`
    expect(codes(`a: &a ${half}\nb: [*a]\n`)).toEqual([])
    expect(codes(`a: &a ${half}\nb: ${'['.repeat(30)}*a${']'.repeat(30)}\n`)).toEqual(['too-deep'])
  })

  test.each([
    ['brackets', '['.repeat(300_000)],
    ['list marks', '- '.repeat(300_000)],
    ['question marks', '? '.repeat(300_000)],
    ['commas', `[${','.repeat(1_500_000)}]`],
    ['closing brackets', ']'.repeat(300_000)],
    ['unknown tags', `[${'!x y, '.repeat(100_000)}]`],
  ])('many %s are refused soon', (_, text) => {
    expect(effortOf(() => expect(read(text).value).toBeUndefined())).toBeLessThan(5000)
  })

  test('keys of one mapping are compared in linear time', () => {
    const text = Array.from({ length: 60_000 }, (_, n) => `key${n}: 1\n`).join('')
    expect(effortOf(() => expect(codes(text)).toEqual([]))).toBeLessThan(8000)
  })
})

describe('what YAML cuts or changes silently is a warning', () => {
  test.each([
    ['a: tea #1\n', ['cut-text']],
    ['a: tea #ff0000\n', ['cut-text']],
    ['a: #1 tea\n', ['cut-text']],
    ['a: tea # a comment\n', []],
    ['a: 5 #seconds\n', []],
    ['a: "tea" #1\n', []],
    ['a: tea#1\n', []],
    ['#1 above\na: tea\n', []],
    ['a: &tea\n', ['unused-anchor']],
    ['a: &tea cup\n', ['unused-anchor']],
    ['a: &tea cup\nb: *tea\n', []],
    ['x-a: &tea { n: 1 }\n', []],
    ['a: hi {{ name }}\n', ['foreign-template']],
    ['a: "{{name}} and {{ .Values.x }}"\n', ['foreign-template', 'foreign-template']],
    ['a: hi ${NAME}\n', ['foreign-template']],
    ['a: hi ${{ vars.name }}\n', []],
    ['a: costs $5 or {5}\n', []],
    ['\ufeffa: 1\n', ['byte-order-mark']],
  ])('%j', (text, expected) => {
    const { value, problems } = read(text)
    expect(problems.map(problem => [problem.severity, problem.code])).toEqual(
      expected.map(code => ['warning', code]),
    )
    expect(value).toBeDefined()
  })
})

describe('places', () => {
  const text =
    'jobs:\n  hero:\n    prompt: A tea pot   # note\n    tags: [a, "b c"]\n    more:\n      - x\n\n# end\n'
  const root = tree(text)
  const source = (path: (string | number)[]) => {
    const node = nodeAt(root, path)
    return node && text.slice(node.start, node.end)
  }

  test.each<[(string | number)[], string]>([
    [['jobs', 'hero', 'prompt'], 'A tea pot'],
    [['jobs', 'hero', 'tags'], '[a, "b c"]'],
    [['jobs', 'hero', 'tags', 1], '"b c"'],
    [['jobs', 'hero', 'more'], '- x'],
    [['jobs', 'hero', 'more', 0], 'x'],
  ])('%j', (path, expected) => {
    expect(source(path)).toBe(expected)
  })

  test('a key is a place too', () => {
    const hero = nodeAt(root, ['jobs', 'hero'])
    const key = hero?.kind === 'map' ? entryOf(hero, 'prompt')?.key : undefined
    expect(key && text.slice(key.start, key.end)).toBe('prompt')
  })
})

describe('places are those of the text as it is', () => {
  test.each([
    ['lines that end in CRLF', 'a: 1\r\nb:\r\n  - x\r\n  - yes no \r\n', ['b', 1], 'yes no'],
    ['a byte order mark', '\ufeffa: tea\n', ['a'], 'tea'],
    ['characters of two units', '💧: "💧💧"\nb: tea\n', ['b'], 'tea'],
    ['a text over lines', 'a: one\n   two\nb: x\n', ['a'], 'one\n   two'],
    ['a folded text', 'a: >-\n  one\n  two\n\nb: x\n', ['a'], '>-\n  one\n  two\n'],
    ['an anchored value', 'a: &x\n  n: 1 # one\nb: *x\n', ['b'], 'n: 1 # one'],
    ['nothing', 'a:\nb: 1\n', ['a'], ''],
  ])('with %s', (_, text, path, expected) => {
    const node = nodeAt(tree(text), path)
    expect(node && text.slice(node.start, node.end)).toBe(expected)
  })

  test('with all that manifests hold', () => {
    expect(toJson(tree(whole))).toEqual({
      name: 'whole',
      defaults: { aspectRatio: '16:9' },
      jobs: {
        hero: {
          aspectRatio: '16:9',
          prompt: 'A teapot on wet slate, and steam over it',
          tags: ['shop', 'wide', "it's", { a: 'b', c: 1 }],
        },
        second: {
          prompt: 'one\ntwo three',
          note: 'kept\n  as it is\n',
          imageUrls: ['a.png', 'b.png'],
          shots: [{ prompt: 'é "y"', duration: -0 }, { prompt: 'é "y"', duration: -0 }, null],
          empty: null,
          'x-free': null,
        },
      },
    })
  })
})

const whole = `# yaml-language-server: $schema=x
name: whole # a comment

defaults: &base
  aspectRatio: 16:9
jobs:
  # one
  hero:
    <<: *base
    prompt: A teapot on wet slate, and
      steam over it
    tags: [shop, "wide", 'it''s', { a: b, "c":1 }]
  second:
    prompt: >-
      one

      two
      three
    note: |
      kept
        as it is

    imageUrls:
    - a.png
    -   b.png
    shots:
      - &last
        prompt: "\\u00e9 \\"y\\""
        duration: -0
      - *last
      -
    empty:
    x-free: ~
# end
`

describe('any text', () => {
  test('gets a verdict, never an exception', () => {
    const pieces = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '#',
      '&a',
      '*a',
      '!t',
      '|',
      '>',
      '<<',
      '---',
      '%YAML 1.1',
      '\t',
      '\ufeff',
      '? ',
      '\r\n',
      '💧',
      '\\',
      '${{',
      '}}',
      '1e999',
      '~',
      '\u0000',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
        const text = parts.join('')
        const { value, problems } = read(text)
        expect(value === undefined).toBe(problems.some(problem => problem.severity === 'error'))
        for (const { at } of problems) {
          expect(at.start).toBeGreaterThanOrEqual(0)
          expect(at.start).toBeLessThanOrEqual(text.length)
          expect(at.end).toBeGreaterThanOrEqual(at.start)
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('JSON is read as JSON.parse reads it', () => {
    const isSafe = (value: unknown): boolean => {
      if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
      if (typeof value === 'string') return !value.includes('\0')
      if (typeof value !== 'object' || value === null) return true
      return Object.entries(value).every(
        ([key, inner]) => key !== '' && !/^(__proto__|constructor|prototype)$/.test(key) && isSafe(inner),
      )
    }
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
        fc.pre(isSafe(value) && value !== null)
        const text = JSON.stringify(value, null, 2)
        expect(toJson(tree(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })
})
