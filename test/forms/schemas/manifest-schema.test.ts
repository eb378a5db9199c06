import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { stepKeyword } from '../../../src/forms/schema.ts'
import { manifestSchema } from '../../../src/forms/schemas/manifest-schema.ts'
import { limitKeys, ownKeys, topKeys } from '../../../src/manifest/read/shape.ts'

const ajv = new Ajv({ allErrors: true, strict: false, keywords: [stepKeyword] })
const validate = ajv.compile(manifestSchema())

/** Where the schema objects: `/jobs/a/duration enum`. Branches and alternatives themselves say nothing. */
function objections(yaml: string): string[] {
  if (validate(parse(yaml))) return []
  const told = (validate.errors ?? []).filter(
    found => !['if', 'anyOf', 'pattern', 'type'].includes(found.keyword),
  )
  return told.map(found => `${found.instancePath}${extra(found)} ${found.keyword}`)
}

function extra(found: ErrorObject): string {
  const { additionalProperty } = found.params
  return typeof additionalProperty === 'string' ? `/${additionalProperty}` : ''
}

const job = (lines: string) => `jobs:\n  a:\n${lines.replaceAll(/^/gm, '    ')}`

test('a manifest with every feature of the language is accepted', () => {
  expect(objections(wholeLanguage)).toEqual([])
})

describe('in a job', () => {
  test.each([
    ['a value of its model', 'model: famc-v3\nprompt: x\nduration: 5', []],
    ['an expression in place of a number', 'model: famc-v3\nprompt: x\nduration: ${{ vars.seconds }}', []],
    ['an expression in place of a list', 'model: famc-v3\nprompt: x\nvoiceList: ${{ vars.voices }}', []],
    ['one file', 'model: famc-avatar\nimageUrls: a.png\naudioUrl: b.wav', []],
    ['a list of files', 'model: famc-video-effects\nimageUrls: [a.png, "${{ jobs.b.output }}"]', []],
    ['what defaults may bring is not missed', 'model: famc-v3', []],
    ['keys that are free', 'model: famc-v3\nx-ticket: 12', []],
    ['parameters without a model of its own', 'prompt: x\nduration: 5\nstyle: emoji', []],
    ['parameters of a model that a template names', 'model: ${{ matrix.model }}\nprompt: x', []],
  ])('%s is accepted', (_what, lines, expected) => {
    expect(objections(job(lines))).toEqual(expected)
  })

  test.each([
    ['a value of another model', 'model: famc-v3\nduration: 6', ['/jobs/a/duration enum']],
    ['a misspelt parameter', 'model: famc-v3\npromt: x', ['/jobs/a/promt additionalProperties']],
    ['a parameter of another model', 'model: famc-t2a\nstyle: x', ['/jobs/a/style additionalProperties']],
    ['a misspelt parameter without a model', 'promt: x', ['/jobs/a/promt additionalProperties']],
    ['a misspelt key', 'model: famc-v3\ntake: 3', ['/jobs/a/take additionalProperties']],
    ['an unknown mode', 'model: famc-v3\nmode: later', ['/jobs/a/mode enum']],
    ['too many files', 'model: famc-avatar\nimageUrls: [a, b]', ['/jobs/a/imageUrls maxItems']],
    ['a number out of range', 'model: famc-t2a\nduration: 11', ['/jobs/a/duration maximum']],
    [
      'an unknown member',
      'model: famc-v3\nvoiceList: [{ voice: x }]',
      ['/jobs/a/voiceList/0/voice additionalProperties'],
    ],
    ['an id beside its key', 'id: b\nmodel: famc-v3', ['/jobs/a/id false schema']],
    ['no take at all', 'model: famc-v3\ntakes: 0', ['/jobs/a/takes minimum']],
  ])('%s is refused', (_what, lines, expected) => {
    expect(objections(job(lines))).toEqual(expected)
  })

  test('an unknown model is refused at the model, and its parameters only there', () => {
    // Each id is an alternative with words of its own, for editors; the list of all is what people read.
    const told = objections(job('model: famc-v9\nprompt: x'))
    expect([...new Set(told)]).toEqual(['/jobs/a/model const', '/jobs/a/model enum'])
    expect(told.filter(each => each.endsWith('enum'))).toHaveLength(1)
  })
})

