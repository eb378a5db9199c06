import { expect, test } from 'vitest'
import { bareLink, redactor } from '../../src/base/redact.ts'

test('a secret is taken out as it is, encoded, and in JSON; links lose their query', () => {
  const redact = redactor(['s3cr"et/key'])
  expect(redact('key s3cr"et/key!')).toBe('key [secret]!')
  expect(redact(encodeURIComponent('s3cr"et/key'))).toBe('[secret]')
  expect(redact(JSON.stringify('s3cr"et/key'))).toBe('"[secret]"')
  expect(redact(Buffer.from('s3cr"et/key').toString('base64'))).toBe('[secret]')
  expect(redact('see https://cdn.example/a.png?sig=abc#x ok')).toBe('see https://cdn.example/a.png?… ok')
  expect(bareLink('https://cdn.example/a.png?sig=abc')).toBe('https://cdn.example/a.png')
})
