import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server on loopback that lives as long as the test. */
interface TestServer {
  readonly origin: string
  readonly port: number
}

interface WebServer extends TestServer {
  /** Everything that came, in order, with its body. */
  readonly requests: {
    readonly method: string
    readonly path: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
}

/** An HTTP server; every request is read to its end before it is answered. */
export async function webServer(answer: RequestListener): Promise<WebServer> {
  const requests: WebServer['requests'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += String(chunk)
    })
    request.on('end', () => {
      requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      answer(request, response)
    })
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ...(await listen(server)), requests }
}

interface RawServer extends TestServer {
  readonly connections: () => number
  /** Bytes received over all connections. */
  readonly bytes: () => number
}

/** A TCP server that does what it likes. `onData` is called with everything a connection has sent so far. */
export async function rawServer(on: {
  connect?: (socket: Socket) => void
  data?: (socket: Socket, sofar: string) => void
}): Promise<RawServer> {
  let connections = 0
  let bytes = 0
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    connections++
    sockets.add(socket)
    let sofar = ''
    socket.on('error', () => {})
    socket.on('data', chunk => {
      bytes += chunk.byteLength
      sofar += chunk.toString('latin1')
      on.data?.(socket, sofar)
    })
    on.connect?.(socket)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { ...(await listen(server)), connections: () => connections, bytes: () => bytes }
}

/** Whether everything that a request with a JSON body sends has come. */
export function isWhole(sofar: string): boolean {
  const [head = '', body] = sofar.split('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(head)
  return body !== undefined && body.length >= Number(length?.[1] ?? 0)
}

async function listen(server: {
  listen(port: number, host: string, done: () => void): unknown
  address(): unknown
}): Promise<TestServer> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  // A listening TCP server's address is never a pipe's name.
  const { port } = server.address() as AddressInfo
  return { port, origin: `http://127.0.0.1:${port}` }
}
