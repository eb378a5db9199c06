import { describe, expect, test } from 'vitest'
import { bareLink, cleaned, cutAtWord, finderOf, hiderOf, holderOf, redactor } from '../../src/base/redact.ts'
import fc from '../cases.ts'
import { forms, key, telltale } from '../threats/echoes.ts'

test('a secret is taken out as it is, encoded, and in JSON; links lose their query', () => {
  const redact = redactor(['s3cr"et/key'])
  expect(redact('key s3cr"et/key!')).toBe('key [secret]!')
  expect(redact(encodeURIComponent('s3cr"et/key'))).toBe('[secret]')
  expect(redact(JSON.stringify('s3cr"et/key'))).toBe('"[secret]"')
  expect(redact(Buffer.from('s3cr"et/key').toString('base64'))).toBe('[secret]')
  expect(redact('see https://cdn.example/a.png?sig=abc#x ok')).toBe('see https://cdn.example/a.png?… ok')
  expect(redact('http://127.0.0.1/a#b, https://a.example/b?c>')).toBe(
    'http://127.0.0.1/a?… https://a.example/b?…>',
  )
  expect(bareLink('https://cdn.example/a.png?sig=abc')).toBe('https://cdn.example/a.png')
  expect(bareLink('https://cdn.example/a.png#b\nc')).toBe('https://cdn.example/a.png')
  expect(hiderOf(['s3cr"et/key'])('s3cr"et/key https://a.example/b?c')).toBe('[secret] https://a.example/b?c')
})

/** Those ends mix with what stands around them. */
const mixed = ['in base64, one byte later', 'in base64, two bytes later', 'as numbers']
const whole = Object.entries(forms).filter(([name]) => !mixed.includes(name))

test.each(Object.entries(forms))('a secret is taken out %s', (_, form) => {
  const redact = redactor([key])
  for (const text of [`the key ${form} is not valid`, JSON.stringify({ message: form }), `${form}${form}`])
    expect(redact(text)).not.toContain(telltale(form))
  expect(redact('a teapot on wet slate: c2stOUYz, sk-9F3d')).toBe('a teapot on wet slate: c2stOUYz, sk-9F3d')
  expect(finderOf(key)(`the key ${form} is not valid`)).toBeGreaterThanOrEqual('the key '.length)
  const before = 'a teapot on wet slate, '.repeat(4000)
  expect(redact(`${before}${form}`)).not.toContain(telltale(form))
  expect(finderOf(key)(`${before}${form}`)).toBeGreaterThanOrEqual(before.length)
})

test.each(whole)('and nothing of it is left, nor anything else taken: %s', (_, form) => {
  expect(redactor([key])(`the key <${form}> is not valid`)).toBe('the key <[secret]> is not valid')
  expect(finderOf(key)(`the key <${form}> is not valid`)).toBe('the key <'.length)
})

test.each<[string, string]>([
  ['the first byte, and lines', `73${'\n'.repeat(60_000)}`],
  ['the first byte, and commas', `73${', '.repeat(60_000)}`],
  ['the first letter, and backslashes', `s${'\\'.repeat(60_000)}`],
  ['half of it, and backslashes', `${key.slice(0, 12)}${'\\'.repeat(60_000)}`],
  ['the first letter, and colours that never end', `s${'\u001b[0;'.repeat(20_000)}`],
  ['the first letter, and a number without an end', `s\u001b[${'0'.repeat(60_000)}`],
  ['what HTML may be escaped by again', `&${'amp;'.repeat(20_000)}`],
  ['what HTML may begin a number with', `&#x${'0'.repeat(60_000)}`],
])('%s: the redactor takes no longer than the text is long', (_, text) => {
  const began = performance.now()
  expect(redactor([key])(text)).toBe(text)
  expect(finderOf(key)(text)).toBe(undefined)
  expect(performance.now() - began).toBeLessThan(2000)
})

