import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Diagnostic, upToMostErrors } from '../../src/base/diagnostic.ts'
import { runId } from '../../src/base/names.ts'
import { splitLine } from '../../src/cli/flags/generate-line.ts'
import { readSettings } from '../../src/cli/settings/read.ts'
import { importJobs } from '../../src/convert/import.ts'
import { readPrices } from '../../src/forms/prices.ts'
import { readRules } from '../../src/gateway/faults/fault-words.ts'
import { readBackend } from '../../src/gateway/runs/backend-file.ts'
import { checkManifest } from '../../src/manifest/check.ts'
import { readRows } from '../../src/manifest/expand/rows.ts'
import { modelsIn } from '../../src/manifest/read/declared.ts'
import type { Project } from '../../src/manifest/shapes/job.ts'
import { examine } from '../../src/media/examine.ts'
import { pictureSize } from '../../src/media/picture-size.ts'
import { decodeJournal } from '../../src/store/journal/journal-text.ts'
import { readLock } from '../../src/store/lock/lock-text.ts'
import { readResults } from '../../src/store/lock/results-text.ts'
import { readVerdicts } from '../../src/store/verdicts/verdicts-text.ts'
import { readSavedPlan } from '../../src/verbs/read-saved-plan.ts'
import { readOrderAnswer, readResultAnswer } from '../../src/wire/answers/dialect.ts'
import { readBody } from '../../src/wire/http/answer.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { readProfile } from '../../src/wire/profile/profile-file.ts'
import { openProject } from '../../src/workspace/read/project.ts'
import fc from '../cases.ts'
import { collectGarbage } from '../collect-garbage.ts'
import { crafted, files } from './crafted.ts'

// Everything that reads what strangers wrote, by its text alone. Through the executable: bombs.test.ts.

type Problems = readonly Diagnostic[]
const place = mkdtempSync(join(tmpdir(), 'genrun-bombs-'))
let project: Project
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
  catalog(text) {
    const problems: Diagnostic[] = []
    upToMostErrors(problems, report => modelsIn({ name: 'c.yaml', text }, report))
    return problems
  },
  'table of cells': text => readRows({ name: 'r.csv', text }, 'csv').problems,
  'table of lines': text => readRows({ name: 'r.jsonl', text }, 'jsonl').problems,
  'table of JSON': text => readRows({ name: 'r.json', text }, 'json').problems,
  'lines of curl': text => imported(text, 'curl'),
  'lines of the command line': text => imported(text, 'cli'),
  'a program': text => imported(text, 'sdk'),
  'backend of the gateway': text => readBackend({ name: 'b.yaml', text }).problems,
  'faults of the gateway': text => silent(readRules(text)),
  'saved plan': text => silent(readSavedPlan(text)),
  verdicts: text => silent(readVerdicts(text)),
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

const noTexts = { read: () => ({ problem: 'no files here' }), stdin: () => ({ problem: 'no pipe here' }) }

function imported(text: string, from: 'curl' | 'cli' | 'sdk'): Problems {
  return importJobs({ name: 'x', text }, from, { cwd: '/p', splitLine, texts: noTexts }).problems
}

function silent(_read: unknown): Problems {
  return []
}

/** Enough to see what grows faster than its text; more of what was crafted is tried by hand (docs/security.md). */
const wide = 5000
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

