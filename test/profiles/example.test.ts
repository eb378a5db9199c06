import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/names.ts'
import { convertToCurl } from '../../src/convert/convert.ts'
import { checkProfile } from '../../src/verbs/profile-check.ts'
import { runManifest } from '../../src/verbs/run.ts'
import { project, serve } from './served.ts'
import type { Habit } from './services.ts'

const acme = join(import.meta.dirname, '..', '..', 'examples', 'acme.profile.yaml')
const never = new AbortController().signal

const jobs = `  still:
    model: fama-imagine-image
    prompt: a teapot
    aspectRatio: 16:9
  edited:
    model: fama-imagine-image
    prompt: at night
    imageUrls: in.png
  film:
    model: famc-v3
    prompt: steam
    negativePrompt: people
    duration: 5
`

test('the example of a profile is right, and a batch runs whole by it', async () => {
  expect(checkProfile({ path: acme, cwd: '/' })).toMatchObject({ ok: true, problems: [], name: 'acme' })
  const bodies: JsonObject[] = []
  const base = '/api/gw-v2/workflows'
  const habit: Habit = {
    jobs,
    endings: {},
    paid: [],
    answer({ method, path, json, nth }, { link }) {
      if (method === 'POST') bodies.push(json)
      switch (path) {
        case `${base}/pictures/fama-imagine-image/execute`:
        case `${base}/pictures/retouch/execute`:
          return { json: { goods: [link('a.png')] } }
        case `${base}/films/new/submit`:
          return { json: { ticket: 't-7', phase: 'baking' } }
        case `${base}/films/new/t-7/result`:
          return {
            json: nth < 2 ? { phase: 'Baking' } : { phase: 'delivered', goods: [{ url: link('a.mp4') }] },
          }
        default:
          return undefined
      }
    },
  }
  const { baseUrl, unwanted } = await serve(habit)
  const cwd = project(habit)
  const service = { baseUrl, key: 'key-of-the-test', rehearsal: false }
  const result = await runManifest({
    manifest: 'tea.yaml',
    cwd,
    profile: acme,
    service,
    emit: () => {},
    stop: never,
  })
  if (result.got !== 'report') return expect.fail(JSON.stringify(result))
  expect(unwanted).toEqual([])
  expect(result.report.jobs.map(({ ending }) => ending)).toEqual(['made', 'made', 'made'])
  const still = { engine: 'fama-imagine-image', prompt: 'a teapot', aspect_ratio: '16x9' }
  expect(bodies).toContainEqual({ client: 'genrun', input: still })
  const film = { engine: 'famc-v3', prompt: 'steam', duration: '5', avoid: 'people' }
  expect(bodies).toContainEqual({ client: 'genrun', input: film })
})

test('a profile speaks of models that a manifest declares, and of their defaults', async () => {
  const habit: Habit = {
    jobs: '',
    endings: {},
    paid: [],
    answer: ({ path, json }, { png }) =>
      path.endsWith('/workflows/paint/soft/execute') && JSON.stringify(json.params) === wanted
        ? { bytes: png }
        : undefined,
  }
  const wanted = JSON.stringify({ model: 'acme-paint', prompt: 'a teapot', brushSize: 'wide' })
  const { baseUrl, unwanted } = await serve(habit)
  const cwd = project(habit)
  writeFileSync(
    join(cwd, 'models.yaml'),
    `models:
  acme-paint:
    inputType: t2i
    params:
      prompt: { type: text, required: true }
      brushSize: { type: enum, values: [fine, wide], default: wide }
`,
  )
  writeFileSync(
    join(cwd, 'tea.yaml'),
    'catalog: models.yaml\njobs:\n  a: { model: acme-paint, prompt: a teapot }\n',
  )
  const profile = `workflow:
  acme-paint: [{ when: { is: { brushSize: wide } }, use: paint/soft }, { use: paint/hard }]
request: { defaults: send }
`
  writeFileSync(join(cwd, 'own.yaml'), profile)
  const service = { baseUrl, key: 'key-of-the-test', rehearsal: false }
  const result = await runManifest({
    manifest: 'tea.yaml',
    cwd,
    profile: 'own.yaml',
    service,
    emit: () => {},
    stop: never,
  })
  expect(unwanted).toEqual([])
  expect(result).toMatchObject({ got: 'report', problems: [], report: { jobs: [{ ending: 'made' }] } })
  const shown = convertToCurl({ manifest: 'tea.yaml', address: 'a', cwd, profile: 'own.yaml' })
  expect(shown.got === 'text' && shown.text).toContain('/workflows/paint/soft/execute')

  writeFileSync(join(cwd, 'own.yaml'), profile.replace('brushSize', 'brushSise'))
  const wrong = await runManifest({
    manifest: 'tea.yaml',
    cwd,
    profile: 'own.yaml',
    service,
    emit: () => {},
    stop: never,
  })
  expect(wrong).toMatchObject({
    got: 'refused',
    problems: [{ message: 'no model has a parameter brushSise', hint: 'did you mean brushSize' }],
  })
  // Without the manifest nobody knows the model.
  expect(checkProfile({ path: 'own.yaml', cwd }).ok).toBe(false)
  expect(readFileSync(join(cwd, 'own.yaml'), 'utf8')).toContain('brushSise')
})
