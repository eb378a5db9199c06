import { expect, test } from 'vitest'
import { checkBaseUrl } from '../../../src/wire/http/address.ts'

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