// What `genrun validate` refuses as well, and an editor can see without knowing anything else.
const tea = 'model: fama-imagine-image, prompt: Tea'
test.each([
  ['a prompt of blanks', "jobs: { a: { model: fama-imagine-image, prompt: '  ' } }", false],
  ['an overlong prompt', `jobs: { a: { model: famc-v3, prompt: ${'x'.repeat(60_000)} } }`, false],
  [
    'an overlong text around a template',
    `jobs: { a: { model: famb-v4, prompt: "${'x'.repeat(60_000)}\${{ vars.x }}" } }`,
    true,
  ],
  ['a template alone', "jobs: { a: { model: fama-imagine-image, prompt: '${{ vars.x }}' } }", true],
  ['no jobs by id', 'jobs: {}', false],
  ['no jobs in a list', 'jobs: []', false],
  ['what another file includes', 'vars: { a: 1 }', true],
  ['a time without a number', `jobs: { a: { ${tea}, timeout: soon } }`, false],
  ['a time with a unit', `jobs: { a: { ${tea}, timeout: 1.5h } }`, true],
  ['a time by a template', `jobs: { a: { ${tea}, timeout: '\${{ vars.t }}' } }`, true],
  ['a matrix of no axes', `jobs: { a: { ${tea}, matrix: {} } }`, false],
  ['an output folder at the root', `output: /tmp/x\njobs: { a: { ${tea} } }`, false],
  ['an output folder above', `output: ../x\njobs: { a: { ${tea} } }`, false],
  ['an output folder', `output: out/x..y/z\njobs: { a: { ${tea} } }`, true],
  ['an output at the root', `jobs: { a: { ${tea}, output: /tmp/x } }`, false],
  ['an output above', `jobs: { a: { ${tea}, output: a/../../x } }`, false],
  ['an output on a drive', `jobs: { a: { ${tea}, output: 'C:/x' } }`, false],
  ['an output by a template', `jobs: { a: { ${tea}, output: 'a/\${{ matrix.x }}' } }`, true],
])('%s: as validate has it', (_what, yaml, expected) => {
  expect(validate(parse(yaml))).toBe(expected)
})

test('keys are those that the reader of manifests knows', () => {
  const schema = manifestSchema()
  expect(schema).toMatchObject({ properties: {}, definitions: { job: { properties: {} } } })
  const { properties, definitions } = schema as unknown as Shape // as the line above has seen
  expect(Object.keys(properties)).toEqual(Object.keys(topKeys))
  expect(Object.keys(properties.limits.properties)).toEqual(Object.keys(limitKeys))
  expect(Object.keys(definitions.job.properties)).toEqual(Object.keys(ownKeys))
})

interface Shape {
  readonly properties: { readonly limits: { readonly properties: object } }
  readonly definitions: { readonly job: { readonly properties: object } }
}

test('what stands under a free name among the jobs is not looked at', () => {
  expect(objections('jobs: { x-base: { zebra: 1 }, a: { model: famc-v3 } }')).toEqual([])
})

test('a job in a list needs an id', () => {
  expect(objections('jobs: [{ id: a, model: famc-v3, prompt: x }]')).toEqual([])
  expect(objections('jobs: [{ model: famc-v3, prompt: x }]')).toEqual(['/jobs/0 required'])
})

test('an unknown key of the manifest is refused', () => {
  expect(objections('job: {}\nx-team: shop')).toEqual(['/job additionalProperties'])
})

test('defaults go by parameter, and by model', () => {
  expect(objections('defaults: { duration: 5, models: { famc-*: { renderingSpeed: pro } } }')).toEqual([])
  expect(objections('defaults: { models: { famc-v3: { duration: 6 } } }')).toEqual([
    '/defaults/models/famc-v3/duration enum',
  ])
  expect(objections('defaults: { duratoin: 5 }')).toEqual(['/defaults/duratoin additionalProperties'])
})

