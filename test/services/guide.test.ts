import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { blocksOf, textOf } from '../docs/pages.ts'
import { begin, type Shape } from './double.ts'
import { shapes } from './shapes.ts'

/** The lines of the last step, as they stand on the page. */
function lines(): { readonly names: readonly string[]; readonly command: string } {
  const step = blocksOf(textOf('docs/services.md')).find(({ body }) => body.includes('export '))?.body ?? ''
  const names = [...step.matchAll(/^export (\w+)=/gm)].map(match => match[1] ?? '')
  return { names, command: /^genrun (.*)$/m.exec(step)?.[1] ?? expect.fail('no command') }
}

// What only needs genrun itself is lived by test/docs; here is the service that the page speaks of.
test('the guide, followed as it is written, makes the file with one paid order', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'guide-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  for (const { file, body } of blocksOf(textOf('docs/services.md')))
    if (file !== undefined) writeFileSync(join(cwd, file), body)
  const double = await begin(shapes.predictions)
  writeFileSync(join(cwd, 'key'), `${double.key}\n`, { mode: 0o600 })
  const { names, command } = lines()
  expect(names).toEqual(['GENRUN_BASE_URL', 'GENRUN_API_KEY_FILE'])
  const env = { GENRUN_BASE_URL: double.origin, GENRUN_API_KEY_FILE: join(cwd, 'key'), HOME: cwd }
  const around = fakeSurroundings({ cwd, env })
  const code = await main(command.split(' '), around)
  expect({ code, said: code === 0 ? '' : around.stderr.text() }).toEqual({ code: 0, said: '' })
  expect(double.unknown).toEqual([])
  expect(double.orders.map(({ body }) => body)).toEqual([
    { version: '5c7d1e', input: { prompt: 'A harbour in pencil', guidance: 4.5 } },
  ])
  expect(existsSync(join(cwd, 'out/sketch/harbour.png')) || existsSync(join(cwd, 'out/harbour.png'))).toBe(
    true,
  )
})

/** A service that no ready profile speaks to: forms, a header of its own, states as numbers, files in a list of objects. */
const kiln: Shape = {
  auth: ['x-kiln-token', key => key],
  denied: { status: 403, json: { firing: null, trouble: 'who are you' } },
  busy: { status: 503, json: { firing: null, trouble: 'the kiln is full' } },
  answer({ method, path, headers, bytes }, shop) {
    const shown = (ref: string, phase: number, more = {}) => ({ firing: { ref, phase, ...more } })
    if (method === 'POST' && path === '/api/firings') {
      if (headers['content-type'] !== 'application/x-www-form-urlencoded') return { status: 415, json: {} }
      const fields = Object.fromEntries(new URLSearchParams(bytes.toString()))
      return { status: 202, json: shown(shop.take(fields).id, 1) }
    }
    const ordered = shop.find(/^\/api\/firings\/(\w+)$/.exec(path)?.[1])
    if (method !== 'GET' || !ordered) return undefined
    if (ordered.asked++ < 1) return { json: shown(ordered.id, 2, { share: 0.4 }) }
    return { json: shown(ordered.id, 3, { tiles: [{ href: shop.link('png'), glaze: 'celadon' }] }) }
  },
}

/** What its documentation publishes. */
const openapi = {
  openapi: '3.0.3',
  info: { title: 'Kiln', version: '1' },
  paths: {
    '/api/firings': {
      post: {
        operationId: 'tile',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['text'],
                properties: {
                  text: { type: 'string', maxLength: 400 },
                  glaze: { type: 'string', enum: ['celadon', 'ash'], default: 'ash' },
                },
              },
            },
          },
        },
        responses: { 202: { description: 'taken' } },
      },
    },
  },
}

/** The five questions of the page, answered for it; and its documentation's example. */
const kilnProfile = `name: kiln
endpoints:
  order: POST /api/firings
  result: GET /api/firings/\${{ id }}
auth: { header: x-kiln-token }
mode: { '*': submit }
request: { as: form, envelope: [], model: none }
response:
  id: /firing/ref
  status: /firing/phase
  running: [1, 2]
  succeeded: 3
  outputs: /firing/tiles
examples:
  - model: tile
    params: { text: a small bowl, glaze: ash }
    order: POST /api/firings
    body: text=a+small+bowl&glaze=ash
`

test('a service of a shape that is new is brought by the lines of the guide, with other names', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'guide-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const double = await begin(kiln)
  writeFileSync(join(cwd, 'key'), double.key, { mode: 0o600 })
  const env = { GENRUN_BASE_URL: double.origin, GENRUN_API_KEY_FILE: join(cwd, 'key'), HOME: cwd }
  const page = textOf('docs/services.md')
  const typed = async (line: string) => {
    expect(page).toContain(line)
    const words = line
      .replaceAll('sketch/lines:5c7d1e', 'tile')
      .replaceAll('sketch', 'kiln')
      .split(' ')
      .slice(1)
    const around = fakeSurroundings({ cwd, env })
    const code = await main(words, around)
    expect({ line, code }, around.stderr.text()).toEqual({ line, code: 0 })
    return around.stdout.text()
  }
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(openapi))
  const drafted = await typed('genrun catalog import openapi.json')
  expect(drafted).toContain('# for the profile: request.as is form')
  writeFileSync(join(cwd, 'kiln.catalog.yaml'), drafted)
  writeFileSync(join(cwd, 'kiln.profile.yaml'), kilnProfile)
  writeFileSync(
    join(cwd, 'kiln.yaml'),
    'catalog: kiln.catalog.yaml\njobs:\n  harbour: { model: tile, text: A harbour, glaze: celadon }\n',
  )
  await typed(
    'genrun profile check sketch.profile.yaml --catalog sketch.catalog.yaml --model sketch/lines:5c7d1e',
  )
  expect(await typed('genrun convert sketch.yaml harbour --to curl --profile sketch.profile.yaml')).toContain(
    `-H "x-kiln-token: $(cat`,
  )
  expect(await typed(`genrun ${lines().command}`)).toContain('harbour.png')
  expect(double.unknown).toEqual([])
  expect(double.orders.map(({ body }) => body)).toEqual([{ text: 'A harbour', glaze: 'celadon' }])
})
