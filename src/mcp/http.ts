import { createHash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { systemRandom } from '../base/random.ts'
import type { Serving } from './server.ts'

/** The tool server behind an address of this machine. */
interface HttpServing {
  /** For clients: `http://127.0.0.1:4041/mcp`. */
  readonly url: string
  /** Must be sent as `Authorization: Bearer`: other users of this machine can reach the port as well. */
  readonly token: string
  close(): Promise<void>
}

interface HttpOptions {
  /** 0 is any free port. */
  readonly port: number
  /** 32 random hexadecimal digits when it is absent. */
  readonly token?: string
}

// Who opens more has forgotten to close them.
const mostSessions = 32

// An input file of 10 MiB as a data URI, and some words.
const largestRequest = 14 * 1024 ** 2

/**
 * Serves the tools over streamable HTTP on the loopback address alone. Requests of pages from elsewhere are refused by
 * their Origin and Host, and all that lack the token. Rejects with the system's error when the port cannot be had.
 */
export async function serveHttp(
  serving: Serving,
  { port, token = systemRandom.token() }: HttpOptions,
): Promise<HttpServing> {
  const sessions = openSessions(serving)
  const modern = createMcpHandler(() => serving.server(), {
    legacy: 'reject',
    maxRequestBodySize: largestRequest,
  })
  async function answer(request: Request): Promise<Response> {
    const foreign =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (foreign) return foreign
    if (new URL(request.url).pathname !== path) return said(404, `the tools are at ${path}`)
    if (!isToken(request, token))
      return said(401, 'the token is missing or wrong', { 'www-authenticate': 'Bearer' })
    return (await isLegacyRequest(request, undefined, { maxRequestBodySize: largestRequest }))
      ? sessions.answer(request)
      : modern.fetch(request)
  }
  // The gateway of a rehearsal answers in this process as well, with Node's own `Response`.
  const server = createAdaptorServer({ fetch: answer, overrideGlobalObjects: false })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => done())
  })
  const { port: taken } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${taken}${path}`,
    token,
    async close() {
      const closed = new Promise<void>(done => server.close(() => done()))
      await Promise.all([sessions.close(), modern.close()])
      await serving.settle()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}

const path = '/mcp'

interface Sessions {
  answer(request: Request): Promise<Response>
  close(): Promise<void>
}

/** Clients that begin with a handshake have a session each, with a server and a budget of its own. */
function openSessions(serving: Serving): Sessions {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function begin(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => systemRandom.token(),
      maxRequestBodySize: largestRequest,
      async onsessioninitialized(id) {
        open.set(id, transport)
        const [oldest] = open
        if (open.size > mostSessions && oldest) await end(...oldest)
      },
      onsessionclosed: id => void open.delete(id),
    })
    await serving.sessionServer().connect(transport)
    return transport.handleRequest(request)
  }

  async function end(id: string, transport: WebStandardStreamableHTTPServerTransport): Promise<void> {
    open.delete(id)
    await transport.close()
  }

  return {
    answer(request) {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return begin(request)
      const transport = open.get(id)
      if (!transport) return Promise.resolve(said(404, 'there is no such session'))
      // The one that was used last is the last to be closed.
      open.delete(id)
      open.set(id, transport)
      return transport.handleRequest(request)
    },
    async close() {
      await Promise.all([...open].map(each => end(...each)))
    },
  }
}

/** Of the same length whatever is sent, so that no time tells how much of it was right. */
function isToken(request: Request, token: string): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function said(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status, headers })
}
