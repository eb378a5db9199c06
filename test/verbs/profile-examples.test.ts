import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemRecord } from '../../src/base/diagnostic.ts'
import { checkProfile } from '../../src/verbs/profile-check.ts'
import { readSource } from '../services/catalogs.ts'
import { project } from '../services/run.ts'
import { shapes } from '../services/shapes.ts'

const names = Object.keys(shapes)

test.each(names)('the profile "%s" sends the requests of its documentation, byte for byte', async name => {
  const cwd = await project()
  const own = readSource(join(cwd, `${name}.catalog.yaml`))
  const checked = checkProfile({ path: `${name}.profile.yaml`, cwd, own })
  expect(checked.problems).toEqual([])
  expect(checked.examples.length).toBeGreaterThan(0)
  expect(checked.says.find(({ key }) => key === 'source')?.says).toMatch(
    /; read 2026-\d\d-\d\d; tried against a double$/,
  )
})

test.each<[string, string, string, string, string?]>([
  [
    'another value of a form',
    '8\n      --lantern--',
    '9\n      --lantern--',
    'line 16 is sent as "8", and the example has "9"',
    'content-request',
  ],
  [
    'a part more in a form',
    'seconds"\n\n      8\n      --lantern--',
    'seconds"\n\n      8\n      --lantern\n      Content-Disposition: form-data; name="n"\n\n      1\n      --lantern--',
    'line 17 is sent as "--lantern--", and the example has "--lantern"',
    'content-request',
  ],
  [
    'less than the end of a form',
    '8\n      --lantern--',
    '8',
    'line 17 is sent as "--lantern--", and the example has ""',
    'content-request',
  ],
  [
    'a form without its boundary',
    'body: | # as curl writes `-F`; lines end as the wire has them\n      --lantern\n',
    'body: |\n',
    'a form of parts begins with `--` and its boundary',
    'content-request',
  ],
  [
    'another value',
    '"guidance":4.5',
    '"guidance":5',
    'what is sent is {"version":"5c7d1e","input":{"prompt":"a lantern in fog","guidance":4.5}}',
  ],
  [
    'another address',
    'order: POST /v1/predictions',
    'order: POST /v2/predictions',
    'this order goes to POST /v1/predictions',
  ],
  ['another model', 'model: sketch/lines:5c7d1e', 'model: sketch/lines', 'no model is called sketch/lines'],
  [
    'a mapping that differs',
    `body: '{"version":"5c7d1e","input":{"prompt":"a lantern in fog","guidance":4.5}}'`,
    'body: { version: 5c7d1e, input: { prompt: a lantern in fog, guidance: 4 } }',
    '/input/guidance is sent as 4.5, and the example has 4',
  ],
  [
    'keys in another order',
    `body: '{"version":"5c7d1e","input":{"prompt":"a lantern in fog","guidance":4.5}}'`,
    'body: { input: { prompt: a lantern in fog, guidance: 4.5 }, version: 5c7d1e }',
    'the body is sent as "version input", and the example has "input version"',
  ],
  [
    'parameters in another order than a job sends them',
    `params: { prompt: a lantern in fog, guidance: 4.5 }
    order: POST /v1/predictions
    body: '{"version":"5c7d1e","input":{"prompt":"a lantern in fog","guidance":4.5}}'`,
    `params: { guidance: 4.5, prompt: a lantern in fog }
    order: POST /v1/predictions
    body: '{"version":"5c7d1e","input":{"guidance":4.5,"prompt":"a lantern in fog"}}'`,
    'what is sent is {"version":"5c7d1e","input":{"prompt":"a lantern in fog","guidance":4.5}}',
  ],
])('an example with %s is told at its place', async (_, from, to, message, name = 'predictions') => {
  const cwd = await project()
  const path = `${name}.profile.yaml`
  const text = readFileSync(join(cwd, path), 'utf8')
  const [before, after = ''] = text.split('\nexamples:')
  writeFileSync(join(cwd, path), `${before}\nexamples:${after.replace(from, to)}`)
  const own = readSource(join(cwd, `${name}.catalog.yaml`))
  const { ok, problems } = checkProfile({ path, cwd, own })
  const [told] = problems.map(problemRecord)
  expect(ok).toBe(false)
  expect(told).toMatchObject({ code: 'bad-profile', message, line: expect.any(Number) })
  const lines = readFileSync(join(cwd, path), 'utf8').split('\n')
  const place = name === 'predictions' ? to.split('\n').at(-1) : 'body: |'
  expect(lines[(told?.line ?? 0) - 1]).toContain(place)
})

test('files asked for by an id, where runs are known by an address, go nowhere', async () => {
  const cwd = await project()
  const own = readSource(join(cwd, 'predictions.catalog.yaml'))
  const text = (content: string) => `endpoints: { order: POST /r, content: "GET ${content}/files" }
mode: { '*': submit }
response: { poll: Location, status: /state, running: [1, 2], succeeded: 3, failed: 4 }
`
  const check = (content: string) => {
    writeFileSync(join(cwd, 'r.profile.yaml'), text(content))
    return checkProfile({ path: 'r.profile.yaml', cwd, own }).problems.map(problemRecord)
  }
  expect(check('/r/${{ id }}')).toMatchObject([
    {
      line: 1,
      message: expect.stringContaining('runs are known here by the address that `response.poll` names'),
    },
  ])
  expect(check('${{ id }}')).toEqual([])
})

test('every request is shown: those that are asked after an order, and those of the documentation', () => {
  const cwd = join(import.meta.dirname, '../../examples/services')
  const own = readSource(join(cwd, 'predictions.catalog.yaml'))
  const { further, examples } = checkProfile({ path: 'predictions.profile.yaml', cwd, own })
  expect(further).toEqual([
    { is: 'result', asks: 'GET the address at /urls/get, else GET /v1/predictions/<id>' },
    { is: 'cancel', asks: 'POST <id>/cancel' },
    { is: 'list', asks: 'GET /v1/predictions' },
  ])
  expect(examples.map(({ path, body }) => [path, body])).toEqual([
    ['/v1/predictions', { version: '5c7d1e', input: { prompt: 'a lantern in fog', guidance: 4.5 } }],
    ['/v1/predictions', { version: '90ab44', input: { prompt: 'a lantern in fog', aspect_ratio: '16:9' } }],
  ])
})
