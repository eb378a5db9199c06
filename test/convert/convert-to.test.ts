import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { renderProblem } from '../../src/base/excerpt.ts'
import type { Json } from '../../src/base/names.ts'
import { type Model, modelIds, models, type Param } from '../../src/catalog/index.ts'
import { splitLine } from '../../src/cli/flags/generate-line.ts'
import { type Conversion, convertTo, statedParams } from '../../src/convert/convert-to.ts'
import { importFormat, importJobs } from '../../src/convert/import.ts'
import { checkFile } from '../../src/workspace/read/check.ts'
import { openModelSet } from '../../src/workspace/read/model-set.ts'
import { pixel } from '../verbs/bench.ts'

const cwd = mkdtempSync(join(tmpdir(), 'genrun-convert-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const noTexts = { read: () => ({ problem: 'no files here' }), stdin: () => ({ problem: 'no pipe here' }) }

const around = { texts: noTexts, cwd, splitLine }

/** One value for every parameter: the last of a list, a minimum, a link, a text that quoting must survive. */
function sampleOf(name: string, param: Param): Json {
  switch (param.type) {
    case 'text':
      return `@ it's "${name}" \${{ x }} $HOME \\ end`
    case 'enum':
      return param.values.at(-1) ?? null
    case 'boolean':
      return !param.default
    case 'integer':
    case 'number':
      return param.maximum ?? 0
    case 'file':
      return param.maxItems === undefined ? 'https://a.example/f?x=1&y=2' : ['https://a.example/f']
    case 'object[]':
      return [
        Object.fromEntries(
          param.members.map(member => [member, member.endsWith('_url') ? 'https://a.example/m' : 'm']),
        ),
      ]
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

function sampleParams(model: Model): { [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(model.params).map(([name, param]) => [name, sampleOf(name, param)]),
  )
}

function escaped(value: Json): string {
  return JSON.stringify(value).replaceAll('${{', "${{ '${{' }}")
}

function write(name: string, text: string): string {
  writeFileSync(join(cwd, name), text)
  return name
}

function paramsIn(manifest: string): unknown {
  const { manifest: checked, problems } = checkFile(manifest, cwd)
  const [job] = checked?.jobs ?? []
  if (!job) throw new Error(problems.map(each => renderProblem(each)).join('\n'))
  return { model: job.model.id, ...statedParams(job) }
}

function converted(manifest: string, to: Conversion): string {
  const result = convertTo(to, { manifest, address: 'hero', cwd })
  if (result.got !== 'text') throw new Error(JSON.stringify(result))
  return result.text
}

function imported(name: string, text: string): unknown {
  const file = { name, text }
  const result = importJobs(file, importFormat(file), around)
  if (result.text === undefined) throw new Error(result.problems.map(each => renderProblem(each)).join('\n'))
  return paramsIn(write('imported.yaml', result.text))
}

test.each(modelIds)('every parameter of %s survives the way out and back', id => {
  const params = sampleParams(models[id])
  const lines = Object.entries({ model: id, ...params }).map(
    ([name, value]) => `    ${name}: ${escaped(value)}`,
  )
  const manifest = write('m.yaml', `jobs:\n  hero:\n${lines.join('\n')}\n`)
  const expected = paramsIn(manifest)
  expect(expected).toEqual({ model: id, ...params })
  expect(imported('lines.sh', converted(manifest, 'cli'))).toEqual(expected)
  const tool = converted(manifest, 'tool')
  expect(JSON.parse(tool)).toEqual({ name: 'service_generate', arguments: expected })
  expect(imported('call.json', tool)).toEqual(expected)
  expect(
    imported('batch.json', JSON.stringify({ defaults: { model: id }, jobs: [{ id: 'hero', ...params }] })),
  ).toEqual(expected)
  expect(imported('job.ts', converted(manifest, 'sdk'))).toEqual(expected)
  expect(imported('order.sh', converted(manifest, 'curl'))).toEqual(expected)
})

test.each(['tool', 'sdk', 'curl'] as const)('what nobody sees is written as JSON writes it: %s', to => {
  const prompt = 'a\u2028b\u202ec\u0007d'
  const manifest = write(
    'm.yaml',
    `jobs: { hero: { model: fama-imagine-image, prompt: ${JSON.stringify(prompt).replace(/[^ -~]/g, each => `\\u${each.charCodeAt(0).toString(16)}`)} } }\n`,
  )
  expect(paramsIn(manifest)).toMatchObject({ prompt })
  const text = converted(manifest, to)
  expect(text).toContain('"a\\u2028b\\u202ec\\u0007d"')
  expect(text).toMatch(/^[\n -~]*$/)
})

test('lines of the client become jobs with names, comments and continuations left out', () => {
  const text = `# stills
gen-ai generate -m famb-v3 -p 'A fox' --ar 1:1 -n 2 -o stills/fox.png
genrun generate --model=famc-v3 -p "A \\"teapot\\"" \\
  -d 5
gen-ai generate -m famb-v3 -p 'A fox'
`.replace('--model=famc-v3', '--model famc-v3')
  const { text: manifest, problems } = importJobs({ name: 'lines.sh', text }, 'cli', around)
  expect(problems).toEqual([])
  expect(manifest).toBe(`jobs:
  fox:
    model: "famb-v3"
    output: "stills/fox"
    prompt: "A fox"
    aspectRatio: "1:1"
    count: 2
  a-teapot:
    model: "famc-v3"
    prompt: "A \\"teapot\\""
    duration: 5
  a-fox:
    model: "famb-v3"
    prompt: "A fox"
`)
})

test('options of the line itself are no flags of the model; those that a run needs are told', () => {
  const text =
    'genrun generate -m famb-v4 --lock a.lock.json -o tea.png --mode submit -p --json --max-cost=4 --strict -q\n'
  const { text: manifest, problems } = importJobs({ name: 'l.sh', text }, 'cli', around)
  expect(manifest).toBe(
    'jobs:\n  tea:\n    model: "famb-v4"\n    output: "tea"\n    mode: "submit"\n    prompt: "--json"\n',
  )
  expect(problems.map(each => renderProblem(each))).toEqual([
    `l.sh:1:82: warning: --max-cost is no part of a job and is left out [left-out]
1 | genrun generate -m famb-v4 --lock a.lock.json -o tea.png --mode submit -p --json --max-cost=4 --strict -q
  |                                                                                  ^^^^^^^^^^^^
  = hint: give it to the run: genrun campaign.yaml --max-cost 4`,
  ])
})

test.each<[string, string]>([
  ['genrun generate -m famb-v4 -p a -o', 'l.sh:1:33: error: -o is given without its value [missing-value]'],
  ['gen-ai generate -m famb-v4 -p a -o b -o c', 'l.sh:1:38: error: --output is given twice [duplicate-flag]'],
])('%s is told where it is wrong', (text, told) => {
  const { problems } = importJobs({ name: 'l.sh', text }, 'cli', around)
  expect(problems.map(each => renderProblem(each).split('\n')[0])).toEqual([told])
})

test('a line of a model of your own comes back, whatever its prompt begins with', () => {
  const own = 'models: { acme-paint: { inputType: t2i, params: { prompt: { type: text, required: true } } } }'
  const catalog = [write('acme.yaml', own)]
  const { value: modelSet } = openModelSet(catalog, cwd)
  if (!modelSet) throw new Error('the catalog is right')
  const text = 'genrun generate -m acme-paint --prompt "X marks the spot" --catalog acme.yaml'
  const { text: manifest } = importJobs({ name: 'l.sh', text }, 'cli', { ...around, modelSet, catalog })
  // A key that begins with x- would be the writer's own, and no job.
  expect(manifest).toBe(
    'catalog: ["acme.yaml"]\njobs:\n  job-x-marks-the-spot:\n    model: "acme-paint"\n    prompt: "X marks the spot"\n',
  )
  expect(checkFile(write('own.yaml', manifest ?? ''), cwd).jobs).toBe(1)
})

test.each(['prototype', 'Constructor', '__proto__', 'x-ray'])(
  'a prompt of %s names a job that is one',
  prompt => {
    const text = `gen-ai generate -m famb-v4 -p ${prompt}\n`
    const { text: manifest = '' } = importJobs({ name: 'l.sh', text }, 'cli', around)
    expect(paramsIn(write('odd.yaml', manifest))).toEqual({ model: 'famb-v4', prompt })
  },
)

test('rows of a table become jobs, numbers by the catalog, empty cells left out', () => {
  const text =
    'id,model,prompt,duration,negativePrompt\nclip,famc-v3,Steam,10,\nstill,fama-imagine-image,"Tea, green",,\n'
  const { text: manifest, problems } = importJobs({ name: 'shots.csv', text }, 'table', around)
  expect(problems).toEqual([])
  expect(manifest).toBe(`jobs:
  clip:
    model: "famc-v3"
    prompt: "Steam"
    duration: 10
  still:
    model: "fama-imagine-image"
    prompt: "Tea, green"
`)
})

test.each([
  ['shots.csv', 'ID,Model,Prompt,Duration\nclip,famc-v3,Steam,7\n', 'shots.csv:2:20'],
  [
    'shots.jsonl',
    '{"ID": "clip", "Model": "famc-v3", "Prompt": "Steam", "Duration": 7}\n',
    'shots.jsonl:1:67',
  ],
])(
  'columns of %s are read whatever their case, and what is wrong is told where it stands',
  (name, text, at) => {
    const { problems } = importJobs({ name, text }, 'table', around)
    expect(problems.map(each => renderProblem(each).split('\n')[0])).toEqual([
      `${at}: error: duration must be one of 3, 5, 8, 10, 12, 15 [bad-value]`,
    ])
    const right = importJobs({ name, text: text.replace('7', '8') }, 'table', around)
    expect(right.problems).toEqual([])
    expect(right.text).toContain('duration: 8')
  },
)

test('what is wrong is told where it stands', () => {
  const { text, problems } = importJobs(
    { name: 'b.json', text: '{"jobs":[{"model":"famc-v3","prompt":"a","duration":7}]}' },
    'batch',
    around,
  )
  expect(text).toBeUndefined()
  expect(problems.map(each => renderProblem(each).split('\n')[0])).toEqual([
    'b.json:1:53: error: duration must be one of 3, 5, 8, 10, 12, 15 [bad-value]',
  ])
})

test('a local file is a path again behind curl', () => {
  const manifest = write('f.yaml', 'jobs: { hero: { model: famc-v3, prompt: a, startFrame: a.png } }\n')
  writeFileSync(join(cwd, 'a.png'), pixel)
  expect(imported('order.sh', converted(manifest, 'curl'))).toEqual({
    model: 'famc-v3',
    prompt: 'a',
    startFrame: 'a.png',
  })
})

test.each<[string, string, unknown]>([
  [
    'the address names the model, and names in snake case are the catalog’s',
    `curl https://a.example/gw-v2/workflows/famc-v3/submit -H 'Authorization: Bearer x' -d '{"prompt":"a","negative_prompt":"b"}'`,
    { model: 'famc-v3', prompt: 'a', negativePrompt: 'b' },
  ],
  [
    'flags are joined to their values',
    `curl --json='{"params":{"prompt":"a","duration":10}}' "$GENRUN_BASE_URL"/workflows/famc-v3/submit`,
    { model: 'famc-v3', prompt: 'a', duration: 10 },
  ],
  [
    'lines of the client stand beside it',
    `# made by hand\ncurl -d '{"prompt":"a"}' $B/workflows/famc-v3/submit\ngen-ai generate -m famb-v4 -p b\n`,
    { model: 'famc-v3', prompt: 'a' },
  ],
])('of curl: %s', (_, text, expected) => {
  expect(imported('x.sh', text)).toEqual(expected)
})

test('names of models of your own may be in snake case behind curl as well', () => {
  const own =
    'models: { acme-paint: { inputType: t2i, params: { prompt: { type: text, required: true }, brushSize: { type: integer, minimum: 1, maximum: 9, default: 3 } } } }'
  const { value: modelSet } = openModelSet([write('acme.yaml', own)], cwd)
  if (!modelSet) throw new Error('the catalog is right')
  const text = `curl -d '{"prompt":"a","brush_size":4}' $B/workflows/acme-paint/submit`
  const withOwn = { ...around, modelSet, catalog: ['acme.yaml'] }
  expect(importJobs({ name: 'x.sh', text }, 'curl', withOwn)).toEqual({
    text: 'catalog: ["acme.yaml"]\njobs:\n  a:\n    model: "acme-paint"\n    mode: "submit"\n    prompt: "a"\n    brushSize: 4\n',
    jobs: 1,
    problems: [],
  })
})

test.each<[string, string, unknown]>([
  [
    'all quotes, comments, commas at the end, links',
    `import { createGenrun } from 'genrun'
// genrun.check is no order
const made = await createGenrun(fromEnv()).generate('famc-v3', {
  prompt: 'it\\'s \\u{1F375} \\x41', // a note
  'negativePrompt': \`two
lines and $5\`,
  duration: 1_0, generateAudio: false, /* none */
  startFrame: new URL("https://a.example/a.png"),
}, { name: 'tea' })`,
    {
      model: 'famc-v3',
      prompt: "it's 🍵 A",
      negativePrompt: 'two\nlines and $5',
      duration: 10,
      generateAudio: false,
      startFrame: 'https://a.example/a.png',
    },
  ],
  [
    'submit, and a type argument',
    'createGenrun(o).submit<"famc-t2a">("famc-t2a", {prompt:"a",duration:3.5})',
    { model: 'famc-t2a', prompt: 'a', duration: 3.5 },
  ],
])('of a program: %s', (_, text, expected) => {
  expect(imported('x.mts', text)).toEqual(expected)
})

test.each<[string, string, string]>([
  ['a name', "g.generate('famc-v3', { prompt: text })", 'x.ts:1:33: error: only values that are written out'],
  ['a template with code', 'g.generate("famc-v3", { prompt: `a ${b}` })', 'x.ts:1:33: error: only values'],
  ['a spread', "g.generate('famc-v3', { ...shared })", 'x.ts:1:25: error: only values'],
  ['a model by name', 'g.generate(model, {})', 'x.ts:1:12: error: only values'],
  ['parameters by name', "g.generate('famc-v3', params)", 'x.ts:1:23: error: only values'],
  [
    'no parameters',
    "g.generate('famc-v3')",
    'x.ts:1:12: error: this call gives no parameters [missing-param]',
  ],
  ['a text without an end', "g.generate('famc-v3', { prompt: 'a", 'x.ts:1:33: error: only values'],
  [
    'a wrong value',
    "g.generate('famc-v3', { prompt: 'a', duration: 7 })",
    'x.ts:1:48: error: duration must be',
  ],
  ['no call', 'createGenrun()', 'x.ts:1:1: error: no call of generate or submit is in it [no-jobs]'],
])('of a program, %s is told where it stands', (_, text, expected) => {
  const file = { name: 'x.ts', text }
  const { text: manifest, problems } = importJobs(file, importFormat(file), around)
  expect(manifest).toBeUndefined()
  expect(renderProblem(problems[0] as never)).toContain(expected)
})

test.each<[string, string, string]>([
  [
    'no body',
    'curl https://a.example/workflows/famc-v3/submit',
    'x.sh:1:1: error: this request orders nothing',
  ],
  [
    'a result',
    "curl $B/workflows/famc-v3/r_1/result -d '{}'",
    'x.sh:1:1: error: this request orders nothing',
  ],
  [
    'a wrong value',
    `curl $B/workflows/famc-v3/submit -d '{"prompt":"a","duration":7}'`,
    'the body:1:26: error: duration',
  ],
  [
    'an unknown workflow',
    `curl $B/workflows/paint/submit -d '{"prompt":"a"}'`,
    'error: there is no model paint',
  ],
])('of curl, %s is told', (_, text, expected) => {
  const file = { name: 'x.sh', text }
  const { problems } = importJobs(file, importFormat(file), around)
  expect(problems.map(each => renderProblem(each)).join('\n')).toContain(expected)
})
