import { expect, test } from 'vitest'
import { runId } from '../../../src/base/names.ts'
import { checkBaseUrl, endpointsUnder } from '../../../src/wire/http/address.ts'

test.each([
  ['https://api.example/gw-v2', 'https://api.example/gw-v2'],
  ['https://api.example/gw-v2/', 'https://api.example/gw-v2'],
  ['https://api.example:8443/v1/gw-v2//', 'https://api.example:8443/v1/gw-v2'],
  ['http://localhost:4000/gw-v2', 'http://localhost:4000/gw-v2'],
  ['http://127.0.0.1:4000/gw-v2', 'http://127.0.0.1:4000/gw-v2'],
  ['http://[::1]:4000/gw-v2', 'http://[::1]:4000/gw-v2'],
  ['http://gateway.localhost/gw-v2', 'http://gateway.localhost/gw-v2'],
])('%s is a base address', (text, href) => {
  const checked = checkBaseUrl(text)
  expect('url' in checked && checked.url.href).toBe(href)
  expect(checked).not.toHaveProperty('warning')
})

test.each(['', '/', '/gw-v3', '/my-gw-v2', '/gw-v2/v1'])(
  'https://api.example%s is one with a warning',
  path => {
    expect(checkBaseUrl(`https://api.example${path}`)).toMatchObject({
      warning: 'does not end in gw-v2, as the specification has it',
    })
  },
)

test.each([
  ['', 'is not an http or https address'],
  ['api.example/gw-v2', 'is not an http or https address'],
  ['ftp://api.example/gw-v2', 'is not an http or https address'],
  ['http://api.example/gw-v2', 'must begin with https://, because api.example is not this machine'],
  ['http://10.0.0.1:80/gw-v2', 'must begin with https://, because 10.0.0.1 is not this machine'],
  [
    'http://localhost.example/gw-v2',
    'must begin with https://, because localhost.example is not this machine',
  ],
  ['https://user:word@api.example/gw-v2', 'holds a user name or a password'],
  ['https://api.example/gw-v2?key=1', 'has a query or a fragment'],
  ['https://api.example/gw-v2#x', 'has a query or a fragment'],
])('%s is none', (text, problem) => {
  expect(checkBaseUrl(text)).toEqual({ problem, hint: expect.any(String) })
})

const endpoints = endpointsUnder(new URL('https://api.example/v1/gw-v2/'))
const result = (workflow: string, id: string) =>
  endpoints.result({ workflow, id: runId(id) ?? expect.fail('no id') })?.href

test.each([
  ['famc-v3', 'r1', 'https://api.example/v1/gw-v2/workflows/famc-v3/r1/result'],
  ['image/teapot', '../../x', 'https://api.example/v1/gw-v2/workflows/image/teapot/..%2F..%2Fx/result'],
  ['famc-v3', '%2e%2e', 'https://api.example/v1/gw-v2/workflows/famc-v3/%252e%252e/result'],
  ['famc-v3', 'a?b#c', 'https://api.example/v1/gw-v2/workflows/famc-v3/a%3Fb%23c/result'],
  ['%2e%2e/x', 'r1', 'https://api.example/v1/gw-v2/workflows/%252e%252e/x/r1/result'],
  ['a\\..\\b', 'r1', 'https://api.example/v1/gw-v2/workflows/a%5C..%5Cb/r1/result'],
  ['https://evil.example', 'r1', undefined],
  ['..', 'r1', undefined],
  ['a/./b', 'r1', undefined],
])('the result of workflow %s and id %s stays under the base address', (workflow, id, href) => {
  expect(result(workflow, id)).toBe(href)
})
