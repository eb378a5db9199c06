import { expect, test } from 'vitest'
import { notSigned, signatureOf } from '../../../src/gateway/s3/signature.ts'

// The worked examples of the published documentation: "Signature Calculations for the Authorization Header", S3 API reference.
const keys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const ofNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const date = '20130524T000000Z'
const wall = Date.UTC(2013, 4, 24)

const published: [string, { method?: string; target: string; headers?: Record<string, string> }, string][] = [
  [
    'a part of an object',
    { target: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'an object that is put',
    {
      method: 'PUT',
      target: '/test%24file.text',
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a question without a value',
    { target: '/?lifecycle' },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list',
    { target: '/?max-keys=2&prefix=J' },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
]

const signed = ({ method = 'GET', target, headers = {} }: (typeof published)[number][1]) => {
  const all = {
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': ofNothing,
    'x-amz-date': date,
    ...headers,
  }
  return { names: Object.keys(all).toSorted(), request: { method, target, headers: new Headers(all) } }
}

test.each(published)('%s is signed as published', (_, what, signature) => {
  const { names, request } = signed(what)
  const scope = { day: '20130524', region: 'us-east-1', date, names }
  expect(signatureOf(request, keys.secretAccessKey, scope)).toBe(signature)
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names.join(';')},Signature=${signature}`
  request.headers.set('authorization', authorization)
  expect(notSigned(request, keys, wall)).toBeUndefined()
  expect(notSigned({ ...request, method: 'DELETE' }, keys, wall)?.code).toBe('SignatureDoesNotMatch')
  expect(notSigned({ ...request, target: `${request.target}1` }, keys, wall)?.code).toBe(
    'SignatureDoesNotMatch',
  )
  expect(notSigned(request, { ...keys, secretAccessKey: 'another' }, wall)?.code).toBe(
    'SignatureDoesNotMatch',
  )
  expect(notSigned(request, { ...keys, accessKeyId: 'another' }, wall)?.code).toBe('InvalidAccessKeyId')
  expect(notSigned(request, keys, wall + 16 * 60_000)?.code).toBe('RequestTimeTooSkewed')
  request.headers.set('x-amz-acl', 'public-read')
  expect(notSigned(request, keys, wall)?.code).toBe('AccessDenied')
})

test.each([
  [undefined, 'AccessDenied'],
  ['Bearer key', 'AuthorizationHeaderMalformed'],
  ['AWS4-HMAC-SHA256 Credential=a', 'AuthorizationHeaderMalformed'],
])('%s lets nobody in', (authorization, code) => {
  const { request } = signed({ target: '/' })
  if (authorization !== undefined) request.headers.set('authorization', authorization)
  expect(notSigned(request, keys, wall)?.code).toBe(code)
})
