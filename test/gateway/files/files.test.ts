import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Render } from '../../../src/gateway/runs/work.ts'
import { freshFolder, order, result, start } from '../start.ts'

const poster = { model: 'famb-v4', prompt: 'A teapot' }
const text = 'image 1 of 1: A teapot'

/** A render of so many bytes a file, however many are asked for. */
function bulk(bytes: number): Render {
  return async ({ count }) =>
    Array.from({ length: count }, () => ({
      bytes: Buffer.alloc(bytes, 'x'),
      type: 'image/png',
      extension: 'png',
    }))
}

test('a file is served with its length, its type and a strong tag, and without the key', async () => {
  const gateway = await start()
  const { body } = await order(gateway, 'execute', poster)
  const response = await fetch(body.outputs[0].url)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-length': '22',
    'content-type': 'image/png',
    etag: `"${body.id}/1.png"`,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  })
  expect(await response.text()).toBe(text)
})

test.each<[string, Record<string, string>, number, string, string | null]>([
  ['a range', { range: 'bytes=6-11' }, 206, '1 of 1', 'bytes 6-11/22'],
  ['an open range', { range: 'bytes=16-' }, 206, 'teapot', 'bytes 16-21/22'],
  ['a suffix', { range: 'bytes=-3' }, 206, 'pot', 'bytes 19-21/22'],
  ['If-Range with the tag', { range: 'bytes=-3', 'if-range': 'TAG' }, 206, 'pot', 'bytes 19-21/22'],
  ['If-Range with another tag', { range: 'bytes=-3', 'if-range': '"other"' }, 200, text, null],
  ['If-None-Match', { 'if-none-match': 'TAG' }, 304, '', null],
])('%s', async (_, headers, status, body, range) => {
  const gateway = await start()
  const made = await order(gateway, 'execute', poster)
  const tag = `"${made.body.id}/1.png"`
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('TAG', tag)]),
  )
  const response = await fetch(made.body.outputs[0].url, { headers: sent })
  expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
    status,
    body,
    range,
  ])
  expect(response.headers.get('etag')).toBe(tag)
})

test('a range outside the file is refused with its length', async () => {
  const gateway = await start()
  const { body } = await order(gateway, 'execute', poster)
  const response = await fetch(body.outputs[0].url, { headers: { range: 'bytes=22-' } })
  expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */22'])
})

test('HEAD tells everything but the bytes', async () => {
  const gateway = await start()
  const { body } = await order(gateway, 'execute', poster)
  const response = await fetch(body.outputs[0].url, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-length')]).toEqual([200, '22'])
  expect(await response.text()).toBe('')
})

test('links expire, fresh ones come with the result, and a signature cannot be made up', async () => {
  let now = 1_000_000
  const gateway = await start({
    linkSeconds: 60,
    clock: { now: () => now, wall: () => now, until: async () => undefined },
  })
  const { body } = await order(gateway, 'execute', poster)
  const [{ url }] = body.outputs
  expect((await fetch(url)).status).toBe(200)
  const forged = url.replace(/expires=\d+/, 'expires=9999999999999')
  expect((await fetch(forged)).status).toBe(403)
  expect((await fetch(url.replace(/\?.*/, ''))).status).toBe(403)
  now += 60_000
  const gone = await fetch(url)
  expect([gone.status, ((await gone.json()) as { error: { code: string } }).error.code]).toEqual([
    410,
    'link_expired',
  ])
  const again = await result(gateway, 'famb-v4', body.id)
  expect((await fetch(again.body.outputs[0].url)).status).toBe(200)
})

test('links lead to where the request came in', async () => {
  const gateway = await start()
  const { body } = await order(
    { ...gateway, baseUrl: gateway.baseUrl.replace('127.0.0.1', 'localhost') },
    'execute',
    poster,
  )
  expect(body.outputs[0].url).toMatch(/^http:\/\/localhost:\d+\/gw-v2\/files\//)
})

test('a folder holds one folder a run, and serves what an earlier gateway left there', async () => {
  const folder = join(freshFolder(), 'outputs')
  const first = await start({ outputs: { folder } })
  const { body } = await order(first, 'execute', { model: 'famb-v3', prompt: 'A teapot', count: 2 })
  expect(await readdir(folder)).toEqual([body.id])
  expect(await readFile(join(folder, body.id, '2.png'), 'utf8')).toBe('image 2 of 2: A teapot')
  await first.close()
  const second = await start({ outputs: { folder } })
  const response = await fetch(`${second.baseUrl}/files/${body.id}/2.png`, { headers: { range: 'bytes=-6' } })
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    206,
    'image/png',
    'teapot',
  ])
})

