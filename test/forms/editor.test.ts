import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { models } from '../../src/catalog/index.ts'
import { type Completion, type Editor, openEditor } from './editor.ts'

// The published schema in the server that editors run. `|` is the cursor.
let editor: Editor
beforeAll(async () => {
  editor = await openEditor()
}, 30_000)
afterAll(() => editor.close())

const services = join(import.meta.dirname, '../../examples/services')
const job = (lines: string) => `jobs:\n  hero:\n${lines.replaceAll(/^/gm, '    ')}\n`
const labels = (items: readonly Completion[]) => items.map(item => item.label)

const ownKeys = [
  ...[
    'description',
    'forEach',
    'if',
    'lint',
    'matrix',
    'mode',
    'needs',
    'output',
    'override',
    'require',
    'retries',
    'service',
    'gate',
    'shortDelivery',
  ],
  ...['tags', 'takes', 'timeout', 'workflow'],
]

describe('completion', () => {
  test('of a model gives every id, each with what it is', async () => {
    const items = await editor.complete(job('model: |'))
    expect(labels(items).toSorted()).toEqual(Object.keys(models).toSorted())
    expect(items.find(item => item.label === 'famc-v3')?.documentation).toBe(
      'V3, text to video or image to video',
    )
  })

  test("in a job gives its own keys and its model's parameters, and no others", async () => {
    const items = await editor.complete(job('model: famc-t2a\n|'))
    expect(labels(items).toSorted()).toEqual([...ownKeys, 'duration', 'prompt'].toSorted())
    expect(items.find(item => item.label === 'duration')).toMatchObject({
      insertText: 'duration: ${1:5}',
      documentation: '3 to 10, step 0.5, default 5',
    })
  })

  test('in a job without a model gives what most jobs have, not everything that exists', async () => {
    const found = labels(await editor.complete(job('|')))
    expect(found).toEqual(expect.arrayContaining(['model', 'prompt', 'aspectRatio', 'duration', 'imageUrls']))
    expect(found).not.toContain('voiceList')
    expect(found.length).toBeLessThan(25)
  })

  test.each([
    ['numbers', 'model: famc-v3\nduration: |', ['10', '12', '15', '3', '5', '8']],
    ['words', 'model: famc-v3\nrenderingSpeed: |', ['4k', 'pro', 'std']],
    ['true and false', 'model: famc-v3\ngenerateAudio: |', ['false', 'true']],
    ['modes', 'model: famc-v3\nmode: |', ['execute', 'submit']],
    ['members', 'model: famc-v3\nmultiPrompt:\n  - |', ['duration', 'index', 'prompt']],
  ])('of a value gives its %s', async (_what, lines, expected) => {
    expect(labels(await editor.complete(job(lines)))).toEqual(expected)
  })

  test('under jobs gives a whole job to fill in', async () => {
    const items = await editor.complete('jobs:\n  |\n')
    expect(items.map(item => item.insertText)).toEqual([
      'new-job: \n  ${1:model}: ${2:fama-imagine-image}\n  ${3:prompt}: ${4:a teapot on wet slate}\n',
    ])
  })

  test('in a list of jobs works alike', async () => {
    const found = labels(await editor.complete('jobs:\n  - id: hero\n    model: famc-t2a\n    |\n'))
    expect(found.toSorted()).toEqual([...ownKeys, 'duration', 'prompt'].toSorted())
  })

  test('at the top gives the sections of a manifest', async () => {
    const found = labels(await editor.complete('|'))
    expect(found).toEqual(expect.arrayContaining(['jobs', 'defaults', 'vars', 'include', 'limits']))
    expect(found.length).toBeLessThan(15)
  })
})

describe('hover', () => {
  test.each([
    ['a parameter', job('model: famc-v3\ndura|tion: 5'), 'famc-v3: V3, text to video or image to video'],
    ['a parameter, for its values', job('model: famc-v3\ndura|tion: 5'), '3, 5, 8, 10, 12, 15 (default 5)'],
    ['a model', job('model: famc|-v3'), '\n\nV3, text to video or image to video\n'],
    ["a job's key", job('model: famc-v3\nta|kes: 2'), 'how many independent results'],
    ['a section', 'defa|ults:\n  count: 1\n', 'given to every job whose model has the parameter'],
  ])('over %s says what it is', async (_what, text, expected) => {
    expect(await editor.hover(text)).toContain(expected)
  })
})