const wholeLanguage = `
name: teapots
output: out/teapots
include: [shared/style.yaml]
vars:
  brand: Aster
  style: \${{ file('style.md') }}
defaults:
  model: fama-imagine-image
  aspectRatio: 16:9
  models:
    famc-*: { renderingSpeed: pro }
limits: { execute: 4, submit: 8, maxCost: 40 }
jobs:
  hero:
    model: fama-imagine-image-2.0
    prompt: The \${{ vars.brand }} teapot on wet slate, \${{ vars.style }}
    takes: 3
  still:
    matrix:
      product: { rows: products.csv, key: id }
      ratio: ['1:1', '16:9']
      exclude: [{ product: AS-107, ratio: '16:9' }]
    if: \${{ matrix.product.photo != '' }}
    prompt: \${{ matrix.product.name }} teapot
    aspectRatio: \${{ matrix.ratio }}
    output: stills/\${{ vars.sku }}
    tags: [shop]
    override:
      - { match: { product: AS-101 }, model: fama-imagine-image-quality, takes: 2 }
  clip:
    matrix: \${{ jobs.still.matrix }}
    model: famc-v3
    prompt: Slow push-in, steam rising
    startFrame: \${{ jobs.still.pick }}
    duration: 5
    needs: hero
    mode: submit
    workflow: clips/v3
    timeout: 15m
    retries: 1
  voice:
    forEach: lines.csv
    model: fama-tts
    prompt: \${{ item.text }}
    language: \${{ item.language }}
    description: six languages
`

describe('schema and checks agree', () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const goldens = join(root, 'test', 'golden', 'problems')
  const isRight = (name: string) =>
    !/: error: /.test(readFileSync(join(goldens, name.replace(/\.\w+$/, '.out')), 'utf8'))
  // Two have models of their own; in the other two an editor underlines what is a warning here, and silenced.
  const others = ['custom-models.yaml', 'same-seed.yaml', 'boolean-for-yes.yaml', 'lint-silenced.yaml']
  const right = readdirSync(goldens).filter(
    name => /\.(yaml|json)$/.test(name) && !others.includes(name) && isRight(name),
  )
  const examples = readdirSync(join(root, 'examples')).filter(
    name => name.endsWith('.yaml') && !name.endsWith('.profile.yaml'),
  )

  test.each([
    ...right.map(name => join('test/golden/problems', name)),
    ...examples.map(name => join('examples', name)),
  ])('about %s', path => {
    expect(complaints(readFileSync(join(root, path), 'utf8'))).toEqual([])
  })

  test('there are enough of them', () => {
    expect(right.length).toBeGreaterThanOrEqual(10)
    expect(examples.length).toBeGreaterThan(3)
  })

  test.each([
    ['an axis over the files of a job', 'matrix: { file: "${{ jobs.b.outputs }}" }'],
    ['a table with a key', 'forEach: { rows: products.csv, key: sku }'],
    ['a glob with a key', 'forEach: { files: photos/*.jpg, key: name }'],
    ['a list', 'forEach: [red, blue]'],
    ['the files of a job', 'forEach: ${{ jobs.b.outputs }}'],
    ['included cells', 'matrix: { hue: [red], include: [{ hue: blue, mood: calm }] }'],
    ['a number from a template', 'takes: ${{ vars.takes }}'],
    ['a mode from a template', 'mode: ${{ vars.mode }}'],
    ['needs and tags from templates', 'needs: ${{ vars.needs }}\ntags: ["${{ vars.tag }}"]'],
    ['tokens of an output', 'output: a/${{ pad(n, 3) }}_${{ take }}'],
    ['a silenced warning', 'lint: [no-effect, cut-text]'],
    [
      'an override with own keys',
      'matrix: { hue: [red] }\noverride: [{ match: { hue: red }, takes: 2, duration: 5 }]',
    ],
  ])('about %s', (_what, lines) => {
    expect(complaints(job(`model: famc-v3\nprompt: x\n${lines}`))).toEqual([])
  })
})

function complaints(yaml: string): string[] {
  // As the checks read it: keys once, merge keys merged.
  return validate(parse(yaml, { merge: true, uniqueKeys: false }))
    ? []
    : (validate.errors ?? []).map(found => `${found.instancePath}${extra(found)} ${found.keyword}`)
}
