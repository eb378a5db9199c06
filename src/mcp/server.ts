import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { JsonObject } from '../base/names.ts'
import type { Told } from '../desk/report.ts'
import { type Session, type Tool, tools } from './tools.ts'

/** Serves the tools on stdin and stdout until the client goes. Nothing else may be written to stdout meanwhile. */
export function serveTools(session: Session, version: string): { close(): Promise<void> } {
  return serveStdio(() => toolServer(session, version))
}

/** A server of one session. Arguments are checked by the desk, so that a call hears of everything at once. */
export function toolServer(session: Session, version: string): Server {
  const open = tools.filter(tool => !(session.readOnly && tool.makes))
  const server = new Server({ name: 'genrun', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: open.map(described) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = open.find(each => each.name === params.name)
    if (!tool) return { content: [{ type: 'text', text: `there is no tool ${params.name}` }], isError: true }
    const token = mcpReq._meta?.progressToken
    const tell = (told: Told) => {
      const message = progressText(told)
      if (token === undefined || message === undefined) return
      // A client that is gone misses it; the work goes on.
      mcpReq
        .notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress: ++steps, message },
        })
        .catch(() => undefined)
    }
    let steps = 0
    // JSON of the protocol; what it holds is for the desk to judge.
    const result = await tool.carryOut((params.arguments ?? {}) as JsonObject, session, {
      stop: mcpReq.signal,
      tell,
    })
    return { ...result, content: [...result.content] }
  })
  return server
}

function described({ name, description, inputSchema, makes }: Tool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    annotations: { readOnlyHint: !makes, openWorldHint: makes === true },
  }
}

function progressText(told: Told): string | undefined {
  switch (told.event) {
    case 'planned':
      return `${told.steps.buy} to make`
    case 'sending':
      return `${told.address}: sent to ${told.model}`
    case 'accepted':
      return `${told.address}: run ${told.run.id}`
    case 'progress':
      return `${told.address}: ${Math.round(told.fraction * 100)} %`
    case 'settled':
      return `${told.address}: ${told.state.is}`
    case 'resumed':
    case 'made':
    case 'bytes':
    case 'waiting':
      return undefined
  }
}
