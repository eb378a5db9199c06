import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/names.ts'
import { payloadOf, typeOf } from '../../../src/wire/profile/body.ts'
import { readProfile } from '../../../src/wire/profile/profile-file.ts'
import { requestFor } from '../../../src/wire/profile/request.ts'

const profile = (text: string) =>
  readProfile({ name: 'p', text }).value ?? expect.fail('the profile has problems')
const sent = (text: string, params: JsonObject, model = 'famc-v3') => {
  const order = { mode: 'submit', workflow: model, model, params, key: 'k_1' } as const
  const request = requestFor(profile(text), new URL('https://api.example'), order)
  return 'problem' in request ? expect.fail(request.problem) : request
}

describe('a body', () => {
  test('as a form has a field for each value, and one for each item of a list', () => {
    const body = { prompt: 'a b&c', n: 2, size: null, image: ['x', 'y'], more: { a: [1] } }
    expect(payloadOf(body, 'form', '').toString()).toBe(
      'prompt=a+b%26c&n=2&image=x&image=y&more=%7B%22a%22%3A%5B1%5D%7D',
    )
  })

  test('as multipart has files in parts of their own, byte for byte', () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 13, 10, 255])
    const body = { prompt: 'ä', 'image[]': [`data:image/png;base64,${bytes.toString('base64')}`] }
    const written = payloadOf(body, 'multipart', 'B')
    expect(written.toString('latin1')).toBe(
      [
        '--B',
        'Content-Disposition: form-data; name="prompt"',
        '',
        Buffer.from('ä').toString('latin1'),
        '--B',
        'Content-Disposition: form-data; name="image[]"; filename="image.png"',
        'Content-Type: image/png',
        '',
        bytes.toString('latin1'),
        '--B--',
        '',
      ].join('\r\n'),
    )
    expect(typeOf('multipart', 'B')).toBe('multipart/form-data; boundary=B')
  })
})

test('an order that is repeated is the same to the byte', () => {
  const text = 'request: { as: multipart, envelope: [] }'
  const [first, again] = [sent(text, { prompt: 'a' }), sent(text, { prompt: 'a' })]
  expect(first.headers['content-type']).toBe('multipart/form-data; boundary=genrun-k1')
  expect(first.payload()).toEqual(again.payload())
})

test('what holds for one model goes before what holds for all', () => {
  const text = `
request:
  envelope: []
  rename: { aspectRatio: size }
  constants: { client: genrun }
  models:
    famc-v3:
      - { when: { given: startFrame }, use: { as: multipart, model: none } }
      - use:
          model: none
          case: snake
          rename: { duration: seconds, aspectRatio: none }
          values: { duration: text }
          constants: { version: abc }
`
  const params = { prompt: 'p', duration: 5, aspectRatio: '1:1', negativePrompt: 'n' }
  expect(sent(text, params).body).toEqual({
    client: 'genrun',
    version: 'abc',
    prompt: 'p',
    seconds: '5',
    negative_prompt: 'n',
  })
  expect(sent(text, params, 'famc-v3-turbo').body).toEqual({
    client: 'genrun',
    model: 'famc-v3-turbo',
    prompt: 'p',
    duration: 5,
    size: '1:1',
    negativePrompt: 'n',
  })
  expect(sent(text, { startFrame: 'x' }).as).toBe('multipart')
})

test('text becomes a number where the profile says so, and stays text where it is none', () => {
  const text = 'request: { envelope: [], model: none, values: { duration: number, prompt: number } }'
  expect(sent(text, { duration: '5', prompt: 'five' }).body).toEqual({ duration: 5, prompt: 'five' })
})