/** Bombs that are meant for one reader, or for those whose names are set before it by a comma. */
const aimed: { readonly [readerAndBomb: string]: () => string } = {
  'manifest, profile, prices, settings, catalog, backend of the gateway: wrong keys': () =>
    many(wide, n => `k${n}: 1\n`),
  'manifest: wrong jobs': () => `jobs:\n${many(wide, n => `  j${n}: { model: nope${n}, promt: tea }\n`)}`,
  'manifest: jobs with four errors each': () =>
    `jobs:\n${many(wide, n => `  j${n}: { model: fama-imagine-image, promt: tea, count: -3, aspectRatio: 7x7, seeed: 3 }\n`)}`,
  'manifest: jobs that are no jobs': () => `jobs:\n${many(wide, n => `  j${n}: 7\n`)}`,
  'manifest: a job of wrong keys': () =>
    `jobs:\n  a:\n    model: fama-imagine-image\n${many(wide, n => `    k${n}: 1\n`)}`,
  'manifest: wrong defaults': () =>
    `defaults:\n${many(wide, n => `  k${n}: 1\n`)}jobs: { a: { model: fama-imagine-image, prompt: x } }\n`,
  'manifest: unused variables': () =>
    `vars:\n${many(wide, n => `  k${n}: 1\n`)}jobs: { a: { model: fama-imagine-image, prompt: x } }\n`,
  'manifest: wrong rows': () =>
    `jobs: { a: { model: famb-v3, multiPrompt: [${many(wide, n => `{ k${n}: 1 },`)}] } }\n`,
  'manifest: wrong names': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: "${many(wide, n => '${{ vars.k' + n + ' }}')}" } }\n`,
  'manifest: wrong needs': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, needs: [${many(wide, n => `b${n},`)}] } }\n`,
  'manifest: wrong axes': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, matrix: { ${many(wide, n => `k${n}: [1],`)} } } }\n`,
  'prices: wrong prices': () => `models:\n${many(wide, n => `  k${n}: { perMoon: 1 }\n`)}`,
  'manifest: wrong includes': () => `include: [${many(wide, n => `f${n}.yaml,`)}]\njobs: {}\n`,
  'manifest: unknown warnings': () => `lint: [${many(wide, n => `w${n},`)}]\njobs: {}\n`,
  'profile: wrong members of a profile': () =>
    `response: { ${many(wide, n => `k${n}: 1,`)} }\nrequest: { rename: { ${many(wide, n => `k${n}: v,`)} } }\n`,
  'catalog: wrong parameters of a model': () =>
    `models: { a: { family: fama, output: image, params: { ${many(wide, n => `k${n}: { type: txt },`)} } } }\n`,
  'manifest: cells and patterns': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, matrix: { a: [${many(200, n => `${n},`)}], b: [${many(200, n => `${n},`)}], exclude: [${many(wide, n => `{ a: x${n} },`)}] } } }\n`,
  'manifest: cells and overrides': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, matrix: { a: [${many(200, n => `${n},`)}], b: [${many(200, n => `${n},`)}] }, override: [${many(wide, n => `{ match: { a: x${n} }, count: 2 },`)}] } }\n`,
  'manifest: cells and some patterns': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, matrix: { a: [${many(200, n => `${n},`)}], b: [${many(200, n => `${n},`)}], exclude: [${many(100, n => `{ a: x${n} },`)}] } } }\n`,
  'manifest: included cells': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, matrix: { include: [${many(20, () => `{ ${many(wide / 10, n => `k${n}: 1,`)} },`)}] } } }\n`,
  'manifest: more cells than jobs': () =>
    `jobs: { a: { model: fama-imagine-image, prompt: x, matrix: { ${many(50, n => `k${n}: [1,2,3,4,5,6,7,8,9],`)} } } }\n`,
  'table of cells: cells': () => `a,b\n${'1,2\n'.repeat(wide)}`,
  'table of cells: columns of cells': () => `${many(wide, n => `c${n},`)}\n${'1,'.repeat(wide)}\n`,
  'table of cells: the same column': () => `${'c,'.repeat(wide)}\n${'1,'.repeat(wide)}\n`,
  'table of cells: an open quote in cells': () => `a,b\n"${'1,2\n'.repeat(wide)}`,
  'table of lines: lines of JSON': () => '{"a":1}\n'.repeat(wide),
  'table of lines: wrong lines of JSON': () => '{"a":\n'.repeat(wide),
  'lines of curl: lines of curl': () =>
    'curl -X POST https://a.example/gw-v2/workflows/x/execute -d \'{"a":1}\'\n'.repeat(wide),
  'lines of curl: an open line of curl': () => `curl ${'-H "a: b" \\\n'.repeat(wide)}`,
  'lines of the command line: flags': () => `genrun generate ${many(wide, n => `--k${n} 1 `)}\n`,
  'a program: calls of a program': () =>
    'await client.generate({ model: "famb-v3", prompt: "a" })\n'.repeat(wide),
  'a program: open calls of a program': () => 'client.generate({ model: '.repeat(wide),
  'lock, index, saved plan: records of a lock': () =>
    `{"version":1,"purchases":[${many(wide, n => `{"id":"p${n}"},`)}{}]}`,
}

