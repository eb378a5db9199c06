import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { anySignal } from '../base/any-signal.ts'
import { defined } from '../base/defined.ts'
import type { JsonObject } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import { cleaned, hiderOf } from '../base/redact.ts'
import type { RunEvent } from '../wording/report.ts'
import { keysOf } from '../workspace/service/service.ts'
import { wrongArguments } from './arguments.ts'
import { instructionsFor } from './instructions.ts'
import { type Orders, openCallOrders } from './orders.ts'
import { openRunsAtWork, type RunsAtWork } from './runs.ts'
import { type Session, type Tool, type ToolResult, wrongCall } from './tool.ts'
import { toolsFor } from './tools.ts'

/** What is served, however clients come to it. */
export interface Serving {
  /** A server for one connection. Those without a session of their own spend from one budget. */
  server(): Server
  /** The same for a client with a session: it has a budget of its own. */
  sessionServer(): Server
  /**
   * Orders nothing more, and waits for nothing more at the service. Resolves when no call is under way: a request that may
   * cost money gets its answer first.
   */
  settle(): Promise<void>
}

export function openServing(session: Session, version: string): Serving {
  const house: House = { version, calls: new Set(), orders: openCallOrders(), runs: openRunsAtWork() }
  return {
    server: () => toolServer(session, house),
    sessionServer() {
      const budget = session.openBudget?.() ?? session.budget
      return toolServer({ ...session, budget }, house)
    },
    async settle() {
      house.orders.stop()
      await Promise.allSettled(house.calls)
    },
  }
}

/** What all connections have in common. */
interface House {
  readonly version: string
  /** Those under way. */
  readonly calls: Set<Promise<unknown>>
  readonly orders: Orders
  readonly runs: RunsAtWork<ToolResult>
}

/** Serves the tools on stdin and stdout until the client goes. Nothing else may be written to stdout meanwhile. */
export function serveTools(serving: Serving): { close(): Promise<void> } {
  const handle = serveStdio(() => serving.server())
  return {
    async close() {
      await handle.close()
      await serving.settle()
    },
  }
}

/** A server of one connection. Arguments are checked by the verbs, so that a call hears of everything at once. */
function toolServer(session: Session, { version, calls, orders, runs }: House): Server {
  const all = toolsFor(session.modelSet)
  const hide = hiderOf(session.service.rehearsal ? [] : keysOf(session.service))
  const sent = (result: ToolResult) => answerOf(result, hide)
  const open = all.filter(tool => !(session.readOnly && tool.makes))
  const server = new Server(
    { name: 'genrun', version },
    { capabilities: { tools: {} }, instructions: instructionsFor(session) },
  )
  server.setRequestHandler('tools/list', () => ({ tools: open.map(described) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq, http }) => {
    const tool = open.find(each => each.name === params.name)
    if (!tool) {
      const isShut = all.some(each => each.name === params.name)
      if (isShut) return sent(wrongCall(`${params.name} makes something, and this server is read-only`))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, noTool(params.name, open))
    }
    const token = mcpReq._meta?.progressToken
    const emit = (told: RunEvent) => {
      const message = progressText(told)
      if (token === undefined || message === undefined) return
      // A client that is gone misses it; the work goes on.
      mcpReq
        .notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress: ++steps, message: hide(message) },
        })
        .catch(() => undefined)
    }
    let steps = 0
    // JSON of the protocol; what it holds is for the verbs to judge.
    const args = (params.arguments ?? {}) as JsonObject
    const against = wrongArguments(tool, args)
    if (against) return sent(wrongCall(against))
    const call = Promise.resolve(
      tool.carryOut(args, session, {
        stop: mcpReq.signal,
        gone: goneBy(mcpReq.signal, http?.req),
        emit,
        orders,
        runs,
      }),
    )
    calls.add(call)
    try {
      return sent(await call)
    } finally {
      calls.delete(call)
    }
  })
  return server
}

/** Nobody is left to hear the answer: the call was given up, or its connection is closed. */
function goneBy(cancelled: AbortSignal, request: Request | undefined): AbortSignal {
  return request ? anySignal([cancelled, request.signal]) : cancelled
}

/** What the protocol says of a name that no tool has. */
function noTool(name: string, open: readonly Tool[]): string {
  const names = open.map(tool => tool.name)
  const near = nearest(name, names)
  return `there is no tool ${name}; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`}`
}

/** A client shows what it hears to its model, and to whoever reads along. Pictures are passed as they are. */
function answerOf({ content, structured, isError }: ToolResult, hide: (text: string) => string) {
  return {
    content: content.map(each => (each.type === 'image' ? each : cleaned(each, hide))),
    ...defined({ structuredContent: structured && cleaned(structured, hide), isError }),
  }
}

function described({ name, description, inputSchema, outputSchema, makes }: Tool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    outputSchema: { ...outputSchema, type: 'object' as const },
    annotations: { readOnlyHint: !makes, destructiveHint: false, openWorldHint: makes === true },
  }
}

function progressText(told: RunEvent): string | undefined {
  switch (told.event) {
    case 'planned':
      return `${told.steps.buy} to make`
    case 'sending':
      return `${told.address}: sent ${told.again === undefined ? '' : 'again '}to ${told.model}`
    case 'accepted':
      return `${told.address}: run ${told.run.id}`
    case 'progress':
      return `${told.address}: ${Math.round(told.fraction * 100)} %`
    case 'settled':
      return `${told.address}: ${told.state.is}`
    case 'warned':
      return told.message
    case 'resumed':
    case 'made':
    case 'bytes':
    case 'uploading':
    case 'waiting':
      return undefined
  }
}
