import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/base/diagnostic.ts'
import type { SourceFile } from '../../src/base/source.ts'
import { readPlain } from '../../src/text/plain.ts'
import { refusedAtSight } from '../../src/text/refusals.ts'
import type { TextNode } from '../../src/text/tree.ts'
import { readAny } from '../../src/text/yaml.ts'
import fc from '../cases.ts'
import { effortOf } from './effort.ts'

const root = join(import.meta.dirname, '..', '..')
const written = ['test/golden/problems', 'test/golden/cli/files', 'examples'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(yaml|json)$/.test(name))
    .map((name): [string, string] => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')]),
)

/** Both ways on one text; undefined where the plain reader leaves it to the package. */
function bothWays(text: string) {
  const file: SourceFile = { name: 'm.yaml', text }
  const plain = refusedAtSight(file) ? undefined : readPlain(file)
  if (!plain) return undefined
  const any = readAny(file)
  return {
    plain: { ...plain, problems: plain.problems.map(seen) },
    any: { ...any, problems: any.problems.map(seen) },
  }
}

function seen({ at, notes, ...rest }: Diagnostic) {
  return {
    ...rest,
    start: at.start,
    end: at.end,
    notes: notes?.map(note => [note.message, note.at.start, note.at.end]),
  }
}

/** Where two trees differ first, in words. Nodes that hang in several places are compared once. */
function difference(a: TextNode, b: TextNode, known = new Map<TextNode, TextNode>()): string | undefined {
  if (known.get(a) === b) return undefined
  known.set(a, b)
  if (a.kind !== b.kind || a.start !== b.start || a.end !== b.end) return `${placed(a)} is ${placed(b)}`
  if (a.kind === 'scalar' && b.kind === 'scalar') {
    const isSame = Object.is(a.value, b.value) && a.source === b.source && a.style === b.style
    return isSame ? undefined : `${placed(a)} has ${JSON.stringify([a.value, b.value, a.source, b.source])}`
  }
  const [mine, theirs] = [childrenOf(a), childrenOf(b)]
  if (mine.length !== theirs.length) return `${placed(a)} has ${mine.length} and not ${theirs.length} nodes`
  for (const [index, child] of mine.entries()) {
    const found = difference(child, theirs[index] ?? a, known)
    if (found) return found
  }
  return undefined
}

function placed(node: TextNode): string {
  return `${node.kind} ${node.start}-${node.end}`
}

function childrenOf(node: TextNode): readonly TextNode[] {
  if (node.kind === 'map') return node.entries.flatMap(({ key, value }) => [key, value])
  return node.kind === 'list' ? node.items : []
}

function expectTheSame(text: string): boolean {
  const read = bothWays(text)
  if (!read) return false
  expect(read.plain.problems).toEqual(read.any.problems)
  const [plain, any] = [read.plain.value, read.any.value]
  if (plain && any) expect(difference(plain, any)).toBeUndefined()
  else expect(plain).toBe(any)
  return true
}

describe('the plain reader gives the tree and the problems of the package', () => {
  test.each(written)('for %s', (_name, text) => {
    expectTheSame(text)
  })

  // Pieces that mean something to YAML, thrown into texts that are right.
  const pieces = [
    ...[' ', '  ', '\n', '\n\n', '#', ' # c', ' #1', '\n# c\n', '\n  # c\n', '\n    # c\n', '\n      # c'],
    ...[
      ':',
      ': ',
      '- ',
      '-',
      '? ',
      ', ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      "''",
      '\\',
      '\\n',
      '|',
      '>-',
      '|\n',
      '>\n  ',
    ],
    ...[
      '&a ',
      '*a',
      '<<: *a',
      '!',
      '!!str ',
      '%',
      '@',
      '`',
      '~',
      '---',
      '...',
      '\n---\n',
      '${{ vars.a }}',
      '{{ x }}',
    ],
    ...[
      '12',
      '-1.5',
      '1e3',
      '0x1',
      '.5',
      '.inf',
      'true',
      'Null',
      'yes',
      'é',
      '😀',
      '\t',
      'x: 1',
      '\n  x: 1',
      '\n- y',
    ],
  ]
  const change = fc.record({
    at: fc.nat(),
    cut: fc.constantFrom(0, 0, 0, 1, 3),
    piece: fc.constantFrom(...pieces, ''),
  })
  const changed = fc
    .tuple(fc.constantFrom(...written.map(([, text]) => text), whole), fc.array(change, { maxLength: 4 }))
    .map(([text, changes]) =>
      changes.reduce((now, { at, cut, piece }) => {
        const place = at % (now.length + 1)
        return now.slice(0, place) + piece + now.slice(place + cut)
      }, text),
    )

  test('for whatever somebody types into a manifest', () => {
    let plain = 0
    fc.assert(
      fc.property(changed, text => {
        if (expectTheSame(text)) plain++
      }),
      { numRuns: 2000 },
    )
    expect(plain).toBeGreaterThan(300)
  })

  test('for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (json, space) => {
        expectTheSame(JSON.stringify(JSON.parse(json), null, space))
      }),
    )
  })
})

describe('the plain reader reads by itself', () => {
  test('whatever a manifest usually holds', () => {
    expect(bothWays(whole)).toBeDefined()
    expect(bothWays(readFileSync(join(root, 'examples/quickstart.yaml'), 'utf8'))).toBeDefined()
    expect(
      bothWays('{\n\t"jobs": { "a": { "model": "m", "count": 2, "x": [null, -0.5, true] } }\n}'),
    ).toBeDefined()
  })

  test.each([
    ['an unknown escape', 'a: "\\q"\n'],
    ['a tab', 'a:\tb\n'],
    ['a tag', 'a: !!str 1\n'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['a line that stands nowhere', 'a:\n    b: 1\n  c: 2\n'],
    ['a colon in a text', 'a: b: c\n'],
    ['nothing', ''],
  ])('but not %s', (_what, text) => {
    expect(bothWays(text)).toBeUndefined()
  })
})

test('a plain text takes a small part of the time that the package takes', () => {
  const text = `jobs:\n${Array.from({ length: 3000 }, (_, n) => `  j${n}:\n    model: m\n    prompt: A teapot, ${n}\n    count: 2\n`).join('')}`
  const file = { name: 'm.yaml', text }
  readPlain({ name: 'm.yaml', text: text.slice(0, 20_000) })
  const plain = Math.min(
    effortOf(() => readPlain(file)),
    effortOf(() => readPlain(file)),
  )
  expect(effortOf(() => readAny(file)) / plain).toBeGreaterThan(4)
})

const whole = `# yaml-language-server: $schema=x
name: whole # a comment

defaults: &base
  aspectRatio: 16:9
  renderingSpeed: pro
jobs:
  # one
  hero:
    <<: *base
    prompt: A teapot on wet slate, and
      steam over it
    takes: 3
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
      - prompt: x
        duration: 2.5
      - &last
        prompt: "\\u00e9 \\"y\\""
        duration: -0
      - *last
      -
    empty:
    x-free: ~
# end
`
