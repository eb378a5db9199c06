import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { JsonObject } from '../../src/base/names.ts'
import { checkProfile } from '../../src/verbs/profile-check.ts'
import { readSource } from './catalogs.ts'
import { begin, type Double } from './double.ts'
import { examples, project, runAll, runAt } from './run.ts'
import { type ShapeName, shapes } from './shapes.ts'

const names = Object.keys(shapes) as ShapeName[] // The keys of the record.

/** What each double is to have in its books after a run, as it was sent. */
const ordered: { readonly [Name in ShapeName]: readonly JsonObject[] } = {
  queue: [
    { model: 'brush/fast', prompt: 'A paper fox', image_size: 'square_hd' },
    {
      model: 'brush/edit',
      prompt: 'The same at night',
      image_url: expect.stringMatching(/^data:image\/png;base64,/),
    },
  ],
  predictions: [
    { version: '5c7d1e', input: { prompt: 'A harbour in pencil', guidance: 4.5 } },
    { version: '90ab44', input: { prompt: 'A harbour in rain', aspect_ratio: '16:9' } },
  ],
  'base64-images': [
    { model: 'ink-1', prompt: 'A stamp of a lighthouse', size: '1024x1024', n: 2 },
    { model: 'ink-1-mini', prompt: 'A wax seal', quality: 'low' },
  ],
  'content-request': [
    { model: 'reel-2', prompt: 'Steam over a cup', seconds: '8', size: '1280x720', input_reference: '' },
    { model: 'reel-2', prompt: 'The lantern sways', input_reference: 'input_reference.png' },
  ],
  'binary-speech': [
    { voice: 'cedar', model_id: 'voice-multi-2', text: 'Good morning' },
    { voice: 'cedar', model_id: 'voice-flash-2', text: 'Good night' },
  ],
  operations: [
    { instances: [{ prompt: 'Waves at dusk' }], parameters: { durationSeconds: 6 } },
    { instances: [{ prompt: 'Gulls over the pier' }], parameters: { aspectRatio: '9:16' } },
  ],
  'other-host-polling': [
    { model: 'pigment-pro', prompt: 'Moss on slate' },
    { model: 'pigment-ultra', prompt: 'Dunes', aspect_ratio: '21:9' },
  ],
  multipart: [
    { path: '/v2beta/image/generate/core', prompt: 'A badge with an owl' },
    { path: '/v2beta/image/edit', prompt: 'The same in red' },
  ],
  'operation-location': [{ prompt: 'A meadow', size: '1792x1024' }, { prompt: 'An orchard' }],
  codes: [
    { model_name: 'motion-v2', input: { prompt: 'A kite climbs', duration: '10' } },
    { model_name: 'motion-v2-turbo', input: { prompt: 'A wheel turns' } },
  ],
}

test('one manifest runs on services of every shape at once, whole, and buys nothing twice', async () => {
  const cwd = await project()
  const doubles: { [name in ShapeName]?: Double } = {}
  for (const name of names) doubles[name] = await begin(shapes[name], `key-of-${name}-7f3a`)
  const report = await runAll(cwd, doubles)
  const endings = report.jobs.map(({ address, ending, failure }) => [address, ending, failure?.why])
  expect(endings.filter(([, ending]) => ending !== 'made')).toEqual([])
  expect(report).toMatchObject({ paid: 20, exit: 0 })
  for (const name of names) {
    const double = doubles[name] ?? expect.fail(name)
    expect({ name, unknown: double.unknown, strange: double.strange }).toEqual({
      name,
      unknown: [],
      strange: [],
    })
    expect(sorted(double.orders.map(({ body }) => body))).toEqual(sorted(ordered[name]))
  }
  expect(await runAll(cwd, doubles)).toMatchObject({ paid: 0, requests: 0, exit: 0 })
})

/** Orders leave side by side. */
function sorted(bodies: readonly JsonObject[]): readonly JsonObject[] {
  const prompt = (body: JsonObject) => /"(?:prompt|text)":"([^"]*)"/.exec(JSON.stringify(body))?.[1] ?? ''
  return bodies.toSorted((a, b) => prompt(a).localeCompare(prompt(b)))
}

test.each(names)('the profile "%s" is without problems, and shows where its requests go', async name => {
  const own = readSource(join(examples, `${name}.catalog.yaml`))
  const checked = checkProfile({ path: `${name}.profile.yaml`, cwd: examples, own })
  expect(checked.problems).toEqual([])
  expect(checked).toMatchObject({ ok: true, name })
  expect(checked.requests.map(({ model }) => model)).toEqual(own.map(({ id }) => id))
})

interface Example {
  readonly model: string
  readonly params: JsonObject
  readonly body: string
}

test.each(names)('what the documentation of "%s" sends arrives there byte for byte', async name => {
  const cwd = await project()
  const text = readFileSync(join(cwd, `${name}.profile.yaml`), 'utf8')
  const { examples } = parse(text) as { examples: readonly Example[] }
  // Files of the documentation are nowhere: those requests are compared, and not sent.
  const sent = examples.filter(({ params }) => !/"(data|https):/.test(JSON.stringify(params)))
  const jobs = Object.fromEntries(sent.map(({ model, params }, nth) => [`job-${nth}`, { model, ...params }]))
  const manifest = { catalog: `${name}.catalog.yaml`, output: 'out', jobs }
  writeFileSync(join(cwd, 'documented.yaml'), stringify(manifest))
  const double = await begin(shapes[name])
  const came: string[] = []
  double.heard = (method, _, bytes) => {
    if (method === 'POST') came.push(withBoundary('lantern', bytes.toString()))
  }
  const report = await runAll(cwd, { [name]: double }, { manifest: 'documented.yaml' })
  expect({ exit: report.exit, unknown: double.unknown }).toEqual({ exit: 0, unknown: [] })
  expect(came.toSorted()).toEqual(sent.map(({ body }) => body).toSorted())
})

/** A form of parts as the examples write it: under their boundary, with the line ends of YAML. */
function withBoundary(name: string, text: string): string {
  const boundary = /^--(\S+)\r\n/.exec(text)?.[1]
  return boundary === undefined ? text : text.replaceAll(boundary, name).replaceAll('\r\n', '\n')
}

describe('a key that is wrong', () => {
  test.each(names)('costs nothing at "%s", and says so', async name => {
    const cwd = await project()
    const double = await begin(shapes[name])
    const report = await runAt(cwd, name, { ...double, key: 'another-key-1234' })
    expect(double.orders).toEqual([])
    expect(report.jobs.map(({ ending }) => ending)).not.toContain('made')
    expect(report.jobs.map(({ failure }) => JSON.stringify(failure)).join()).toContain('unauthorized')
  })
})
