import { expect, test } from 'vitest'
import { accessFrom } from '../../src/bucket/access.ts'

const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
const read = { accessKeyId: 'id', secretAccessKey: 'secret' }

test.each([
  [
    { AWS_REGION: 'eu-central-1' },
    { endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1' },
  ],
  [
    { AWS_DEFAULT_REGION: 'eu-west-1' },
    { endpoint: 'https://s3.eu-west-1.amazonaws.com', region: 'eu-west-1' },
  ],
  [{ AWS_ENDPOINT_URL: 'https://a.example/' }, { endpoint: 'https://a.example', region: 'us-east-1' }],
  [
    {
      AWS_ENDPOINT_URL: 'https://a.example',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9/s3',
      AWS_REGION: 'auto',
    },
    { endpoint: 'http://127.0.0.1:9/s3', region: 'auto' },
  ],
  [{ AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 't' }, { sessionToken: 't' }],
])('the environment says with %o where the store is', (env, expected) => {
  expect(accessFrom({ ...keys, ...env })).toMatchObject({ ...read, ...expected })
})

test.each([
  [{}, 'nothing says where the bucket is'],
  [{ AWS_REGION: 'evil.example/' }, 'nothing says where the bucket is'],
  [{ AWS_ACCESS_KEY_ID: ' ', AWS_REGION: 'eu-west-1' }, 'there are no credentials for the bucket'],
  [
    { AWS_ENDPOINT_URL_S3: 'http://10.0.0.1' },
    'must begin with https://, because 10.0.0.1 is not this machine',
  ],
  [{ AWS_ENDPOINT_URL_S3: 'https://a:b@c.example' }, 'holds a user name or a password'],
  [{ AWS_ENDPOINT_URL_S3: 'ftp://c.example' }, 'is not an http or https address'],
])('with %o it is told what is missing', (env, message) => {
  expect(accessFrom({ ...keys, ...env })).toMatchObject({ message: expect.stringContaining(message) })
})
