import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import type { OwnGate } from '../../src/looks/own-gate.ts'
import { serveHttp } from '../../src/mcp/http.ts'
import { openServing, type Serving } from '../../src/mcp/server.ts'
import { openSessionBudget } from '../../src/workspace/session-budget.ts'
import { executable } from '../e2e/executable.ts'

/** How a client comes to the server. `session`: with the handshake of 2025; `stateless`: the revision after it. */
export const ways = ['memory', 'http session', 'http stateless'] as const

type Way = (typeof ways)[number]

interface Setup {
  readonly gateway?: Partial<GatewayOptions>
  readonly maxPaid?: number
  /** Of each session; all have one budget when it is absent. */
  readonly perSession?: number
  readonly readOnly?: boolean
  readonly gates?: readonly OwnGate[]
  readonly way?: Way
}

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'genrun-mcp-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

export async function started(setup: Setup = {}) {
  const { gateway: options, maxPaid, perSession, readOnly = false, gates = [] } = setup
  const gateway = await startGateway({ outputs: 'memory', ...options })
  onTestFinished(() => gateway.close())
  const cwd = folder()
  const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false }
  const budget = openSessionBudget({ ...(maxPaid !== undefined && { maxPaid }) }, undefined, cwd)
  const openBudget = () =>
    openSessionBudget(perSession === undefined ? {} : { maxPaid: perSession }, undefined, cwd, {
      within: budget,
    })
  const session = { service, cwd, budget, readOnly, gates, ...(perSession !== undefined && { openBudget }) }
  return { gateway, cwd, serving: openServing(session, '0.0.0') }
}

export async function connected(setup: Setup = {}) {
  const { gateway, cwd, serving } = await started(setup)
  const client = await clientOf(serving, setup.way ?? 'memory')
  onTestFinished(() => client.close())
  return { client, gateway, cwd, serving }
}

export async function clientOf(serving: Serving, way: Way): Promise<Client> {
  const mode = way === 'http stateless' ? 'auto' : 'legacy'
  const client = new Client({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode } })
  if (way === 'memory') {
    const [here, there] = InMemoryTransport.createLinkedPair()
    await Promise.all([serving.server().connect(there), client.connect(here)])
    return client
  }
  const server = await serveHttp(serving, { port: 0 })
  onTestFinished(() => server.close())
  await client.connect(transportTo(server))
  return client
}

export function transportTo({ url, token }: { url: string; token: string }): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { authProvider: { token: async () => token } })
}

export function textOf({ content }: { content: readonly { type: string; text?: string }[] }): string {
  return content.flatMap(each => (each.type === 'text' ? [each.text ?? ''] : [])).join('\n')
}

export async function overStdio(
  cwd: string,
  env: Record<string, string> = {},
  words = ['--local'],
): Promise<Client> {
  const client = new Client({ name: 'test', version: '0.0.0' })
  const args = [executable, 'mcp', ...words]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  return client
}

/** A call over HTTP whose connection is cut off by `cut`. */
export function rawCall({ url, token }: { url: string; token: string }, sessionId = '', params: object = {}) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': sessionId,
    'mcp-protocol-version': '2025-06-18',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const stop = new AbortController()
  const broken = fetch(url, { method: 'POST', headers, body, signal: stop.signal }).then(answer =>
    answer.text(),
  )
  return { broken, cut: () => stop.abort() }
}
