import { describe, expect, test } from 'vitest'
import { reachFrom } from '../../../src/workspace/service/reach.ts'
import { certificate } from '../../wire/certificate.ts'

type Env = { readonly [name: string]: string | undefined }

const files: { readonly [path: string]: string } = {
  'own.pem': `the one of the office\n${certificate}\n`,
  'two.pem': `${certificate}\n${certificate}\n`,
  'key.pem': '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n',
  'broken.pem': '-----BEGIN CERTIFICATE-----\nMIIBtj\n-----END CERTIFICATE-----\n',
}

function reach(env: Env, ca?: string) {
  return reachFrom(env, ca, '/', path => {
    const text = files[path]
    return text === undefined
      ? { got: 'trouble', reason: 'there is no such file' }
      : { got: 'text', text, isPrivate: true }
  })
}

describe('the way to a service', () => {
  test.each<[string, Env, string | undefined, ReturnType<typeof reach>]>([
    ['is direct when nothing is said', {}, undefined, {}],
    [
      'leads through the proxy of the environment',
      { HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: 'files.example' },
      undefined,
      { proxy: { https: 'proxy.example:3128', no: 'files.example' } },
    ],
    ['has the authority of the flag', {}, 'own.pem', { ca: `${certificate}\n` }],
    ['has the authority of the environment', { GENRUN_CA: 'own.pem' }, undefined, { ca: `${certificate}\n` }],
    [
      'has that of the flag when both are named',
      { GENRUN_CA: 'none.pem' },
      'own.pem',
      { ca: `${certificate}\n` },
    ],
    ['has all of a file', {}, 'two.pem', { ca: `${certificate}\n${certificate}\n` }],
    [
      "keeps Node's own beside it",
      { NODE_EXTRA_CA_CERTS: 'own.pem' },
      'own.pem',
      { ca: `${certificate}\n${certificate}\n` },
    ],
    ["leaves Node's own alone to Node", { NODE_EXTRA_CA_CERTS: 'own.pem' }, undefined, {}],
    [
      'names where files may go',
      { GENRUN_UPLOAD_ORIGINS: 'https://files.example, http://127.0.0.1:80' },
      undefined,
      { uploadOrigins: ['https://files.example', 'http://127.0.0.1:80'] },
    ],
    [
      'names hosts of a private network',
      { GENRUN_ALLOW_HOSTS: 'cdn.lan 10.0.0.5' },
      undefined,
      { allowHosts: ['cdn.lan', '10.0.0.5'] },
    ],
    ['says how often it is asked', { GENRUN_POLLS_PER_SECOND: '10' }, undefined, { pollsPerSecond: 10 }],
  ])('%s', (_, env, ca, expected) => {
    expect(reach(env, ca)).toEqual(expected)
  })

  test.each<[Env, string | undefined, string, string]>([
    [
      { https_proxy: 'socks5://x' },
      undefined,
      'bad-proxy',
      'the address of the proxy must look like http://host:port',
    ],
    [{}, 'none.pem', 'bad-ca', 'none.pem, named by --ca, cannot be read: there is no such file'],
    [{ GENRUN_CA: 'key.pem' }, undefined, 'bad-ca', 'key.pem, named by GENRUN_CA, holds no certificate'],
    [{}, 'broken.pem', 'bad-ca', 'broken.pem, named by --ca, holds a certificate that is broken'],
    [
      { GENRUN_UPLOAD_ORIGINS: 'https://files.example/put' },
      undefined,
      'bad-origin',
      'GENRUN_UPLOAD_ORIGINS holds https://files.example/put, which is no origin',
    ],
    ...['0', '51', 'four', '2.5'].map((rate): [Env, undefined, string, string] => [
      { GENRUN_POLLS_PER_SECOND: rate },
      undefined,
      'bad-setting',
      `GENRUN_POLLS_PER_SECOND holds ${rate}, which is no rate`,
    ]),
  ])('is refused for %j and --ca %s', (env, ca, code, message) => {
    expect(reach(env, ca)).toMatchObject({ code, message, hint: expect.any(String) })
  })
})
