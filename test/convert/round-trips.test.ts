import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, expect, test } from 'vitest'
import { renderProblem } from '../../src/base/excerpt.ts'
import type { JsonObject } from '../../src/base/names.ts'
import type { WireMode } from '../../src/base/state.ts'
import { type Model, type ModelId, modelIds, models, type Param } from '../../src/catalog/index.ts'
import { readGenerate, splitLine } from '../../src/cli/flags/generate-line.ts'
import { readArgs } from '../../src/cli/parser/read-args.ts'
import { type Conversion, convertTo, statedParams } from '../../src/convert/convert-to.ts'
import { modeIn } from '../../src/convert/found.ts'
import { importFormat, importJobs } from '../../src/convert/import.ts'
import { toolSchema } from '../../src/forms/tool.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { askOf } from '../../src/run/one-shot/ask.ts'
import { askOfFlags } from '../../src/run/one-shot/ask-flags.ts'
import { judgeAsk } from '../../src/run/one-shot/single-job.ts'
import { checkFile } from '../../src/workspace/read/check.ts'
import fc from '../cases.ts'

// Jobs with any parameters that the check lets through: written as a line, a tool call, a request and a program, each is
// read back as the job that it was.

const cwd = mkdtempSync(join(tmpdir(), 'genrun-trips-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const noTexts = { read: () => ({ problem: 'no files here' }), stdin: () => ({ problem: 'no pipe here' }) }

/** What shells, YAML, JSON, programs and flags each have a meaning for. */
const words = fc.oneof(
  fc.constantFrom(
    "'",
    '"',
    '`',
    '\\',
    '$HOME',
    '$(id)',
    '${{ x }}',
    '%PATH%',
    '!1',
    '@a',
    '-x',
    '--',
    '#',
    ': ',
    '\n',
  ),
  fc.constantFrom(
    '*',
    '?',
    '~',
    '&',
    '|',
    ';',
    '<',
    '>',
    '\t',
    '🍵',
    '茶',
    'é',
    '\u{feff}',
    '\u200f',
    '16:9',
    '<a, b>',
    '/*',
    '//',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
)
const text = fc.oneof(
  { weight: 9, arbitrary: fc.array(words, { minLength: 1, maxLength: 6 }).map(parts => parts.join('')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '-',
      '--',
      '-m',
      '-o',
      '-p',
      '@',
      '@@',
      'x',
      'X marks it',
      '- a',
      '$',
      'null',
      '007',
    ),
  },
)
const link = fc
  .webUrl({ withQueryParameters: true, validSchemes: ['https'] })
  .map(url => url.replaceAll("'", '%27'))

function valueOf(param: Param): fc.Arbitrary<unknown> {
  switch (param.type) {
    case 'text':
      return text
    case 'enum':
      return fc.constantFrom(...param.values)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 0, step = 1 } = param
      const steps = Math.round((maximum - minimum) / step)
      return fc.integer({ min: 0, max: steps }).map(nth => Number((minimum + nth * step).toFixed(6)))
    }
    case 'file':
      return param.maxItems === undefined
        ? link
        : fc.array(link, { minLength: 1, maxLength: Math.min(3, param.maxItems) })
    case 'object[]':
      return fc.array(
        fc.record(Object.fromEntries(param.members.map(each => [each, each.endsWith('_url') ? link : text]))),
        { minLength: 1, maxLength: 2 },
      )
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

const modes = fc.constantFrom<(WireMode | undefined)[]>(undefined, 'execute', 'submit')

function paramsOf(model: Model): fc.Arbitrary<JsonObject> {
  const entries = Object.entries<Param>(model.params)
  const values = Object.fromEntries(entries.map(([name, param]) => [name, valueOf(param)]))
  const requiredKeys = entries
    .filter(([, param]) => 'required' in param && param.required)
    .map(([name]) => name)
  return fc.record(values, { requiredKeys }) as fc.Arbitrary<JsonObject>
}

function jobIn(manifest: string): Job | undefined {
  return checkFile(manifest, cwd).manifest?.jobs[0]
}

const manifest = 'm.json'

/** Undefined where the check has something against these parameters: rules between them are not generated. */
function written(id: string, params: JsonObject, mode: WireMode | undefined): Job | undefined {
  // In a manifest this begins an expression.
  const plain = JSON.stringify(params).replaceAll('${{', "${{ '${{' }}")
  const own = mode ? `"mode":"${mode}",` : ''
  writeFileSync(
    join(cwd, manifest),
    `{"jobs":{"hero":{"model":${JSON.stringify(id)},${own}${plain.slice(1)}}}`,
  )
  return jobIn(manifest)
}

function converted(to: Conversion): string {
  const result = convertTo(to, { manifest, address: 'hero', cwd })
  if (result.got !== 'text') throw new Error(JSON.stringify(result))
  return result.text
}

function meant(job: Job | undefined, why: () => string): JsonObject {
  if (!job) throw new Error(why())
  return { model: job.model.id, mode: job.mode, ...statedParams(job) }
}

/** Read back by `genrun import`. */
function imported(name: string, written: string): JsonObject {
  const file = { name, text: written }
  const result = importJobs(file, importFormat(file), { texts: noTexts, cwd, splitLine })
  writeFileSync(join(cwd, 'back.yaml'), result.text ?? '')
  return meant(
    jobIn('back.yaml'),
    () => `${written}\n${result.problems.map(each => renderProblem(each)).join('\n')}`,
  )
}

/** Words as the command gets them, read by the real command line and judged as `genrun generate` does. */
function carriedOut(given: readonly string[], folder = cwd): JsonObject {
  const asked = readArgs(given, () => false)
  if (asked.do !== 'command' || asked.command.name !== 'generate')
    throw new Error(`${JSON.stringify(given)}: ${JSON.stringify(asked)}`)
  const read = readGenerate(given[0] ?? '', given.slice(1))
  if (read.is !== 'args') throw new Error(`${JSON.stringify(given)}: ${JSON.stringify(read)}`)
  const { line, modelWord, words, mode: as } = read.args
  const { ask, problems } = askOfFlags({ model: modelWord, words, file: line.file }, noTexts)
  const mode = modeIn(as)
  const judged = ask && judgeAsk(ask, 'hero', { cwd: folder, ...(mode && { mode }) })
  const all = [...problems, ...(judged?.problems ?? [])]
  return meant(judged?.value, () => all.map(each => renderProblem(each)).join('\n'))
}

/** What a POSIX shell makes of each command: its words. One shell reads all of them. */
function shelled(name: string, lines: readonly string[]): string[][] {
  const script = [`${name}() { printf '%s\\0' "$@"; printf '\\1\\0'; }`, ...lines].join('\n')
  const path = join(cwd, 'lines.sh')
  writeFileSync(path, script)
  const env = { PATH: process.env.PATH, GENRUN_BASE_URL: 'https://a.example/gw-v2', GENRUN_API_KEY: 'k' }
  const all = execFileSync('sh', [path], { encoding: 'utf8', env, cwd }).split('\0').slice(0, -1)
  const found: string[][] = [[]]
  for (const word of all) {
    if (word === '\u0001') found.push([])
    else found.at(-1)?.push(word)
  }
  return found.slice(0, -1)
}

const accepts = new Ajv({ strict: true }).compile(toolSchema())

test.each(modelIds)('any job of %s is the same as a line, a call, a request and a program', (id: ModelId) => {
  const trips: { job: JsonObject; params: JsonObject; cli: string; curl: string }[] = []
  fc.assert(
    fc.property(paramsOf(models[id]), modes, (params, mode) => {
      const job = written(id, params, mode)
      fc.pre(job !== undefined)
      const expected = meant(job, () => '')
      const stated = job ? statedParams(job) : {}
      expect(imported('lines.sh', converted('cli'))).toEqual(expected)
      expect(imported('job.ts', converted('sdk'))).toEqual(expected)
      expect(imported('order.sh', converted('curl'))).toEqual(expected)
      const tool = converted('tool')
      expect({ ...imported('call.json', tool), mode: expected.mode }).toEqual(expected)
      const { model, ...args } = JSON.parse(tool).arguments
      expect(accepts({ model, ...args }), JSON.stringify(accepts.errors)).toBe(true)
      const { ask } = askOf(model, args)
      const called = meant(ask && judgeAsk(ask, 'hero', { cwd }).value, () => tool)
      // A call goes the model's usual way.
      expect({ ...called, mode: expected.mode }).toEqual(expected)
      trips.push({ job: expected, params: stated, cli: converted('cli'), curl: converted('curl') })
    }),
    // What fails is told as it was found: making it smaller takes minutes.
    { numRuns: 12, endOnFailure: true },
  )
  expect(trips.length).toBeGreaterThan(6)
  const lines = shelled(
    'genrun',
    trips.map(({ cli }) => cli),
  )
  expect(lines.map(given => carriedOut(given))).toEqual(trips.map(({ job }) => job))
  const requests = shelled(
    'curl',
    trips.map(({ curl }) => curl),
  )
  expect(requests.map(given => JSON.parse(given[given.indexOf('--data-binary') + 1] ?? ''))).toEqual(
    trips.map(({ params }) => ({ params: { model: id, ...params } })),
  )
})

// Each is the id of a job by itself, and no id may be so called, or no file.
test.each(['con', 'LPT1', 'takes', 'x-files', '__proto__', 'constructor'])(
  'a line with the prompt %s is taken over',
  prompt => {
    const line = `genrun generate -m fama-imagine-image -p ${prompt}`
    expect(imported('lines.sh', line)).toMatchObject({ prompt })
  },
)

const examples = join(import.meta.dirname, '..', '..', 'examples')
const manifests = readdirSync(examples).filter(
  name => name.endsWith('.yaml') && !name.endsWith('.profile.yaml'),
)

test.each(manifests)(
  'every job of examples/%s is a line that orders the same, and a call that the tool takes',
  name => {
    const jobs = checkFile(name, examples).manifest?.jobs ?? []
    expect(jobs.length).toBeGreaterThan(0)
    const trips = jobs.flatMap(job => {
      const [cli, tool] = (['cli', 'tool'] as const).map(to => {
        const result = convertTo(to, { manifest: name, address: job.address, cwd: examples })
        if (result.got !== 'text') throw new Error(JSON.stringify(result))
        return result.text
      })
      expect(accepts(JSON.parse(tool ?? '').arguments)).toBe(true)
      // What another job makes stands there in words: that line is for a reader.
      return job.needs.length > 0 ? [] : [{ cli: cli ?? '', expected: meant(job, () => '') }]
    })
    const lines = shelled(
      'genrun',
      trips.map(({ cli }) => cli),
    )
    expect(lines.map(given => carriedOut(given, examples))).toEqual(trips.map(({ expected }) => expected))
  },
)
