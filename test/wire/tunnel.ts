import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { certificate, certificateKey } from './certificate.ts'
import { rawServer } from './servers.ts'

/** A service over TLS, with the certificate that nobody trusts. `seen` are its requests in one line each. */
export async function secureServer(answer: RequestListener) {
  const seen: string[] = []
  const server = createServer({ cert: certificate, key: certificateKey }, (request, response) => {
    request.resume().on('end', () => {
      seen.push(`${request.method} ${request.headers.host} ${request.url}`)
      answer(request, response)
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // not a pipe
  return { port, seen }
}

/** A proxy that knows where every name is: on this machine. */
export async function proxyServer(refusal?: string) {
  const asked: string[] = []
  const server = await rawServer({
    data(socket, sofar) {
      if (!sofar.endsWith('\r\n\r\n') || !sofar.startsWith('CONNECT')) return
      asked.push(sofar)
      if (refusal !== undefined) return void socket.end(refusal)
      socket.removeAllListeners('data')
      const port = Number(/^CONNECT [^:]+:(\d+)/.exec(sofar)?.[1])
      const far = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        socket.pipe(far).pipe(socket)
      })
      far.on('error', () => socket.destroy())
    },
  })
  return { ...server, asked }
}