test('what is seen at a glance to be clean is clean', () => {
  const pieces = fc.constantFrom(
    ...Object.values(forms),
    key,
    key.slice(3),
    '0x',
    ' ',
    ':',
    ', ',
    '\n',
    '\t',
    'K',
    'a teapot',
  )
  const broken = fc
    .tuple(pieces, fc.nat(20), fc.constantFrom('', '\n', ' ', '0x', '-'))
    .map(([piece, at, by]) => `${piece.slice(0, at)}${by}${piece.slice(at)}`)
  const secret = fc.constantFrom(key, 's3cr"et/key', '0f 1e:2d,3c', 'ſchlüſſel', 'ends a\nline')
  fc.assert(
    fc.property(secret, fc.array(fc.oneof(pieces, broken), { maxLength: 6 }), (its, parts) => {
      const find = finderOf(its)
      const text = parts.join('') + (parts.length % 2 === 0 ? its : '')
      // What nobody sees makes it look closer.
      expect(find(text)).toBe(find(`${text} \u200b`))
    }),
    { numRuns: 3000 },
  )
})

describe('a short secret', () => {
  test('is taken out as it stands, and nothing that only looks like it', () => {
    expect(redactor(['k3y9'])('k3y9 K3Y9 6b337939')).toBe('[secret] K3Y9 6b337939')
    expect(finderOf('k3y9=12')('k3y9=12')).toBe(undefined)
  })

  test('is taken out encoded as a whole, the longest form first', () => {
    const redact = redactor(['k"9', 'k"/9', 'k"/'])
    expect(redact('k"/9 k\\"/9 k%22%2F9 ayIvOQ==')).toBe('[secret] [secret] [secret] [secret]')
    // Three letters stand in every text.
    expect(redact('k"9 k"/')).toBe('k"9 k"/')
    expect(redactor(['k3y9', 'k3y9-a'])('k3y9-a k3y9')).toBe('[secret] [secret]')
  })
})

test('a secret of eight letters is a long one, and several are all taken out', () => {
  const [eight, other] = ['k3y-9.ab', 'another-secret']
  expect(redactor([eight, other, eight])(`${eight.toUpperCase()} ${other}`)).toBe('[secret] [secret]')
  expect(finderOf(eight)(`x ${eight.toUpperCase()}`)).toBe(2)
})

test('where a secret stands in several forms, the first place counts', () => {
  const base64 = Buffer.from(key).toString('base64')
  expect(finderOf(key)(`a ${base64} ${key}`)).toBe(2)
  expect(finderOf(key)(`ab ${key} ${base64}`)).toBe(3)
  expect(finderOf(key)('a teapot')).toBe(undefined)
})

test('base64 is known in both alphabets, wherever in a text it begins', () => {
  const secret = '\u00fb\u00ff>~?\u00ff\u00ef\u00bekey-of-all'
  for (const around of ['', 'x', 'xx', 'xxx'])
    for (const alphabet of ['base64', 'base64url'] as const) {
      const said = Buffer.from(`${around}${secret}zz`).toString(alphabet)
      expect(said).toMatch(/[-+/_]/)
      const left = redactor([secret])(said)
      expect(left).toContain('[secret]')
      // What is left are the letters that hold bits of what stands around it.
      expect(left.replace('[secret]', '').length).toBeLessThanOrEqual(around.length * 2 + 6)
      expect(redactor([secret])(said.slice(0, 12))).toBe(said.slice(0, 12))
    }
})

test.each(['>>>>>>>>>>', '??????????', 'key>>>~~of?all'])(
  'nor does it matter where nothing is escaped, and a look comes first: %s',
  secret => {
    for (const around of ['', 'x', 'xx'])
      for (const alphabet of ['base64', 'base64url'] as const) {
        const said = Buffer.from(`${around}${secret}zz`).toString(alphabet)
        const left = redactor([secret])(`it is ${said} so`)
        expect(left).toContain('[secret]')
        expect(left.length).toBeLessThanOrEqual('it is [secret] so'.length + around.length * 2 + 6)
      }
  },
)

const names: { readonly [letter: string]: string } = {
  '!': 'excl',
  '"': 'quot',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast midast',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt',
  '=': 'equals',
  '>': 'gt',
  '?': 'quest',
  '@': 'commat',
  '[': 'lsqb lbrack',
  '\\': 'bsol',
  ']': 'rsqb rbrack',
  '^': 'Hat',
  _: 'lowbar UnderBar',
  '`': 'grave DiacriticalGrave',
  '{': 'lcub lbrace',
  '|': 'verbar vert VerticalLine',
  '}': 'rcub rbrace',
}

