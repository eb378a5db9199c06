import { expect, test } from 'vitest'
import { type EndpointPlace, endpointPlace } from '../../../src/gateway/http/place.ts'

test.each<[string, EndpointPlace | undefined]>([
  ['famc-v3/execute', { names: 'execute', workflow: 'famc-v3' }],
  ['famc-v3/submit', { names: 'submit', workflow: 'famc-v3' }],
  ['famc-v3/0123/result', { names: 'result', workflow: 'famc-v3', id: '0123' }],
  ['acme/paint/v2/submit', { names: 'submit', workflow: 'acme/paint/v2' }],
  ['acme/paint/v2/0123/result', { names: 'result', workflow: 'acme/paint/v2', id: '0123' }],
  ['a%20b/c%2Fd/execute', { names: 'execute', workflow: 'a b/c/d' }],
  ['submit/submit', { names: 'submit', workflow: 'submit' }],
  ['submit', undefined],
  ['famc-v3/result', undefined],
  ['famc-v3', undefined],
  ['famc-v3/execute/', undefined],
  ['famc-v3//execute', undefined],
  ['%E0%A4%A/execute', undefined],
  ['', undefined],
])('the path %s', (path, place) => {
  expect(endpointPlace(path)).toEqual(place)
})