test('above its limit the oldest files are given up, those that were fetched first', async () => {
  const gateway = await start({ render: bulk(400), maxStoreBytes: 1000 })
  const runs = []
  for (const prompt of ['first', 'second'])
    runs.push((await order(gateway, 'execute', { ...poster, prompt })).body)
  const [first, second] = runs
  expect((await (await fetch(second.outputs[0].url)).arrayBuffer()).byteLength).toBe(400)
  const third = (await order(gateway, 'execute', { ...poster, prompt: 'third' })).body
  const statuses = await Promise.all([first, second, third].map(run => fetch(run.outputs[0].url)))
  expect(statuses.map(response => response.status)).toEqual([200, 404, 200])
  const gone = await result(gateway, 'famb-v4', second.id)
  expect([gone.status, gone.body.error.code]).toEqual([410, 'result_expired'])
})

test('a folder above its limit loses what it is given up, and nothing that is not ours', async () => {
  const folder = freshFolder()
  await writeFile(join(folder, 'mine.txt'), 'mine')
  const gateway = await start({ outputs: { folder }, render: bulk(400), maxStoreBytes: 1000 })
  const ids = []
  for (const prompt of ['first', 'second', 'third']) {
    ids.push((await order(gateway, 'execute', { ...poster, prompt })).body.id)
  }
  expect(new Set(await readdir(folder))).toEqual(new Set(['mine.txt', ids[1], ids[2]]))
  await gateway.close()
  // Files made within one tick of the file system's clock have no order.
  await utimes(join(folder, ids[1], '1.png'), 0, 0)
  const smaller = await start({ outputs: { folder }, maxStoreBytes: 500 })
  expect(new Set(await readdir(folder))).toEqual(new Set(['mine.txt', ids[2]]))
  await smaller.close()
})

test('a folder that only looks like one of a run is not served, and nothing in it goes', async () => {
  const folder = freshFolder()
  await mkdir(join(folder, 'a'.repeat(32)))
  await writeFile(join(folder, 'a'.repeat(32), '1.png'), 'mine'.repeat(500))
  const gateway = await start({ outputs: { folder }, render: bulk(400), maxStoreBytes: 500 })
  expect((await fetch(`${gateway.baseUrl}/files/${'a'.repeat(32)}/1.png`)).status).toBe(404)
  for (const prompt of ['first', 'second']) await order(gateway, 'execute', { ...poster, prompt })
  expect((await readdir(folder)).length).toBe(2)
  expect(await readdir(join(folder, 'a'.repeat(32)))).toEqual(['1.png'])
})

test('a large file comes whole', async () => {
  const folder = freshFolder()
  const gateway = await start({ outputs: { folder }, render: bulk(30_000_000) })
  const { body } = await order(gateway, 'execute', poster)
  const bytes = new Uint8Array(await (await fetch(body.outputs[0].url)).arrayBuffer())
  expect(bytes.byteLength).toBe(30_000_000)
  expect(bytes.every(byte => byte === 120)).toBe(true)
})

test('a file that somebody took away breaks the connection instead of passing for a whole one', async () => {
  const folder = freshFolder()
  const gateway = await start({ outputs: { folder } })
  const { body } = await order(gateway, 'execute', { model: 'famb-v3', prompt: 'A teapot', count: 2 })
  const [gone, shorter] = body.outputs
  await rm(join(folder, body.id, '1.png'))
  await writeFile(join(folder, body.id, '2.png'), 'image 2')
  for (const { url } of [gone, shorter]) {
    const response = await fetch(url)
    await expect(response.arrayBuffer()).rejects.toThrow()
  }
})
