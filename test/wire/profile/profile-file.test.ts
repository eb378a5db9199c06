import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { problemRecord } from '../../../src/base/diagnostic.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import type { Profile } from '../../../src/wire/profile/profile.ts'
import { readProfile } from '../../../src/wire/profile/profile-file.ts'
import { publishedProfileSchema } from '../../../src/wire/profile/profile-schema.ts'

const read = (text: string) => readProfile({ name: 'acme.profile.yaml', text })

function profile(text: string): Profile {
  const { value, problems } = read(text)
  return value ?? expect.fail(JSON.stringify(problems.map(problemRecord)))
}

/** As `line:column: message, hint`. */
function told(text: string): string[] {
  return read(text).problems.map(problem => {
    const { line, column, message, hint } = problemRecord(problem)
    return `${line}:${column}: ${message}${hint ? `; ${hint}` : ''}`
  })
}

test('a profile that says nothing is the built-in one under its own name', () => {
  expect(profile('name: acme')).toEqual({ ...gwV2, name: 'acme' })
})

test('the built-in profile keeps the rules of a file, and says everything itself', () => {
  const { upload: _none, workflow: _ids, mode: _usual, endpoints: _asBelow, response, ...rest } = gwV2
  const { words, ...places } = response
  const endpoints = {
    order: 'POST /workflows/${{ workflow }}/${{ mode }}',
    result: 'GET /workflows/${{ workflow }}/${{ id }}/result',
  }
  const text = JSON.stringify({ ...rest, endpoints, request: asWritten, response: { ...places, ...words } })
  const { value, problems } = readProfile({ name: 'gw-v2.json', text })
  expect(problems).toEqual([])
  expect(shapeOf(value)).toEqual(shapeOf(gwV2))
  expect(gwV2.response.id).toHaveLength(33)
  expect(gwV2.response.rejectedContent).toContain('\\bnsfw\\b')
  expect(Object.keys(gwV2.refused)).toHaveLength(25)
  expect(Object.keys(gwV2.refused)).not.toContain('503')
})

/** Without the places of expressions in their text: the built-in profile stands in none. */
function shapeOf(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each) => (key === 'start' || key === 'end' ? undefined : each)),
  )
}

/** Rules for models are a mapping in a file, and it has none. */
const { body: _none, models: _others, ...asWritten } = gwV2.request

test('every key is read', () => {
  const given = profile(`
name: acme
workflow:
  famc-v3:
    - { when: { given: startFrame }, use: video/from-image }
    - { use: 'video/\${{ model }}' }
  famb-*: images
mode: { famb-*: submit }
request:
  envelope: [input, params]
  model: none
  case: snake
  rename: { duration: lengthSeconds }
  values: { aspectRatio: { '16:9': 16x9 }, duration: text, imageUrls: single }
  defaults: send
  constants: { version: 2 }
  body: { famc-t2a: { text: '\${{ params.prompt }}' } }
  files: { as: base64, upTo: 0 }
upload: { url: files, field: media, fields: { purpose: input }, urlAt: /data/link }
response:
  id: /task
  status: [/task/state]
  running: [ready]
  failed: [sad]
  pending: 404
  outputs: /task/files
  progress: /task/done
  credits: /task/cost
  error: /task/why
  rejectedContent: [code 4001]
refused: { 503: with-retry-after, 409: never }
idempotency: { header: X-Once, honoured: true, ttl: 24h }
headers: { X-Client: genrun }
`)
  expect(given).toMatchObject({
    name: 'acme',
    workflow: [
      { model: 'famc-v3', when: { given: ['startFrame'] } },
      { model: 'famc-v3' },
      { model: 'famb-*', use: { is: 'value', value: 'images' } },
    ],
    mode: [{ model: 'famb-*', use: 'submit' }],
    request: {
      envelope: ['input', 'params'],
      model: undefined,
      case: 'snake',
      rename: { duration: 'lengthSeconds' },
      values: { aspectRatio: { '16:9': '16x9' }, duration: 'text', imageUrls: 'single' },
      defaults: 'send',
      constants: { version: 2 },
      files: { as: 'base64', upTo: 0 },
    },
    upload: { url: 'files', field: 'media', fields: { purpose: 'input' }, urlAt: ['/data/link'] },
    response: { id: ['/task'], identity: ['/task'], pending: [404], outputs: ['/task/files'] },
    idempotency: { header: 'X-Once', honoured: true, ttlMs: 86_400_000 },
    headers: { 'X-Client': 'genrun' },
  })
  expect(given.refused[503]).toBe('with-retry-after')
  expect(given.refused[429]).toBe('always')
  expect(given.refused[409]).toBe('never')
})

test('a word stands in one list: naming it moves it', () => {
  const { words } = profile('response: { running: [Ready, percolating] }').response
  expect(words.running).toContain('percolating')
  expect(words.running).toContain('queued')
  expect(words.succeeded).not.toContain('ready')
  expect(words.succeeded).toContain('done')
})

