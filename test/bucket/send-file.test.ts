import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { openObjectStore } from '../../src/bucket/s3.ts'
import { newSeries, sendFile } from '../../src/bucket/send-file.ts'
import { systemDisk } from '../../src/store/files/disk.ts'
import { type Door, type Fault, freshFolder, made, openDoor } from './store.ts'

const MiB = 1024 * 1024
const long = Buffer.alloc(6 * MiB, 'tea and slate ')
const name = (bytes: Uint8Array) => `files/${createHash('sha256').update(bytes).digest('hex')}`

/** Sends a file of two parts, as a process of its own would. What was told. */
async function send(door: Door, folder: string, prefix: string): Promise<string | undefined> {
  const tools = { clock: systemClock, signal: new AbortController().signal, way: {}, waitMs: 1 }
  const store = await openObjectStore({ bucket: 'results', prefix }, door.access, tools)
  const path = join(folder, 'out', 'long.png')
  const [file] = made(folder, 'short').files
  if (!file) throw new Error('no file')
  const digest = `sha256:${name(long).slice(6)}` as typeof file.digest
  const notes = join(folder, 'notes')
  const sizes = { part: 5 * MiB, inParts: 5 * MiB }
  const saved = { ...file, digest, bytes: long.length }
  try {
    await sendFile({ store, name: name(long), file: saved, path, disk: systemDisk, notes, sizes })
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    await store.close()
  }
}

function longFile(): string {
  const folder = freshFolder()
  made(folder, 'long', long)
  return folder
}

test('a fault at any request of a long file leaves no object, and doing it again goes on', async () => {
  const door = await openDoor()
  const folder = longFile()
  // It is asked whether it is there, begun, sent in two parts, ended, and asked whether it is whole.
  const cases: [Fault, number][] = [
    ['refuse', 1],
    ['lose the answer', 1],
    ['200 with an error', 1],
    ['lose the answer', 2],
    ['200 with an error', 2],
    ['refuse', 3],
    ['cut', 3],
    ['lose the answer', 4],
    ['cut', 4],
    ['200 with an error', 4],
    ['200 with an error', 5],
  ]
  for (const [fault, nth] of cases) {
    const prefix = `${fault} ${nth}`.replaceAll(' ', '-')
    door.fault(fault, nth)
    const told = await send(door, folder, prefix)
    door.fault(undefined)
    if (told !== undefined) expect(await send(door, folder, prefix), prefix).toBeUndefined()
    expect(await door.client.getContentLength(`${prefix}/${name(long)}`), prefix).toBe(long.length)
    expect(readdirSync(join(folder, 'notes')), prefix).toEqual([])
    await door.client.deleteObject(`${prefix}/${name(long)}`)
  }
})

