import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { checkManifest } from '../../src/manifest/check.ts'
import fc from '../cases.ts'
import { projectOf } from './project.ts'

// Jobs that a program makes, written by a program in many ways: they are read as the same jobs.

const pieces = [
  ': ',
  ' #',
  '#1',
  '"',
  "'",
  '\\',
  '- ',
  '\n',
  '\n\n',
  '  ',
  '&a',
  '*a',
  '!t',
  '%',
  '@',
  '`',
  '|',
  '>',
  '[',
  '}',
  ',',
  '? ',
]
const words = [
  'yes',
  'no',
  'null',
  '~',
  '16:9',
  '007',
  '1e3',
  '.5',
  '0x1f',
  '2026-11-21',
  '${{',
  '}}',
  '{{ a }}',
  '…',
  '茶',
  '💧',
  'é',
  'tea',
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces, ...words), fc.string({ maxLength: 6 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map(parts => parts.join(''))
  .filter(made => made.trim() !== '')
const word = fc.constantFrom(...words, 'shop', 'a b', '5').filter(made => !made.includes('{{'))

const job = fc.record(
  {
    prompt: text,
    aspectRatio: fc.constantFrom('16:9', '1:1', '19.5:9'),
    count: fc.constantFrom(1, 2, 4),
    takes: fc.integer({ min: 1, max: 3 }),
    tags: fc.uniqueArray(word, { maxLength: 3 }),
  },
  { requiredKeys: ['prompt'] },
)
const jobs = fc.dictionary(fc.stringMatching(/^j[a-z_]{0,8}$/), job, { minKeys: 1, maxKeys: 5 })

type Jobs = typeof jobs extends fc.Arbitrary<infer Made> ? Made : never

/** As the jobs should come out, by nothing but the rules of the manifest. */
function expected(written: Jobs) {
  return Object.entries(written).flatMap(([id, { takes = 1, tags = [], ...params }]) =>
    Array.from({ length: takes }, (_, index) => ({
      address: index === 0 ? id : `${id}#${index + 1}`,
      model: 'fama-imagine-image',
      params: { ...params, prompt: params.prompt.trim() },
      tags,
    })),
  )
}

/** A literal `${{` is written as an expression. */
function manifestOf(written: Jobs): object {
  const entries = Object.entries(written).map(([id, { prompt, ...rest }]) => {
    const escaped = prompt.replaceAll('${{', "${{ '${{' }}")
    return [id, { model: 'fama-imagine-image', prompt: escaped, ...rest }] as const
  })
  return { jobs: Object.fromEntries(entries) }
}

const ways: { readonly [name: string]: (manifest: object) => string } = {
  blocks: manifest => stringify(manifest),
  'blocks without folding': manifest => stringify(manifest, { lineWidth: 0, indent: 4 }),
  'literal blocks': manifest => stringify(manifest, { blockQuote: 'literal', lineWidth: 20 }),
  'double quotes': manifest =>
    stringify(manifest, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
  'single quotes': manifest => stringify(manifest, { defaultStringType: 'QUOTE_SINGLE' }),
  brackets: manifest => stringify(manifest, { collectionStyle: 'flow' }),
  JSON: manifest => JSON.stringify(manifest),
  'JSON over lines': manifest => JSON.stringify(manifest, undefined, 2),
}

/** Now and then the writer makes a text that it cannot read itself, or would read as something else. */
function meansTo(made: string, manifest: object): boolean {
  try {
    return isDeepStrictEqual(parse(made), manifest)
  } catch {
    return false
  }
}

test.each(Object.keys(ways))('jobs written as %s are read as they were meant', way => {
  fc.assert(
    fc.property(jobs, written => {
      const manifest = manifestOf(written)
      const made = ways[way]?.(manifest) ?? ''
      fc.pre(meansTo(made, manifest))
      const file = { name: 'made.yaml', text: made }
      const { value, problems } = checkManifest(file, projectOf({}))
      expect(problems.filter(problem => problem.severity === 'error')).toEqual([])
      const read = value?.jobs.map(({ address, model, params, tags }) => ({
        address,
        model: model.id,
        params,
        tags,
      }))
      expect(read).toEqual(expected(written))
    }),
    { numRuns: 150 },
  )
})
