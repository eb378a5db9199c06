import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { type Dialed, handover } from '../../../src/wire/http/handover.ts'
import type { LastWord } from '../../../src/wire/http/wire.ts'

const dialTo = (socket: Socket) => (_: unknown, done: Dialed) => done(null, socket)

/** A socket that is connected as far as anybody looks. */
function fakeSocket(): Socket {
  const socket = new Socket()
  socket._read = () => {}
  return socket
}

test('a socket is handed over after the hook, and the second dial is refused', async () => {
  const socket = fakeSocket()
  const events: string[] = []
  const gate = handover(dialTo(socket), {
    async beforeFirstByte() {
      events.push(`hook while ${gate.state()}`)
      return () => void events.push(`last word while ${gate.state()}`)
    },
    onHanded: () => events.push(`handed while ${gate.state()}`),
  })
  const [error, handed] = await dialed(gate.dial)
  expect([error, handed]).toEqual([null, socket])
  const all = ['hook while waiting', 'last word while waiting', 'handed while handed']
  expect(events).toEqual(all)
  const [refused] = await dialed(gate.dial)
  expect(refused?.message).toBe('a second connection for one request was refused')
  expect(events).toEqual(all)
})

test('a second dial is refused also when the first one failed', async () => {
  let dials = 0
  const gate = handover(
    (_: unknown, done: Dialed) => {
      dials++
      done(new Error('no route'), null)
    },
    { beforeFirstByte: async () => expect.unreachable(), onHanded: () => expect.unreachable() },
  )
  expect((await dialed(gate.dial))[0]?.message).toBe('no route')
  expect((await dialed(gate.dial))[0]?.message).toBe('a second connection for one request was refused')
  expect([dials, gate.state()]).toEqual([1, 'waiting'])
})

test.each<[string, (socket: Socket) => void, string]>([
  ['destroyed', socket => socket.destroy(), 'the service closed the connection at once'],
  ['ended', socket => end(socket), 'the service closed the connection at once'],
  ['already speaking', socket => socket.push('HTTP/1.1 200 OK'), 'the service spoke before it was asked'],
])('a socket that is %s after the hook is not handed over', async (_, spoil, message) => {
  const socket = fakeSocket()
  const gate = handover(dialTo(socket), {
    async beforeFirstByte() {
      spoil(socket)
      return () => expect.unreachable()
    },
    onHanded: () => expect.unreachable(),
  })
  const [error] = await dialed(gate.dial)
  expect(error?.message).toBe(message)
  expect([gate.state(), socket.destroyed, gate.thrown()]).toEqual(['held', true, undefined])
})

const refuse = () => {
  throw undefined
}

test.each<[string, () => Promise<LastWord>]>([
  ['rejects with', async () => refuse()],
  ['throws at last', async () => refuse],
])('what the hook %s is kept, whatever it is, and the socket is destroyed', async (_, beforeFirstByte) => {
  const socket = fakeSocket()
  const gate = handover(dialTo(socket), { beforeFirstByte, onHanded: () => expect.unreachable() })
  expect((await dialed(gate.dial))[0]?.message).toBe('held back before the first byte')
  expect([gate.state(), socket.destroyed, gate.thrown()]).toEqual(['held', true, { cause: undefined }])
})

function dialed(dial: (options: object, done: Dialed) => void): Promise<[Error | null, Socket | null]> {
  return new Promise(resolve => dial({}, (...result) => resolve(result)))
}

function end(socket: Socket): void {
  socket.push(null)
  Readable.prototype.read.call(socket, 0)
}