describe('what is wrong is told at its place', () => {
  test.each<[string, string, string[]]>([
    ['an unknown key', 'reqest: {}', ['1:1: `reqest` is no key of a profile; did you mean request']],
    [
      'an unknown key within',
      'request:\n  envelop: params',
      ['2:3: `envelop` is no key of `request`; did you mean envelope'],
    ],
    [
      'an unknown key of a mapping with few',
      'request: { files: { how: base64 } }',
      ['1:21: `how` is no key of `files`; there are as, upTo and made'],
    ],
    [
      'a word that is none of the choices',
      'request: { case: snak }',
      ['1:18: `case` is camel, snake or kebab; did you mean snake'],
    ],
    [
      'a place in another notation',
      'response:\n  id: $.data.items[0].id',
      ['2:7: `id` is a JSON pointer; write /data/items/0/id'],
    ],
    ['a number for a text', 'request: { envelope: 5 }', ["1:22: `envelope` is text; put it in quotes: '5'"]],
    ['a key without a value', 'request:', ['1:1: `request` has no value; write one, or remove the key']],
    ['a list at the top', '- a', ['1:1: a profile is a mapping']],
    [
      'a parameter that no model has',
      'request: { rename: { aspectRato: ratio } }',
      ['1:22: no model has a parameter aspectRato; did you mean aspectRatio'],
    ],
    [
      'a parameter in a template',
      "request:\n  body:\n    famc-v3: { text: 'a ${{ params.promt }}' }",
      ['3:36: no model has a parameter promt; did you mean prompt'],
    ],
    [
      'another name in a template',
      "workflow: { famc-v3: 'x/${{ env.HOME }}' }",
      ['1:29: `env` is not known in a profile; params.<name>, model and mode can be read here'],
    ],
    [
      'a function in a template',
      "workflow: { famc-v3: '${{ lower(model) }}' }",
      ['1:27: a profile has no function lower'],
    ],
    [
      'a rule that uses nothing',
      'mode: { famc-v3: [{ when: { given: prompt } }, { use: submit }] }',
      ['1:19: a rule says what to `use`'],
    ],
    [
      'a status that cannot refuse',
      'refused: { 200: always }',
      ['1:12: 200 is no status that can refuse an order; there are 300 to 599'],
    ],
    [
      'a word in two lists',
      'response: { running: [wait], failed: [Wait] }',
      ['1:1: the word Wait is both running and failed'],
    ],
    [
      'an upload without address',
      'upload: { field: file }',
      [
        '1:9: `upload` needs `url`; url: where files are sent: relative to the base address, or at an origin that the user allows',
      ],
    ],
    [
      'a key among the headers',
      'headers: { Authorization: x }',
      ['1:12: a profile never carries a key; the key comes from GENRUN_API_KEY'],
    ],
    [
      'a key by another name',
      'headers: { X-Api-Key: x }',
      ['1:12: a profile never carries a key; the key comes from GENRUN_API_KEY'],
    ],
    [
      'a key by its form',
      'headers: { X-Who: Bearer x }',
      ['1:12: a profile never carries a key; the key comes from GENRUN_API_KEY'],
    ],
    ['a header of HTTP', 'headers: { Host: x }', ["1:12: the header Host is genrun's own"]],
    [
      'a length of time without unit',
      'idempotency: { ttl: 24 }',
      ['1:21: `ttl` is a length of time; write it like 90s, 15m, 24h or 7d'],
    ],
    [
      'a pattern that is none',
      "response: { rejectedContent: '(' }",
      [
        '1:30: `rejectedContent` is no regular expression; plain words are enough: they are found by any case, anywhere in the message',
      ],
    ],
    ...[`'${'a?'.repeat(60)}${'a'.repeat(60)}b'`, `'${'(a|aa)'.repeat(28)}b'`].map(
      (pattern): [string, string, string[]] => [
        `a pattern of too many ways: ${pattern.slice(0, 9)}`,
        `response: { rejectedContent: ${pattern} }`,
        [
          '1:30: `rejectedContent` can be read in too many ways, which can take for ever; plain words are enough: they are found by any case, anywhere in the message',
        ],
      ],
    ),
    [
      'a pattern that can take for ever',
      "response: { rejectedContent: '(a+)+$' }",
      [
        '1:30: `rejectedContent` repeats a group, which can take for ever; plain words are enough: they are found by any case, anywhere in the message',
      ],
    ],
  ])('%s', (_, text, problems) => {
    expect(told(text)).toEqual(problems)
    expect(read(text).value).toBeUndefined()
  })

  test('but a model that is not built in is a warning: the service has more', () => {
    const text = 'workflow: { famc-v9: x }'
    expect(told(text)).toEqual(['1:13: no model is called famc-v9; did you mean famc-v3'])
    expect(read(text).value).toBeDefined()
  })
})

// `UPDATE=1 npx vitest run test/wire/profile/profile-file.test.ts` writes it anew.
test('the schema that is checked in is the one the forms give', () => {
  const [path, text] = publishedProfileSchema()
  const file = fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  if (process.env.UPDATE === '1') writeFileSync(file, text)
  expect(existsSync(file) ? readFileSync(file, 'utf8') : 'no file').toBe(text)
})

test('a value that no model takes is told, with the nearest', () => {
  const text =
    "request: { values: { aspectRatio: { '16-9': 16x9, '1:1': 1x1 }, count: { 2: two }, prompt: { a: b } } }\n"
  const { value, problems } = readProfile({ name: 'p.yaml', text })
  expect(value).toBeDefined()
  expect(problems.map(({ message, hint, severity }) => [severity, message, hint])).toEqual([
    ['warning', 'no model takes 16-9 for aspectRatio', 'did you mean 16:9'],
  ])
})
