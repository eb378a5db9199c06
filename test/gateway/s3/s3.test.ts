import { S3mini } from 's3mini'
import { expect, test } from 'vitest'
import type { Gateway, GatewayOptions } from '../../../src/gateway/server.ts'
import { start } from '../start.ts'

/** The door as a library of somebody else's sees it. */
async function atTheDoor(options: Partial<GatewayOptions> = {}, secret?: string) {
  const { s3 } = await start({ s3: 'results', ...options })
  if (!s3) throw new Error('no bucket')
  const { endpoint, accessKeyId, secretAccessKey } = s3
  const keys = { accessKeyId, secretAccessKey: secret ?? secretAccessKey }
  return new S3mini({ ...keys, endpoint: `${endpoint}/results`, region: 'us-east-1' })
}

const ifNew = { 'if-none-match': '*' } as {} // the library passes every header on
const statusOf = (asked: Promise<unknown>): Promise<number> =>
  asked.then(
    () => 200,
    (error: { readonly status?: number }) => error.status ?? 0,
  )

test('an object is there whole, in parts and by its head, until it is removed', async () => {
  const s3 = await atTheDoor()
  const key = "a b/ü'(1)+!*.png"
  await s3.putObject(key, 'tea and slate', 'image/png')
  expect(await s3.getObject(key)).toBe('tea and slate')
  expect(await (await s3.getObjectRaw(key, false, 4, 7)).text()).toBe('and')
  expect(await s3.getContentLength(key)).toBe(13)
  expect(await s3.getEtag(key)).toBe('1173f30e81e058a58b8a7b2755f4a182')
  const whole = await s3.getObjectResponse(key)
  expect(whole?.headers.get('content-type')).toBe('image/png')
  expect(await statusOf(s3.getObjectRaw(key, false, 40, 70))).toBe(416)
  await s3.deleteObject(key)
  expect([await s3.getObject(key), await s3.objectExists(key)]).toEqual([null, false])
})

test('of writers that come together one has its condition fulfilled, and nothing is replaced', async () => {
  const s3 = await atTheDoor()
  const writers = Array.from({ length: 8 }, (_, nth) =>
    statusOf(s3.putObject('a', `writer ${nth}`, 'text/plain', undefined, ifNew)),
  )
  const statuses = await Promise.all(writers)
  expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  expect(await s3.getObject('a')).toBe(`writer ${statuses.indexOf(200)}`)
  const stale = { 'if-match': '"0"' } as {}
  expect(await statusOf(s3.putObject('a', 'later', 'text/plain', undefined, stale))).toBe(412)
  const known = { 'if-match': `"${await s3.getEtag('a')}"` } as {}
  expect(await statusOf(s3.putObject('a', 'later', 'text/plain', undefined, known))).toBe(200)
})

test('what is sent in parts is there when it is complete, and not before', async () => {
  const s3 = await atTheDoor()
  const id = await s3.getMultipartUploadId('film', 'video/mp4')
  const first = await s3.uploadPart('film', id, 'a'.repeat(5 * 1024 * 1024), 1)
  const second = await s3.uploadPart('film', id, 'end', 2)
  expect(await s3.getObject('film')).toBeNull()
  expect(await statusOf(s3.completeMultipartUpload('film', id, [second, first]))).toBe(400)
  expect(await statusOf(s3.completeMultipartUpload('film', id, [first, { ...second, etag: '0' }]))).toBe(400)
  expect(await statusOf(s3.completeMultipartUpload('film', 'another', [first, second]))).toBe(404)
  const { etag } = await s3.completeMultipartUpload('film', id, [first, second])
  expect(etag).toMatch(/^[0-9a-f]{32}-2$/)
  expect(await s3.getContentLength('film')).toBe(5 * 1024 * 1024 + 3)
  const other = await s3.getMultipartUploadId('film')
  await s3.uploadPart('film', other, 'small', 1)
  await s3.abortMultipartUpload('film', other)
  expect(await statusOf(s3.uploadPart('film', other, 'small', 2))).toBe(404)
  const small = await s3.getMultipartUploadId('small')
  const parts = [await s3.uploadPart('small', small, 'a', 1), await s3.uploadPart('small', small, 'b', 2)]
  expect(await statusOf(s3.completeMultipartUpload('small', small, parts))).toBe(400)
})

test('a list has its keys in their order, a page at a time', async () => {
  const { s3 } = await start({ s3: 'results', key: 'secret-of-mine' })
  const { signedFetch, keysIn } = listing(s3)
  const client = new S3mini({ ...signedFetch, region: 'auto' })
  for (const key of ['b/2', 'b/1', 'a', 'b/3', 'c&<d']) await client.putObject(key, key)
  expect(keysIn(await client.listObjectsPaged('/', 'b/', 2))).toEqual(['b/1', 'b/2'])
  expect(keysIn({ objects: await client.listObjects('/', '') })).toEqual(['a', 'b/1', 'b/2', 'b/3', 'c&<d'])
})

function listing(s3: Gateway['s3']) {
  if (!s3) throw new Error('no bucket')
  return {
    signedFetch: { ...s3, endpoint: `${s3.endpoint}/results` },
    keysIn: (page: { objects: { Key: string }[] | null } | null | undefined) =>
      page?.objects?.map(({ Key }) => Key),
  }
}

test('nobody gets in with another key, or without one, nor finds another bucket', async () => {
  const gateway = await start({ s3: 'results' })
  expect(await statusOf((await atTheDoor({}, 'another')).putObject('a', 'b'))).toBe(403)
  const { s3 } = gateway
  const unsigned = await fetch(`${s3?.endpoint}/results/a`)
  expect([unsigned.status, await unsigned.text()]).toEqual([
    403,
    expect.stringContaining('<Code>AccessDenied</Code>'),
  ])
  const elsewhere = new S3mini({
    ...s3,
    endpoint: `${s3?.endpoint}/others`,
    region: 'auto',
  } as ConstructorParameters<typeof S3mini>[0])
  expect(await statusOf(elsewhere.putObject('a', 'b'))).toBe(404)
  expect((await start()).s3).toBeUndefined()
})

test('what there is no room for is not taken', async () => {
  const s3 = await atTheDoor({ maxStoreBytes: 10 })
  expect(await statusOf(s3.putObject('a', '12345678'))).toBe(200)
  expect(await statusOf(s3.putObject('b', '123'))).toBe(507)
  await s3.deleteObject('a')
  expect(await statusOf(s3.putObject('b', '123'))).toBe(200)
})
