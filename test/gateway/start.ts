import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RenderedFile, RenderRequest } from '../../src/gateway/render/order/request.ts'
import type { Render } from '../../src/gateway/runs/work.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'

/** An empty folder, removed after the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-gateway-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A picture of one pixel. */
export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A tenth of a second of silence. */
export const silence = `data:audio/wav;base64,${wav(800).toString('base64')}`

/** Renders nothing: the files are the request's own words, so that a test sees what was ordered. */
export const echo = async (request: RenderRequest): Promise<RenderedFile[]> =>
  Array.from({ length: request.count }, (_, nth) => ({
    bytes: Buffer.from(`${request.kind} ${nth + 1} of ${request.count}: ${request.prompt}`),
    type: types[request.kind][0],
    extension: types[request.kind][1],
    ...(request.width !== undefined && { width: request.width, height: request.height }),
    ...(request.seconds !== undefined && { seconds: request.seconds }),
  }))

/** A renderer that remembers what it was asked for. */
export function watched(render: Render = echo): { readonly seen: RenderRequest[]; readonly render: Render } {
  const seen: RenderRequest[] = []
  return {
    seen,
    render: request => {
      seen.push(request)
      return render(request)
    },
  }
}

const types = {
  image: ['image/png', 'png'],
  video: ['video/mp4', 'mp4'],
  audio: ['audio/wav', 'wav'],
  file: ['model/gltf-binary', 'glb'],
} as const

/** A listening gateway that ends with the test; it echoes unless another renderer is given. */
export async function start(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const gateway = await startGateway({ outputs: 'memory', render: echo, ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; answers are looked at by tests, which know their shape. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests know the shape
  readonly body: any
}

/** Orders: `params` as the built-in profile sends them. */
export async function order(
  gateway: Gateway,
  mode: 'execute' | 'submit',
  params: { model: string; [name: string]: unknown },
  headers: Record<string, string> = {},
): Promise<Reply> {
  return send(gateway, `/workflows/${params.model}/${mode}`, { method: 'POST', json: { params }, headers })
}

export async function result(gateway: Gateway, model: string, id: string): Promise<Reply> {
  return send(gateway, `/workflows/${model}/${id}/result`)
}

/** Reads a result until it is finished, as fast as the gateway answers. */
export async function finished(gateway: Gateway, model: string, id: string): Promise<Reply> {
  for (;;) {
    const reply = await result(gateway, model, id)
    if (reply.status !== 202) return reply
  }
}

interface Request {
  readonly method?: string
  readonly json?: unknown
  readonly body?: string | Uint8Array
  readonly headers?: Record<string, string>
}

export async function send(gateway: Gateway, path: string, request: Request = {}): Promise<Reply> {
  const { method = 'GET', json, body = null } = request
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.key}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    body: json === undefined ? body : JSON.stringify(json),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json' && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

function wav(samples: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples * 2, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples * 2, 40)
  return Buffer.concat([head, Buffer.alloc(samples * 2)])
}
