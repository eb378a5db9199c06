import { describe, expect, test } from 'vitest'
import type { Env } from '../../../src/cli/io/surroundings.ts'
import { chooseService, type ServiceChoice } from '../../../src/cli/service/service.ts'
import type { NamedFile } from '../../../src/workspace/read/named-file.ts'

const base = 'https://service.example/api/gw-v2'
const files: { readonly [path: string]: NamedFile } = {
  'key.txt': { got: 'text', text: 'key-of-the-file\n', isPrivate: true },
  'open.txt': { got: 'text', text: 'key-of-the-file', isPrivate: false },
  'empty.txt': { got: 'text', text: ' \n', isPrivate: true },
  'lines.txt': { got: 'text', text: 'one\ntwo\n', isPrivate: true },
}

function choose(env: Env, isLocal = false): ServiceChoice {
  return chooseService(
    env,
    isLocal,
    path => files[path] ?? { got: 'trouble', reason: 'there is no such file' },
    { readReach: () => ({}) },
  )
}

describe('the service is chosen by the environment', () => {
  test.each<[string, Env, boolean, ServiceChoice]>([
    ['nothing set rehearses', {}, false, { use: 'rehearsal', because: 'no service is configured' }],
    [
      'empty variables count as not set',
      { GENRUN_BASE_URL: '', GENRUN_API_KEY: '', CI: '' },
      false,
      { use: 'rehearsal', because: 'no service is configured' },
    ],
    ['CI=false is no CI', { CI: 'false' }, false, { use: 'rehearsal', because: 'no service is configured' }],
    [
      '--local rehearses whatever is set',
      { GENRUN_BASE_URL: base, GENRUN_API_KEY: 'k3y', CI: '1' },
      true,
      { use: 'rehearsal', because: '--local is given' },
    ],
    [
      'address and key',
      { GENRUN_BASE_URL: base, GENRUN_API_KEY: 'k3y', CI: 'true' },
      false,
      { use: 'service', baseUrl: base, key: 'k3y', warnings: [], reach: {} },
    ],
    [
      'a final slash does not matter',
      { GENRUN_BASE_URL: `${base}//`, GENRUN_API_KEY: 'k3y' },
      false,
      { use: 'service', baseUrl: base, key: 'k3y', warnings: [], reach: {} },
    ],
    [
      'the key of a file, without its line end',
      { GENRUN_BASE_URL: base, GENRUN_API_KEY_FILE: 'key.txt' },
      false,
      { use: 'service', baseUrl: base, key: 'key-of-the-file', warnings: [], reach: {} },
    ],
    [
      'a file that others can read is a warning',
      { GENRUN_BASE_URL: base, GENRUN_API_KEY_FILE: 'open.txt' },
      false,
      {
        use: 'service',
        baseUrl: base,
        key: 'key-of-the-file',
        warnings: [
          'the file open.txt of GENRUN_API_KEY_FILE can be read by other users of this machine; chmod 600 mends that',
        ],
        reach: {},
      },
    ],
    [
      'plain http on this machine is fine',
      { GENRUN_BASE_URL: 'http://127.0.0.1:4040/gw-v2', GENRUN_API_KEY: 'k3y' },
      false,
      { use: 'service', baseUrl: 'http://127.0.0.1:4040/gw-v2', key: 'k3y', warnings: [], reach: {} },
    ],
  ])('%s', (_, env, isLocal, choice) => {
    expect(choose(env, isLocal)).toEqual(choice)
  })
})

describe('half a service or a wrong one is refused with its own words', () => {
  test.each<[Env, string, string]>([
    [{ CI: '1' }, 'no-service', 'no service is configured, and in CI nothing is rehearsed unasked'],
    [{ GENRUN_API_KEY: 'k3y' }, 'no-base-url', 'GENRUN_API_KEY is set and GENRUN_BASE_URL is not'],
    [
      { GENRUN_API_KEY_FILE: 'key.txt' },
      'no-base-url',
      'GENRUN_API_KEY_FILE is set and GENRUN_BASE_URL is not',
    ],
    [
      { GENRUN_BASE_URL: base },
      'no-key',
      'GENRUN_BASE_URL is set and neither GENRUN_API_KEY nor GENRUN_API_KEY_FILE is',
    ],
    [
      { GENRUN_BASE_URL: base, GENRUN_API_KEY: 'k3y', GENRUN_API_KEY_FILE: 'key.txt' },
      'two-keys',
      'GENRUN_API_KEY and GENRUN_API_KEY_FILE are both set',
    ],
    [
      { GENRUN_BASE_URL: 'service.example', GENRUN_API_KEY: 'k3y' },
      'bad-base-url',
      'GENRUN_BASE_URL is not an http or https address',
    ],
    [
      { GENRUN_BASE_URL: 'ftp://service.example/gw-v2', GENRUN_API_KEY: 'k3y' },
      'bad-base-url',
      'GENRUN_BASE_URL is not an http or https address',
    ],
    [
      { GENRUN_BASE_URL: 'http://10.0.0.7/gw-v2', GENRUN_API_KEY: 'k3y' },
      'bad-base-url',
      'GENRUN_BASE_URL must begin with https://, because 10.0.0.7 is not this machine',
    ],
    [
      { GENRUN_BASE_URL: 'https://me:pass@service.example/gw-v2', GENRUN_API_KEY: 'k3y' },
      'bad-base-url',
      'GENRUN_BASE_URL holds a user name or a password',
    ],
    [
      { GENRUN_BASE_URL: 'https://:pass@service.example/gw-v2', GENRUN_API_KEY: 'k3y' },
      'bad-base-url',
      'GENRUN_BASE_URL holds a user name or a password',
    ],
    [
      { GENRUN_BASE_URL: `${base}?key=1`, GENRUN_API_KEY: 'k3y' },
      'bad-base-url',
      'GENRUN_BASE_URL has a query or a fragment',
    ],
    [
      { GENRUN_BASE_URL: base, GENRUN_API_KEY: 'k3y', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'unchecked-certificates',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the key to anyone who answers',
    ],
    [
      { GENRUN_BASE_URL: base, GENRUN_API_KEY_FILE: 'gone.txt' },
      'bad-key-file',
      'the file gone.txt of GENRUN_API_KEY_FILE cannot be read: there is no such file',
    ],
    [
      { GENRUN_BASE_URL: base, GENRUN_API_KEY_FILE: 'empty.txt' },
      'bad-key',
      'the file empty.txt of GENRUN_API_KEY_FILE holds no key',
    ],
    [
      { GENRUN_BASE_URL: base, GENRUN_API_KEY_FILE: 'lines.txt' },
      'bad-key',
      'the file lines.txt of GENRUN_API_KEY_FILE holds characters that no key can have',
    ],
    [
      { GENRUN_BASE_URL: base, GENRUN_API_KEY: '"quoted key"' },
      'bad-key',
      'GENRUN_API_KEY holds characters that no key can have',
    ],
  ])('%j', (env, code, message) => {
    expect(choose(env)).toMatchObject({ use: 'nothing', trouble: { code, message } })
  })

  test('no words hold the key', () => {
    const key = 'quoted "key" of 32 characters'
    expect(JSON.stringify(choose({ GENRUN_BASE_URL: base, GENRUN_API_KEY: key }))).not.toContain('quoted')
  })
})
