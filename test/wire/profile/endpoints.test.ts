import { describe, expect, test } from 'vitest'
import { problemRecord } from '../../../src/base/diagnostic.ts'
import { type RunId, runId } from '../../../src/base/names.ts'
import { endpointsOf } from '../../../src/wire/profile/endpoints.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import { readProfile } from '../../../src/wire/profile/profile-file.ts'

const id = (text: string): RunId => runId(text) ?? expect.fail('no id')
const read = (text: string) => readProfile({ name: 'p.yaml', text })
const profile = (text: string) =>
  read(text).value ?? expect.fail(JSON.stringify(read(text).problems.map(problemRecord)))
const where = (asking: { url: URL } | { problem: string } | undefined) =>
  asking && ('url' in asking ? asking.url.href : asking.problem)

const builtIn = endpointsOf(gwV2, new URL('https://api.example/v1/gw-v2/'))
const unnamed = 'its name cannot stand in an address'

test.each([
  ['famc-v3', 'r1', 'https://api.example/v1/gw-v2/workflows/famc-v3/r1/result'],
  ['image/teapot', '../../x', 'https://api.example/v1/gw-v2/workflows/image/teapot/..%2F..%2Fx/result'],
  ['famc-v3', '%2e%2e', 'https://api.example/v1/gw-v2/workflows/famc-v3/%252e%252e/result'],
  ['famc-v3', 'a?b#c', 'https://api.example/v1/gw-v2/workflows/famc-v3/a%3Fb%23c/result'],
  ['%2e%2e/x', 'r1', 'https://api.example/v1/gw-v2/workflows/%252e%252e/x/r1/result'],
  ['a\\..\\b', 'r1', 'https://api.example/v1/gw-v2/workflows/a%5C..%5Cb/r1/result'],
  ['https://evil.example', 'r1', unnamed],
  ['..', 'r1', unnamed],
  ['a/./b', 'r1', unnamed],
])('the result of workflow %s and id %s stays under the base address', (workflow, run, href) => {
  expect(where(builtIn.result({ workflow, id: id(run) }))).toBe(href)
})

describe('endpoints of a profile', () => {
  const text = `
endpoints:
  order: PUT /v1/\${{ workflow }}:generate?api-version=2025-01&size=\${{ params.aspectRatio }}&plain
  result: /v1/runs/\${{ id }}
  content: GET /v1/runs/\${{ id }}/content?of=\${{ workflow }}
`
  const { order, result, content } = endpointsOf(profile(text), new URL('https://api.example/x'))
  const asked = { mode: 'submit', workflow: 'films/new', model: 'famc-v3' } as const

  test('are filled with what a job brings, encoded', () => {
    expect(where(order({ ...asked, params: { aspectRatio: '16:9' } }))).toBe(
      'https://api.example/x/v1/films/new:generate?api-version=2025-01&size=16%3A9&plain',
    )
    expect(where(result({ workflow: 'w', id: id('a/b?c') }))).toBe('https://api.example/x/v1/runs/a%2Fb%3Fc')
    expect(where(content({ workflow: 'a b', id: id('7') }))).toBe(
      'https://api.example/x/v1/runs/7/content?of=a%20b',
    )
  })

  test('leave out of the query what is not given', () => {
    expect(where(order({ ...asked, params: {} }))).toBe(
      'https://api.example/x/v1/films/new:generate?api-version=2025-01&plain',
    )
  })

  test.each([
    ['../keys', 'workflow', unnamed],
    ['a/%2e%2e/b', 'workflow', 'https://api.example/x/v1/a/%252e%252e/b:generate?api-version=2025-01&plain'],
    ['', 'workflow', unnamed],
  ])('never lead out of the base address by a workflow %j', (workflow, _, told) => {
    expect(where(order({ ...asked, workflow, params: {} }))).toBe(told)
  })

  test('have no place for what was submitted when they name none: then nothing is submitted', () => {
    const given = profile("endpoints: { order: 'POST /v1/images' }")
    const only = endpointsOf(given, new URL('https://api.example'))
    expect(where(only.order({ ...asked, params: {} }))).toBe(
      'the profile says nowhere to ask for what was submitted',
    )
    expect(where(only.order({ ...asked, mode: 'execute', params: {} }))).toBe('https://api.example/v1/images')
  })
})