test('parts that were sent before a crash are not sent again, unless the file is another one by now', async () => {
  const door = await openDoor()
  const folder = longFile()
  const parts = () => door.seen.filter(each => each.startsWith('PUT'))
  await stopAt(door, folder, 2)
  const before = parts().length
  expect(await send(door, folder, 'a')).toBeUndefined()
  expect(parts().length - before).toBe(1)

  await stopAt(door, folder, 2, 'b')
  const [note = ''] = readdirSync(join(folder, 'notes'))
  const at = join(folder, 'notes', note)
  writeFileSync(at, readFileSync(at, 'utf8').replace(/"digest":"sha256:./, '"digest":"sha256:x'))
  const then = parts().length
  expect(await send(door, folder, 'b')).toBeUndefined()
  expect(parts().length - then).toBe(2)
  await door.look()
})

/** Ends an upload before its nth part for good. */
async function stopAt(door: Door, folder: string, nth: number, prefix = 'a'): Promise<void> {
  const upload = send(door, folder, prefix)
  door.fault('503', 1 + nth, 4)
  expect(await upload).toMatch(/the store answers 503/)
}

test('an upload that was stopped in its first part goes on, and none is left over', async () => {
  const door = await openDoor()
  const folder = longFile()
  await stopAt(door, folder, 1)
  expect(await send(door, folder, 'a')).toBeUndefined()
  expect(door.seen.filter(each => each.endsWith('?uploads=')).length).toBe(1)
  expect(readdirSync(join(folder, 'notes'))).toEqual([])
  await door.look()
})

test('an upload that the store has thrown away begins anew', async () => {
  const door = await openDoor()
  const folder = longFile()
  await stopAt(door, folder, 2)
  const [note = ''] = readdirSync(join(folder, 'notes'))
  const { id } = JSON.parse(readFileSync(join(folder, 'notes', note), 'utf8')) as { readonly id: string }
  await door.client.abortMultipartUpload(`a/${name(long)}`, id)
  expect(await send(door, folder, 'a')).toBeUndefined()
  writeFileSync(join(folder, 'out', 'long.png'), Buffer.alloc(long.length))
  expect(await send(door, folder, 'c')).toMatch(/it was altered since it was made/)
  expect(await door.client.objectExists(`c/${name(long)}`)).toBe(false)
})

/** Sends files one after the other, as one run does. */
async function openSeries(endpoint: Door['access'], folder: string) {
  const tools = { clock: systemClock, signal: new AbortController().signal, way: {}, waitMs: 1 }
  const store = await openObjectStore({ bucket: 'results', prefix: '' }, endpoint, tools)
  onTestFinished(() => store.close())
  const series = newSeries()
  const send = async (contents: string, saved = contents, replaces = false) => {
    const [file] = made(folder, 'next', saved).files
    if (!file) throw new Error('no file')
    const path = join(folder, file.path)
    writeFileSync(path, contents)
    const sending = { store, name: name(Buffer.from(saved)), file, path, disk: systemDisk, notes: folder }
    await sendFile({ ...sending, series, replaces })
  }
  return { store, send }
}

test('new files are sent without being asked for, until one is there', async () => {
  const door = await openDoor()
  const { store, send } = await openSeries(door.access, freshFolder())
  const asked = async (contents: string, replaces = false) => {
    const before = door.seen.length
    await send(contents, contents, replaces)
    return door.seen.slice(before).map(each => each.split(' ')[0])
  }
  const objects = [['there'], ['there as well'], ['damaged', 'dam'], ['black', 'BLACK']] as const
  for (const [contents, stored] of objects) {
    const bytes = Buffer.from(stored ?? contents)
    const object = { type: 'image/png', bytes: bytes.length, body: () => bytes }
    await store.write(name(Buffer.from(contents)), object, { isNew: true })
  }
  expect(await asked('one, and the longest of them all')).toEqual(['HEAD', 'PUT'])
  expect(await asked('two')).toEqual(['PUT'])
  expect(await asked('')).toEqual(['PUT'])
  expect(await asked('black', true)).toEqual(['HEAD', 'PUT'])
  expect(await asked('three and a half')).toEqual(['HEAD', 'PUT'])
  expect(await asked('there')).toEqual(['PUT', 'HEAD'])
  expect(await asked('there as well')).toEqual(['HEAD'])
  expect(await asked('three')).toEqual(['HEAD', 'PUT'])
  expect(await asked('damaged')).toEqual(['PUT', 'HEAD', 'PUT'])
  expect(await asked('four')).toEqual(['HEAD', 'PUT'])
  door.fault('lose the answer')
  expect(await asked('five')).toEqual(['PUT', 'PUT', 'HEAD'])
  expect((await door.look()).size).toBe(11)
})

test('of a file that is altered nothing is sent, and the next one is whole', async () => {
  const door = await openDoor()
  const { send } = await openSeries(door.access, freshFolder())
  await send('something long to begin with')
  for (const altered of ['TEA', 'tea and more', 'te', 'tea'.repeat(3 * MiB)])
    await expect(send(altered, 'tea')).rejects.toThrow('it was altered since it was made')
  await send('tea')
  expect([...(await door.look()).values()].map(String).toSorted()).toEqual([
    'something long to begin with',
    'tea',
  ])
})

test('a store that cuts off what it does not want is asked then', async () => {
  const there = Buffer.alloc(6 * MiB, 'there').toString()
  const seen: string[] = []
  const server = createServer((request, response) => {
    const isThere = request.url?.endsWith(name(Buffer.from(there))) ?? false
    seen.push(request.method ?? '')
    if (request.method === 'HEAD')
      return response.writeHead(isThere ? 200 : 404, { 'content-length': there.length, etag: '"1"' }).end()
    if (!isThere) return request.resume().on('end', () => response.writeHead(200, { etag: '"1"' }).end())
    return request.socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  const keys = { accessKeyId: 'id', secretAccessKey: 'secret', region: 'us-east-1' }
  const { send } = await openSeries({ ...keys, endpoint: `http://127.0.0.1:${port}` }, freshFolder())
  await send('one')
  await send(there)
  await send('two')
  expect(seen).toEqual(['HEAD', 'PUT', 'PUT', 'PUT', 'PUT', 'PUT', 'HEAD', 'HEAD', 'PUT'])
})