/** How often a part of what was crafted is repeated. */
const few = 300 * Number(process.env.GENRUN_BOMBS ?? 1)

/** Every bomb that a reader is given, by name. */
function bombsFor(reader: string): (readonly [string, () => string])[] {
  const ours = Object.entries(aimed).filter(([aim]) => aim.split(': ')[0]?.split(', ').includes(reader))
  const own = Object.entries(crafted[reader] ?? {}).map(([name, text]) => [name, () => text(few)] as const)
  return [...Object.entries(bombs), ...ours, ...own]
}

/** What takes more than a bomb may, and a second time: once may be the collector's, of what others left in this process. */
async function excess<Made>(name: string, made: Made, read: (made: Made) => unknown): Promise<string[]> {
  const once = await excessOnce(name, made, read)
  if (once.length === 0) return once
  collectGarbage()
  return excessOnce(name, made, read)
}

/** Of the processor: this machine may have others to work for. */
async function excessOnce<Made>(name: string, made: Made, read: (made: Made) => unknown): Promise<string[]> {
  const before = process.memoryUsage().rss
  const start = process.cpuUsage()
  await read(made)
  const { user, system } = process.cpuUsage(start)
  const [ms, bytes] = [(user + system) / 1000, process.memoryUsage().rss - before]
  if (ms < 2000 && bytes < 300_000_000) return []
  return [`${name}: ${Math.round(ms)} ms, ${Math.round(bytes / 1e6)} MB`]
}

test('there are as many bombs as are told of', () => {
  const distinct = [bombs, aimed, ...Object.values(crafted), files].flatMap(each => Object.keys(each))
  expect(distinct.length).toBeGreaterThanOrEqual(300)
  expect(Object.keys(crafted).filter(reader => !readers[reader])).toEqual([])
})

describe('no bomb takes long, takes much or is not understood to be one', () => {
  beforeAll(() => {
    writeFileSync(join(place, 'm.yaml'), '')
    writeFileSync(join(place, 'rows.csv'), 'r\n1\n')
    writeFileSync(join(place, `${'a'.repeat(120)}.png`), '')
    const opened = openProject('m.yaml', place)
    project = opened.got === 'trouble' ? expect.fail(opened.message) : opened.project
    for (const read of Object.values(readers)) read('{}')
  })

  afterAll(() => rmSync(place, { recursive: true, force: true }))

  test.each(Object.keys(readers))('%s', async name => {
    const slow = []
    for (const [bomb, text] of bombsFor(name))
      slow.push(...(await excess(bomb, text(), made => readers[name]?.(made))))
    expect(slow).toEqual([])
  })

  test('a file that is called a picture, a film or a sound', async () => {
    const slow = []
    const path = join(place, 'file')
    for (const [bomb, made] of Object.entries(files)) {
      const bytes = made(few)
      writeFileSync(path, bytes)
      slow.push(...(await excess(bomb, bytes, async () => [pictureSize(bytes), await examine(path)])))
    }
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

/** What is nearly right goes deeper than what is drawn by chance. */
const slips = fc.array(
  fc.record({
    at: fc.nat(),
    cut: fc.nat({ max: 12 }),
    put: fc.oneof(words, fc.constantFrom('null', '[]', '{}', '[{}]', '1e999', '-1', '""', 'true', '')),
  }),
  { minLength: 1, maxLength: 5 },
)

test.each(Object.entries(crafted))('nor for a text that is nearly right: %s', (name, texts) => {
  const seeds = fc.constantFrom(...Object.values(texts).map(made => made(2)))
  fc.assert(
    fc.property(seeds, slips, (seed, all) => {
      const edited = all.reduce((left, { at, cut, put }) => {
        const place = at % (left.length + 1)
        return left.slice(0, place) + put + left.slice(place + cut)
      }, seed)
      for (const { at } of readers[name]?.(edited) ?? [])
        expect(at.end).toBeLessThanOrEqual(at.file.text.length)
    }),
    { numRuns: 150 },
  )
})
