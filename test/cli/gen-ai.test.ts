import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../src/base/names.ts'
import { type Model, modelIds, models, type Param } from '../../src/catalog/index.ts'
import { main } from '../../src/cli/main.ts'
import { longFlag } from '../../src/forms/flags.ts'
import { filledJson } from '../../src/manifest/shapes/filled.ts'
import { askOfFlags } from '../../src/run/one-shot/ask-flags.ts'
import { fakeSurroundings } from './fake.ts'

const specification = readFileSync(join(import.meta.dirname, '..', 'fixtures', 'service.md'), 'utf8')

async function genrun(words: readonly string[]) {
  const around = fakeSurroundings({})
  const code = await main(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}

/** The last value that a parameter takes, as it stands on a command line. */
function wordOf(param: Param): { readonly words: readonly string[]; readonly value: Json } {
  switch (param.type) {
    case 'text':
      return { words: ['two words'], value: 'two words' }
    case 'enum': {
      const last = param.values.at(-1) ?? ''
      return { words: [String(last)], value: last }
    }
    case 'boolean':
      return { words: [String(!param.default)], value: String(!param.default) }
    case 'integer':
    case 'number':
      return { words: [String(param.maximum)], value: String(param.maximum) }
    case 'file': {
      const link = 'https://a.example/f'
      return { words: [link], value: param.maxItems === undefined ? link : [link] }
    }
    case 'object[]': {
      const [member = ''] = param.members
      const item = { [member]: member.endsWith('_url') ? 'https://a.example/m' : 1 }
      return { words: [JSON.stringify(item)], value: [item] }
    }
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

function lineOf(model: Model, flagOf: (name: string, param: Param) => string): string[] {
  return Object.entries(model.params).flatMap(([name, param]) => [
    flagOf(name, param),
    ...wordOf(param).words,
  ])
}

const forms: readonly [string, (name: string, param: Param) => string][] = [
  ['the short flags of the specification', (_, param) => param.flag],
  ['every --kebab-case form', name => longFlag(name)],
]

test.each(modelIds.flatMap(id => forms.map(([form, flagOf]) => [id, form, flagOf] as const)))(
  'gen-ai generate takes all of %s by %s',
  async (id, _, flagOf) => {
    const model: Model = models[id]
    const line = lineOf(model, flagOf)
    const words = line.map((text, nth) => ({ file, start: nth, end: nth + 1, text }))
    const { ask, problems } = askOfFlags({ file, model: { ...at, text: id }, words }, noTexts)
    expect(problems).toEqual([])
    const read = ask?.params.map(({ key, value }) => [key.source, filledJson(value, () => null)]) ?? []
    expect(Object.fromEntries(read)).toEqual(
      Object.fromEntries(Object.entries(model.params).map(([name, param]) => [name, wordOf(param).value])),
    )
    const checked = await genrun(['gen-ai', 'generate', '--check', '-m', id, ...line])
    expect({ code: checked.code, said: checked.code === 0 ? '' : checked.stdout }).toEqual({
      code: 0,
      said: '',
    })
    const priced = await genrun(['gen-ai', 'pricing', id, ...line])
    expect(priced).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} costs by`) })
  },
)

const file = { name: 'line', text: 'a line of many words, which stand where they stand'.repeat(4) }
const at = { file, start: 0, end: 1 }
const noTexts = { read: () => ({ problem: 'no files here' }), stdin: () => ({ problem: 'no pipe here' }) }

test.each(modelIds)(
  'gen-ai models info %s --json tells every parameter that the specification has',
  async id => {
    const { code, stdout } = await genrun(['gen-ai', 'models', 'info', id, '--json'])
    const { params } = JSON.parse(stdout) as { params: { name: string; flag: string }[] }
    expect(code).toBe(0)
    expect(params.map(({ name }) => name)).toEqual(Object.keys(models[id].params))
    // Each row stands in the specification with this flag, if in another model's table.
    for (const { name, flag } of params) expect(specification).toContain(`| ${name} | ${flag} |`)
  },
)

test.each<[string[], string]>([
  [
    ['generate', '-m', 'fama-imagine-image', '-p', 'A fox', '--ar', '16:9', '-n', '2', '--check'],
    'this job is valid',
  ],
  [['models', 'info', 'famc-v3'], 'famc-v3: V3'],
  [['pricing', 'famc-v3', '-d', '10'], 'famc-v3 costs by'],
])("the client's line gen-ai %j works", async (words, expected) => {
  expect(await genrun(['gen-ai', ...words])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(expected),
  })
})
