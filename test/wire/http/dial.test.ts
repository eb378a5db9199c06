import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dialer } from '../../../src/wire/http/dial.ts'
import { collectGarbage } from '../../collect-garbage.ts'

test('a connection shows signs of life, and the system is asked for them once', async () => {
  const server = createServer(socket => socket.on('error', () => undefined))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? String(address.port) : expect.unreachable()
  const asked = vi.spyOn(Socket.prototype, 'setKeepAlive')
  onTestFinished(() => asked.mockRestore())
  const dial = dialer({ timeoutMs: 0 })
  const socket = await new Promise<Socket>((done, failed) =>
    dial({ hostname: '127.0.0.1', protocol: 'http:', port }, (error, dialed) =>
      error ? failed(error) : done(dialed),
    ),
  )
  expect(asked.mock.calls).toEqual([[true, 60_000]])
  expect(socket.connecting).toBe(false)
  socket.destroy()
})

test('a proxy that takes a connection and says nothing is given up in time, whatever is collected meanwhile', async () => {
  const server = createServer(socket => void socket.on('error', () => undefined))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : expect.unreachable()
  const dial = dialer({ timeoutMs: 500, proxy: { https: `http://127.0.0.1:${port}` } })
  const asked = once(server, 'connection')
  const answered = new Promise<Error | null>(done =>
    dial({ hostname: 'service.example', protocol: 'https:', port: '443' }, (...[error]) => done(error)),
  )
  await asked
  collectGarbage()
  const error = await Promise.race([answered, setTimeout(10_000)])
  expect(error).toMatchObject({ message: `the proxy 127.0.0.1:${port}: it did not answer in time` })
})
