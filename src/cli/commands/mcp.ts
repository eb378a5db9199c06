import { defined } from '../../base/defined.ts'
import { exit } from '../../base/exit.ts'
import type { Serving } from '../../mcp/server.ts'
import { ownModels } from '../../workspace/read/model-set.ts'
import { openSessionBudget, type SessionBudget } from '../../workspace/session-budget.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import { type Surroundings, variable } from '../io/surroundings.ts'
import { version } from '../io/version.ts'
import { startTrouble } from '../service/listen-trouble.ts'
import { type ServiceChoice, secretsOf, type Trouble } from '../service/service.ts'
import { profileAt, serviceFor } from '../service/service-for.ts'
import { settingsOfManifest } from '../settings/of-manifest.ts'
import { modelSetFor } from '../summary/model-set.ts'
import { refuse } from '../summary/result.ts'
import { warningText } from '../words/problems.ts'
import { withService } from './run.ts'

type McpArgs = Given<
  | 'http'
  | 'port'
  | 'readOnly'
  | 'local'
  | 'ca'
  | 'output'
  | 'outputs'
  | 'service'
  | 'profile'
  | 'prices'
  | 'catalog'
  | 'maxPaid'
  | 'maxCost'
  | 'maxTotalPaid'
  | 'maxTotalCost'
>

/** `genrun mcp`: the tool server on stdin and stdout, or on a port of this machine, until it is stopped. */
export async function mcp(args: McpArgs, around: Surroundings, out: Out): Promise<number> {
  if (args.port !== undefined && !args.http) return refuse(needsHttp, exit.refused, { json: false }, out)
  const modelSet = await modelSetFor(args, around, out)
  if (!modelSet) return exit.refused
  const choice = serviceFor(args, around)
  if (choice.use === 'nothing') return refuse(choice.trouble, exit.refused, { json: false }, out)
  if (choice.use === 'service') for (const secret of secretsOf(choice)) out.hide(secret)
  else out.talk(warningText(`${choice.because}: the tools make placeholders, nothing is paid`, out.paint))
  const { prices, output, outputs, readOnly, catalog } = args
  const { cwd } = around
  const openBudget = budgetsFor(args, cwd, choice)
  const remark = (text: string) => out.talk(warningText(text, out.paint))
  const { openServing } = await import('../../mcp/server.ts')
  return withService(choice, remark, service => {
    const session = {
      service,
      cwd,
      readOnly,
      modelSet,
      budget: openBudget(),
      openBudget,
      ...defined({ output, outputs, gates: around.gates }),
      ...profileAt(choice, args),
      ...defined({ prices }),
      heed: (manifest: string) => settingsOfManifest(manifest, around.line ?? {}, around),
      ...(catalog.length > 0 && { catalog }),
    }
    const serving = openServing(session, version())
    return args.http ? overHttp(serving, args, around, out) : overStdio(serving, around, out)
  })
}

/**
 * Gives each session a budget with its own caps, inside one for all of them together. That holds as much as one session
 * may spend when nothing else is said: anybody with the token can open one more session.
 */
function budgetsFor(
  { maxPaid, maxCost, maxTotalPaid = maxPaid, maxTotalCost = maxCost, prices, catalog }: McpArgs,
  cwd: string,
  choice: ServiceChoice,
): () => SessionBudget {
  const own = ownModels(catalog, cwd).value
  const service = choice.use === 'service' ? choice : undefined
  const by = defined({ trust: service?.reach.trust, own, service })
  const total = openSessionBudget(capsOf(maxTotalPaid, maxTotalCost), prices, cwd, by)
  return () => openSessionBudget(capsOf(maxPaid, maxCost), prices, cwd, { within: total, ...by })
}

function capsOf(maxPaid: number | undefined, maxCost: number | undefined) {
  return { ...defined({ maxPaid, maxCost }) }
}

const needsHttp: Trouble = {
  code: 'usage',
  message: '--port is for --http',
  hint: 'without it the tools are served on stdin and stdout',
}

async function overStdio(serving: Serving, around: Surroundings, out: Out): Promise<number> {
  const stopped = untilSignal(around)
  const { serveTools } = await import('../../mcp/server.ts')
  const server = serveTools(serving)
  // A person at the keyboard would see nothing at all.
  if (around.ask)
    out.talk('serving on stdin and stdout: an agent starts this, as its settings tell; Ctrl-C ends it')
  await Promise.race([
    stopped,
    new Promise<void>(resolve => process.stdin.once('end', () => resolve()).once('close', () => resolve())),
  ])
  if (around.ask) out.talk('closing')
  await server.close()
  return exit.ok
}

const usualPort = 4041

/** stdout: what a client must set. A token that came from outside is known there and shown nowhere. */
async function overHttp(
  serving: Serving,
  { port = usualPort }: McpArgs,
  around: Surroundings,
  out: Out,
): Promise<number> {
  const token = variable(around.env, 'GENRUN_MCP_TOKEN')
  if (token !== undefined) out.hide(token)
  const { serveHttp } = await import('../../mcp/http.ts')
  const server = await serveHttp(serving, { port, ...defined({ token }) }).catch(startTrouble)
  if ('code' in server) return refuse(server, exit.refused, { json: false }, out)
  out.result(`GENRUN_MCP_URL=${server.url}`)
  if (token === undefined) out.result(`GENRUN_MCP_TOKEN=${server.token}`)
  out.talk('serving until Ctrl-C; clients send the token as `Authorization: Bearer …`')
  await untilSignal(around)
  out.talk('closing')
  await server.close()
  return exit.ok
}

/** A second signal is the system's own: it ends the process. */
function untilSignal(around: Surroundings): Promise<void> {
  return new Promise(resolve => {
    const off = around.onSignal(() => {
      off()
      resolve()
    })
  })
}