describe('what is wrong is underlined', () => {
  test.each([
    [
      'at the value',
      job('model: famc-v3\nduration: 7'),
      '4:15 Value is not accepted. Valid values: 3, 5, 8, 10, 12, 15.',
    ],
    ['at the bound', job('model: famc-t2a\nduration: 99'), '4:15 Value is above the maximum of 10.'],
    ['at the key', job('model: famc-v3\npromt: x'), '4:5 Property promt is not allowed.'],
    ['at the job', 'jobs:\n  hero: 5\n', '2:9 Incorrect type. Expected "a job".'],
    ['at the top', 'job: {}\n', '1:1 Property job is not allowed.'],
    ['in a list', 'jobs:\n  - model: famc-v3\n', '2:5 Missing property "id".'],
  ])('once, %s', async (_where, text, expected) => {
    expect(await editor.problems(text)).toEqual([expected])
  })

  test('at an unknown model, and not at its parameters', async () => {
    const told = await editor.problems(job('model: famc-v9\nprompt: x'))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/^3:12 Value is not accepted. Valid values: .*"famc-v3"/)
  })

  test('and what is right is not', async () => {
    const text = job(
      'model: famc-v3\nprompt: x\nduration: ${{ vars.seconds }}\nstartFrame: ${{ jobs.still.output }}',
    )
    expect(await editor.problems(`vars: { seconds: 5 }\nx-team: shop\n${text}`)).toEqual([])
  })
})

describe('in files beside a manifest', () => {
  test.each([
    [
      'profile',
      '|',
      ['endpoints', 'auth', 'mode', 'request', 'response', 'refused', 'idempotency', 'examples'],
    ],
    ['profile', 'request:\n  as: |', ['form', 'json', 'multipart']],
    ['profile', 'response:\n  |\n', ['id', 'poll', 'outputs', 'linksLast', 'error']],
    ['profile', 'refusedWhen:\n  - means: |', ['busy', 'no-credit', 'refused', 'unauthorized']],
    ['catalog', 'models:\n  a:\n    |\n', ['inputType', 'params', 'price', 'service']],
    ['catalog', 'models:\n  a:\n    inputType: |', ['t2i', 'i2v', 'tts', 'f2f']],
    [
      'catalog',
      'models:\n  a:\n    params:\n      p:\n        type: |',
      ['boolean', 'enum', 'file', 'integer', 'number', 'object', 'object[]', 'text', 'text[]'],
    ],
    ['prices', 'models:\n  famc-v3:\n    |\n', ['perImage', 'perRun', 'perSecond', 'when']],
    ['settings', 'services:\n  studio:\n    |\n', ['apiKeyFile', 'baseUrl', 'limits', 'profile']],
    ['settings', 'services:\n  studio:\n    limits:\n      |\n', ['maxCost', 'maxPaid']],
  ] as const)('of a %s, %j is completed', async (of, text, expected) => {
    expect(labels(await editor.complete(text, of))).toEqual(expect.arrayContaining([...expected]))
  })

  test.each([
    [
      'profile',
      'request:\n  as: xml\n',
      ['2:7 Value is not accepted. Valid values: "json", "form", "multipart".'],
    ],
    ['profile', 'endpoint: {}\n', ['1:1 Property endpoint is not allowed.']],
    [
      'catalog',
      'models:\n  a:\n    inputType: t2x\n    params: {}\n',
      [expect.stringMatching(/^3:16 Value is not accepted/)],
    ],
    [
      'prices',
      'models:\n  famc-v3: { perMinute: 1 }\n',
      [expect.stringContaining('perMinute is not allowed')],
    ],
    ['settings', 'services:\n  studio: { baseUrl: https://host, apiKeyFile: key, keyInQuery: true }\n', []],
  ] as const)('of a %s, what is wrong with %j is underlined', async (of, text, expected) => {
    expect(await editor.problems(text, of)).toEqual(expected)
  })

  test('a key of a profile says what it is', async () => {
    expect(await editor.hover('response:\n  links|Last: 1h\n', 'profile')).toContain(
      'for how long links to files work',
    )
  })

  test.each(readdirSync(services).filter(name => /\.(profile|catalog)\.yaml$/.test(name)))(
    '%s has nothing underlined',
    async name => {
      const [, of] = /\.(profile|catalog)\.yaml$/.exec(name) ?? []
      expect(
        await editor.problems(readFileSync(join(services, name), 'utf8'), of as 'profile' | 'catalog'),
      ).toEqual([])
    },
  )
})
