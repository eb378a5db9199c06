import { expect, test } from 'vitest'
import { nextHop } from '../../../src/wire/http/link.ts'

const far = new URL('https://service.example/gw-v2')
const near = new URL('http://127.0.0.1:4000/gw-v2')
const secure = new URL('https://cdn.example/a/b.png')
const plain = new URL('http://127.0.0.1:5000/a/b.png')

test.each<[string, URL, URL | undefined, string]>([
  ['https://cdn.example/x.png?s=1', far, undefined, 'https://cdn.example/x.png?s=1'],
  ['http://127.0.0.1:4000/x.png', near, undefined, 'http://127.0.0.1:4000/x.png'],
  ['c.png', far, secure, 'https://cdn.example/a/c.png'],
  ['//other.example/c.png', far, secure, 'https://other.example/c.png'],
  ['https://cdn.example/x', near, plain, 'https://cdn.example/x'],
])('%s may be followed', (link, base, from, href) => {
  const next = nextHop(link, base, from)
  expect('url' in next && next.url.href).toBe(href)
})

test.each<[string, URL, URL | undefined, string]>([
  ['http://cdn.example/x?token=1', far, undefined, 'the link is not https: http://cdn.example/x'],
  ['http://127.0.0.1:4000/x', near, secure, 'a redirect leads from https to http: http://127.0.0.1:4000/x'],
  ['javascript:alert(1)', far, undefined, 'the link is not https: javascript:'],
  ['data:text/html,x', far, secure, 'the link is not https: data:'],
  ['https://a:b@cdn.example/', far, undefined, 'the link holds a user name'],
  ['x.png', far, undefined, 'the link is no address: x.png'],
])('%s may not', (link, base, from, problem) => {
  expect(nextHop(link, base, from)).toEqual({ problem })
})
