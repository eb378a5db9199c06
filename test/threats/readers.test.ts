import { beforeAll, describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/base/diagnostic.ts'
import { runId } from '../../src/base/names.ts'
import { readSettings } from '../../src/cli/settings/read.ts'
import { readPrices } from '../../src/forms/prices.ts'
import { checkManifest } from '../../src/manifest/check.ts'
import { readSavedPlan } from '../../src/planning/saved-plan.ts'
import { decodeJournal } from '../../src/store/journal/journal-text.ts'
import { readLock } from '../../src/store/lock/lock-text.ts'
import { readResults } from '../../src/store/lock/results-text.ts'
import { readOrderAnswer, readResultAnswer } from '../../src/wire/answers/dialect.ts'
import { readBody } from '../../src/wire/http/answer.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { readProfile } from '../../src/wire/profile/profile-file.ts'
import fc from '../cases.ts'
import { projectOf } from '../manifest/project.ts'

// Everything that reads what strangers wrote, by its text alone. Through the executable: bombs.test.ts.

type Problems = readonly Diagnostic[]
const project = projectOf({ 'rows.csv': 'r\n1\n' })
const run = runId('r1') ?? expect.fail('no id')
const order = { mode: 'execute', workflow: 'famc-v3', params: {} } as const

/** What it says about the text, where it says it by places. */
const readers: { readonly [name: string]: (text: string) => Problems } = {
  manifest: text => checkManifest({ name: 'm.yaml', text }, project).problems,
  profile: text => readProfile({ name: 'p.yaml', text }).problems,
  prices: text => readPrices({ name: 'p.yaml', text }).problems,
  settings: text =>
    readSettings({ file: { name: 's.yaml', text }, folder: '/p', root: '/p', of: 'project' }).problems,
  lock: text => silent(readLock(text, 'm.yaml')),
  journal: text => silent(decodeJournal(Buffer.from(text))),
  'saved plan': text => silent(readSavedPlan(text)),
  index: text => silent(readResults(text, 'x')),
  answer(text) {
    const answer = { status: 200, headers: {}, body: readBody(Buffer.from(text)), at: 0 }
    readOrderAnswer(gwV2, order, answer)
    return silent(readResultAnswer(gwV2, run, answer))
  },
  refusal(text) {
    const answer = { status: 422, headers: {}, body: readBody(Buffer.from(text)), at: 0 }
    readOrderAnswer(gwV2, order, answer)
    return silent(readResultAnswer(gwV2, run, answer))
  },
}

function silent(_read: unknown): Problems {
  return []
}

const many = (count: number, line: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => line(nth)).join('')
const doubled = (of: string) =>
  `${many(40, n => `v${n + 1}: &v${n + 1} [${n ? `*v${n}, *v${n}` : 'x'}]\n`)}${of}: *v40\n`

const bombs: { readonly [name: string]: () => string } = {
  brackets: () => '['.repeat(1_000_000),
  'closed brackets': () => '['.repeat(200_000) + ']'.repeat(200_000),
  braces: () => '{"jobs":'.repeat(200_000),
  'closed braces': () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'nested lists in block style': () => '- '.repeat(100_000),
  'nested keys in block style': () => many(400, n => `${' '.repeat(n)}a:\n`),
  'aliases that double': () => doubled('jobs'),
  'a key that is an alias of itself': () => 'a: &a [*a, *a]\njobs: *a\n',
  anchors: () => many(5_000, n => `k${n}: &a${n} x\n`),
  'one long text': () => `"${'x'.repeat(2_000_000)}"`,
  'one long word': () => 'x'.repeat(2_000_000),
  'one long key': () => `${'x'.repeat(1_000_000)}: 1\n`,
  'one long key in JSON': () => `{"${'x'.repeat(1_000_000)}":1}`,
  quotes: () => `["${'\\"'.repeat(500_000)}`,
  backslashes: () => `"${'\\'.repeat(1_000_001)}"`,
  numbers: () => `{"version":${'9'.repeat(1_000_000)},"jobs":1e999999999}`,
  spaces: () => ' '.repeat(2_000_000),
  lines: () => '\n'.repeat(200_000),
  'tabs and dashes': () => '\t- '.repeat(200_000),
  comments: () => '# \n'.repeat(50_000),
  'zero bytes': () => '\0'.repeat(1_000_000),
  keys: () => many(5_000, n => `k${n}: 1\n`),
  'keys in JSON': () => `{"id":"r1",${many(10_000, n => `"k${n}":1,`)}"z":1}`,
  'one key again and again': () => 'jobs: 1\n'.repeat(5_000),
  'own keys of JavaScript': () =>
    `{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"jobs":{"__proto__":{}}}`,
  colons: () => ':'.repeat(100_000),
  'question marks': () => '? '.repeat(100_000),
  expressions: () => `jobs: { a: { prompt: "\${{ ${'('.repeat(100_000)} }}" } }`,
  'folded text': () => `jobs: >\n${' x\n'.repeat(50_000)}`,
  'signs of tags': () => '!'.repeat(500_000),
  documents: () => '---\n'.repeat(20_000),
  commas: () => `[${','.repeat(100_000)}]`,
  'half of surrogate pairs': () => '\ud800'.repeat(300_000),
}

describe('no bomb takes long, takes much or is not understood to be one', () => {
  beforeAll(() => {
    for (const read of Object.values(readers)) read('{}')
  })

  test.each(Object.keys(readers))('%s', name => {
    const slow = Object.entries(bombs).flatMap(([bomb, text]) => {
      const start = performance.now()
      const before = process.memoryUsage().rss
      readers[name]?.(text())
      const [ms, bytes] = [performance.now() - start, process.memoryUsage().rss - before]
      return ms < 2000 && bytes < 300_000_000
        ? []
        : [`${bomb}: ${Math.round(ms)} ms, ${Math.round(bytes / 1e6)} MB`]
    })
    expect(slow).toEqual([])
  })
})

const words = fc.constantFrom(
  ...[
    'jobs',
    'vars',
    'defaults',
    'limits',
    'model',
    'prompt',
    'matrix',
    'fama-imagine-image',
    'response',
    'id',
    'status',
    'outputs',
  ],
  ...[
    'name',
    'request',
    'models',
    'workflows',
    'each',
    'output',
    'maxPaid',
    '${{ vars.x }}',
    '*a',
    '&a',
    '- ',
    ': ',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    ',',
    '"',
    "'",
    '|',
    '>',
    '#',
    '\n',
    '\n  ',
    '\n    ',
    '1',
    '-1e9',
    '~',
    '\0',
    '\ufeff',
    '\r',
    '\u2028',
    '!!x',
    '%YAML 1.1\n',
    '---\n',
  ],
)
const text = fc.oneof(
  fc
    .array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 40 })
    .map(all => all.join('')),
  fc.json(),
)

test.each(Object.keys(readers))(
  'whatever stands in a text, its reader never throws, and points into it: %s',
  name => {
    fc.assert(
      fc.property(text, of => {
        for (const { at } of readers[name]?.(of) ?? []) {
          expect(at.start).toBeGreaterThanOrEqual(0)
          expect(at.end).toBeGreaterThanOrEqual(at.start)
          expect(at.end).toBeLessThanOrEqual(at.file.text.length)
        }
      }),
      { numRuns: 60 },
    )
  },
)
