import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/names.ts'
import { gwV2 } from '../../../src/wire/profile/gw-v2.ts'
import { type Profile, workflowOf } from '../../../src/wire/profile/profile.ts'
import { readProfile } from '../../../src/wire/profile/profile-file.ts'
import { requestBody, requestFor } from '../../../src/wire/profile/request.ts'

const profile = (text: string): Profile =>
  readProfile({ name: 'test', text }).value ?? expect.fail('the profile has problems')
const body = (text: string, params: JsonObject, model = 'famc-v3') =>
  requestBody(profile(text), { model, params, mode: 'submit' })

test('the request for a job is known without sending it', () => {
  const order = {
    mode: 'submit',
    workflow: 'famc-v3',
    model: 'famc-v3',
    params: { prompt: 'a' },
    key: 'k',
  } as const
  expect(requestFor(gwV2, new URL('https://api.example/gw-v2'), order)).toEqual({
    method: 'POST',
    url: new URL('https://api.example/gw-v2/workflows/famc-v3/submit'),
    headers: {
      accept: 'application/json, */*;q=0.5',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'Idempotency-Key': 'k',
    },
    as: 'json',
    body: { params: { model: 'famc-v3', prompt: 'a' } },
    payload: expect.any(Function),
  })
})

test('without an idempotency header none is sent', () => {
  const order = { mode: 'submit', workflow: 'x', model: 'famc-v3', params: {}, key: 'k' } as const
  const sent = requestFor(profile('idempotency: { header: none }'), new URL('https://a.example/gw-v2'), order)
  expect(Object.values('headers' in sent ? sent.headers : {})).not.toContain('k')
})

describe('values', () => {
  test.each<[string, string, JsonObject, JsonObject]>([
    ['are mapped', "aspectRatio: { '16:9': 16x9 }", { aspectRatio: '16:9' }, { aspectRatio: '16x9' }],
    [
      'stay when they are not in the map',
      "aspectRatio: { '16:9': 16x9 }",
      { aspectRatio: '1:1' },
      { aspectRatio: '1:1' },
    ],
    ['are mapped from numbers', 'duration: { 5: short }', { duration: 5 }, { duration: 'short' }],
    ['become text', 'duration: text', { duration: 5 }, { duration: '5' }],
    ['become text one by one', 'imageUrls: text', { imageUrls: ['a', 'b'] }, { imageUrls: ['a', 'b'] }],
    ['leave their list when they are alone', 'imageUrls: single', { imageUrls: ['a'] }, { imageUrls: 'a' }],
    [
      'stay in their list when they are not',
      'imageUrls: single',
      { imageUrls: ['a', 'b'] },
      { imageUrls: ['a', 'b'] },
    ],
  ])('%s', (_, rule, params, sent) => {
    expect(body(`request: { envelope: [], model: none, values: { ${rule} } }`, params)).toEqual(sent)
  })
})

test('defaults of the catalog are sent where the profile says so', () => {
  const text = 'request: { envelope: [], defaults: send }'
  expect(body(text, { prompt: 'a' }, 'famc-t2a')).toEqual({ model: 'famc-t2a', prompt: 'a', duration: 5 })
})

describe('a body template', () => {
  const text = `
request:
  case: snake
  values: { aspectRatio: { '16:9': wide } }
  body:
    famc-v3:
      - when: { given: startFrame }
        use:
          task: image
          input: { image: { url: '\${{ params.startFrame }}' }, text: '\${{ params.prompt }}' }
      - use:
          task: text
          size: '\${{ params.aspectRatio }}'
          seconds: '\${{ params.duration || 5 }}'
          title: '\${{ model }} by \${{ mode }}'
          extra: { end: '\${{ params.endFrame }}' }
          images: ['\${{ params.imageUrls[0] }}']
          fixed: {}
    famc-*: { all: '\${{ params }}' }
`
  test('has full control, by condition', () => {
    expect(body(text, { prompt: 'a', startFrame: 'https://x.example/a.png' })).toEqual({
      task: 'image',
      input: { image: { url: 'https://x.example/a.png' }, text: 'a' },
    })
  })

  test('keeps types, leaves out what is not given, and takes a value instead of nothing', () => {
    expect(body(text, { prompt: 'a', aspectRatio: '16:9' })).toEqual({
      task: 'text',
      size: 'wide',
      seconds: 5,
      title: 'famc-v3 by submit',
      fixed: {},
    })
    expect(body(text, { duration: 10 })).toMatchObject({ seconds: 10 })
  })

  test('an exact model goes before a pattern; `params` alone is all of them under their sent names', () => {
    expect(body(text, { prompt: 'a', aspectRatio: '16:9' }, 'famc-t2a')).toEqual({
      all: { prompt: 'a', aspect_ratio: 'wide' },
    })
  })

  test('never reads a template out of a value', () => {
    expect(body(text, { prompt: '${{ params.startFrame }}' }, 'famc-t2a')).toEqual({
      all: { prompt: '${{ params.startFrame }}' },
    })
  })
})

describe('a workflow', () => {
  const given = profile(`
workflow:
  famc-*: 'famc/\${{ model }}/generate'
  famc-v3:
    - { when: { given: [startFrame, endFrame] }, use: famc/v3/frames }
    - { when: { given: startFrame, absent: endFrame }, use: famc/v3/image }
    - { when: { is: { resolution: [1080p, 4k] } }, use: famc/v3/large }
  '*-imagine-*': images
`)
  test.each<[string, JsonObject, string]>([
    ['famc-v3', { startFrame: 'a', endFrame: 'b' }, 'famc/v3/frames'],
    ['famc-v3', { startFrame: 'a' }, 'famc/v3/image'],
    ['famc-v3', {}, 'famc/famc-v3/generate'],
    ['famc-t2a', {}, 'famc/famc-t2a/generate'],
    ['fama-imagine-image', {}, 'images'],
    ['famb-v3', {}, 'famb-v3'],
  ])('of %s with %j is %s', (model, params, workflow) => {
    expect(workflowOf(given, model, params)).toBe(workflow)
  })
})