test.each(Object.entries(names))('%s is known by its names in HTML: %s', (letter, all) => {
  const secret = `key-of${letter}all`
  for (const name of all.split(' ')) {
    expect(redactor([secret])(`a key-of&${name};all b`)).toBe('a [secret] b')
    expect(redactor([secret])(`a key-of&amp;amp;${name};all b`)).toBe('a [secret] b')
    expect(redactor([secret])(`a key-of&${name}all b`)).toBe(`a key-of&${name}all b`)
  }
  expect(redactor([secret])(`a key-of${letter}all b`)).toBe('a [secret] b')
})

test('every text of plain data is cleaned, and nothing else', () => {
  const data = { a: 'x', list: ['x', 1, { b: 'x', c: null }], yes: true, no: undefined }
  expect(cleaned(data, text => text.toUpperCase())).toEqual({
    a: 'X',
    list: ['X', 1, { b: 'X', c: null }],
    yes: true,
    no: undefined,
  })
})

test.each([
  ['a teapot', 8, 'a teapot'],
  ['a teapot on slate', 12, 'a teapot on …'],
  ['a teapot on slate', 13, 'a teapot on …'],
  ['{"key":"sk-1234', 12, '{"key":"…'],
  ['a <b>teapot', 8, 'a <b>…'],
  ["it's teapots", 7, "it's …"],
  ['f(teapots), 1', 6, 'f(…'],
  ['a,teapots', 5, 'a,…'],
  ['teapots-of-one-word', 9, '…'],
])('%s is cut at %i where a word ends', (text, longest, cut) => {
  expect(cutAtWord(text, longest)).toBe(cut)
})

test.each<[string, string, string]>([
  ['a tab in an address', 'abc\tdefgh', encodeURIComponent('abc\tdefgh')],
  ['a tab as an escape of a byte', 'abc\tdefgh', String.raw`abc\x09defgh`],
  ['a tab as an escape of a letter', 'abc\tdefgh', String.raw`abc\u0009defgh`],
  ['letters of two bytes in an address', 'schlüssel', encodeURIComponent('schlüssel')],
  ['base64 with a plus', '>>>>>>>>>>', Buffer.from('>>>>>>>>>>').toString('base64')],
  ['base64 with a minus', '>>>>>>>>>>', Buffer.from('>>>>>>>>>>').toString('base64url')],
  ['base64 with a slash', '??????????', Buffer.from('??????????').toString('base64')],
  ['base64 with an underscore', '??????????', Buffer.from('??????????').toString('base64url')],
  ['escapes of colours in JSON', 'abcdefgh', JSON.stringify([...'abcdefgh'].join('\u001b[31m')).slice(1, -1)],
  ['quotes in JSON in JSON in JSON', 'abc"defgh', String.raw`abc\\\\\\\"defgh`],
])('nothing is left of %s', (_, secret, form) => {
  expect(redactor([secret])(`<${form}>`)).toBe('<[secret]>')
})

test('of short secrets that begin alike the longest is taken first', () => {
  expect(hiderOf(['abcd', 'abcdef'])('abcdef abcd')).toBe('[secret] [secret]')
  expect(hiderOf(['abc'])('abc')).toBe('abc')
})

test('a text may be asked about again and again', () => {
  const find = finderOf('abcdefgh')
  expect([1, 2, 3].map(() => find('x abcdefgh'))).toEqual([2, 2, 2])
})

test.each<[string, unknown, boolean]>([
  ['a text', 'x abcdefgh', true],
  ['a text of another secret', 'x 12345678', true],
  ['a member', { a: { b: ['abcdefgh'] } }, true],
  ['a member among others', { a: 1, b: 'x abcdefgh', c: [] }, true],
  ['a name', { abcdefgh: 1 }, true],
  ['what JSON would write otherwise', { a: 'abcd\u001b[0mefgh' }, true],
  ['nothing of it', { a: ['abcdefg', 1, null, true, undefined], b: {} }, false],
  ['nothing', undefined, false],
  ['none', null, false],
])('a secret is found in plain data: %s', (_, value, isThere) => {
  expect(holderOf(['abcdefgh', '12345678'])(value)).toBe(isThere)
  expect(holderOf([])(value)).toBe(false)
})