describe('a run that is known by an address', () => {
  const given = profile(
    "endpoints: { order: /v1/runs, result: '/v1/runs/${{ id }}' }\nresponse: { poll: /urls/get }",
  )
  const { result } = endpointsOf(given, new URL('https://api.example/v1'), ['https://eu.example'])
  test.each([
    ['https://api.example/v1/runs/7?api-version=2', 'https://api.example/v1/runs/7?api-version=2'],
    ['/v9/runs/7', 'https://api.example/v9/runs/7'],
    ['operations/7', 'https://api.example/v1/operations/7'],
    ['https://eu.example/get?id=7', 'https://eu.example/get?id=7'],
    ['7', 'https://api.example/v1/v1/runs/7'],
    [
      'https://evil.example/get?id=7',
      'the service says to ask at https://evil.example, which is not the service; if that is the service, say so outside of the project: GENRUN_UPLOAD_ORIGINS=https://evil.example',
    ],
    [
      '//evil.example/7',
      'the service says to ask at https://evil.example, which is not the service; if that is the service, say so outside of the project: GENRUN_UPLOAD_ORIGINS=https://evil.example',
    ],
    ['https://user:word@api.example/7', 'its address holds a user name'],
  ])('%s is asked for at %s', (known, href) => {
    expect(where(result({ workflow: 'w', id: id(known) }))).toBe(href)
  })
})

describe('what is wrong with an endpoint is told at its place', () => {
  const told = (line: string) =>
    read(`endpoints:\n  order: /v1/x\n  result: ${line}\n`).problems.map(problem => {
      const { line: at, column, message } = problemRecord(problem)
      return `${at}:${column}: ${message}`
    })
  test.each([
    ['POST /v1/x', '3:11: `result` is asked by GET'],
    ['v1/x', '3:11: `result` is a path that begins with /'],
    ['https://api.example/v1', '3:11: `result` is a path that begins with /'],
    ['//evil.example/v1', '3:11: `result` holds what cannot stand in a path'],
    ['/a b', '3:11: `result` holds what cannot stand in a path'],
    ['/a/../b', '3:11: `result` holds what cannot stand in a path'],
    ["'/a#b'", '3:11: `result` holds what cannot stand in a path'],
    ["'/a?b c'", '3:11: `result` holds what cannot stand in a query'],
    ["'/a?=1'", '3:11: `result` has a query without a name'],
    ["'/a/${{ params.prompt }}'", '3:19: `params` is not known in a profile'],
    ["'/a/${{ ident }}'", '3:19: `ident` is not known in a profile'],
    ["'${{ id }}'", '3:11: `result` is a path that begins with /'],
    ['5', '3:11: `result` is text'],
  ])('%s', (line, message) => {
    expect(told(line)).toEqual([message])
  })
})

test.each([
  ['DELETE ${{ id }}', '/render/41?v=2', 'https://api.example/render/41?v=2'],
  ['POST ${{ id }}:cancel', '/render/41', 'https://api.example/render/41:cancel'],
  ['POST ${{ id }}/cancel?now=1', '/render/41?v=2', 'https://api.example/render/41/cancel?now=1'],
  ['POST /runs/${{ id }}/cancel', '41', 'https://api.example/x/runs/41/cancel'],
])('a run is given up by %s: %s at %s', (cancel, run, href) => {
  const rules = profile(`endpoints: { order: POST /r, cancel: "${cancel}" }\nresponse: { poll: Location }`)
  const asked = endpointsOf(rules, new URL('https://api.example/x'))
  expect(where(asked.cancel({ workflow: 'w', id: id(run) }))).toBe(href)
})

describe('files below the address that a run is known by', () => {
  const text =
    'endpoints: { order: POST /r, content: "GET ${{ id }}/files?all=1" }\nresponse: { poll: Location }'
  const { content } = endpointsOf(profile(text), new URL('https://api.example/x'), ['https://eu.example'])

  test.each([
    ['/render/41', 'https://api.example/render/41/files?all=1'],
    ['/render/41/?v=2', 'https://api.example/render/41/files?all=1'],
    ['https://eu.example/r/7', 'https://eu.example/r/7/files?all=1'],
    ['41', 'it is known by no address, and its files are asked for below one'],
    [
      'https://evil.example/r/7',
      'the service says to ask at https://evil.example, which is not the service; if that is the service, say so outside of the project: GENRUN_UPLOAD_ORIGINS=https://evil.example',
    ],
  ])('%s is asked for at %s', (run, href) => {
    expect(where(content({ workflow: 'w', id: id(run) }))).toBe(href)
  })

  test.each([
    ['order: "POST ${{ id }}/x"', '`id` is not known in a profile'],
    ['order: POST /r, result: "GET ${{ id }}/x"', '`result` is a path that begins with /'],
    ['order: POST /r, content: "GET ${{ workflow }}/x"', '`content` is a path that begins with /'],
  ])('no other address begins with an expression: %s', (endpoints, message) => {
    const { problems } = read(`endpoints: { ${endpoints} }`)
    expect(problems.map(problem => problem.message)).toContain(message)
  })
})
