import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { systemClock } from '../base/clock.ts'
import type { Model, Param } from '../catalog/index.ts'
import { refusedAnswer } from './http/answer.ts'
import { isLoopback } from './http/auth.ts'
import { endpointPlace } from './http/place.ts'
import { hangUp, send } from './http/send.ts'
import { openSite, usualHost } from './open-site.ts'
import type { Gateway, GatewayOptions } from './options.ts'
import { fileRequest, paidRequest, resultRequest } from './routes.ts'
import { s3Answer } from './s3/s3.ts'
import { type Outcome, type Site, wholeAnswer } from './site.ts'
import { uploadRequest } from './upload.ts'
import { ledgerRequest, openApiRequest, ownPageRequest, pageRequest } from './views.ts'

export { faultWords, readRules } from './faults/fault-words.ts'
export type { FaultRule, Faults, GatewayLimits as Limits } from './faults/faults.ts'
export type { LedgerCounts, Tally } from './ledger.ts'
export type { Gateway, GatewayOptions } from './options.ts'
export type { SteeredRun as RunHandle } from './runs/steering.ts'
export type { RequestCounts } from './site.ts'

/**
 * Starts a real HTTP server of the specification's interface: the three endpoints under `/gw-v2`, and beside them
 * served files, uploads, an OpenAPI document and a page for people. Rejects when the port is taken (`EADDRINUSE`), or
 * when a host that others can reach comes without a key.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host = usualHost, manual = false } = options
  const closing = new AbortController()
  const names: string[] = []
  const site = await openSite(options, { origins: () => names, closing: closing.signal })
  // Without HTTP/2 options it makes a plain server.
  const server = createAdaptorServer({
    fetch: appOf(site, options).fetch,
    overrideGlobalObjects: false,
  }) as Server
  // A client must not meet a connection that is being closed just as it sends: on a busy machine five seconds are short.
  server.keepAliveTimeout = 60_000
  const port = await listen(server, options.port ?? 0, host)
  names.push(...originsOf(host, port))
  const ended = new Promise<void>(resolve => server.once('close', resolve))
  return {
    baseUrl: `${originOf(host, port)}/gw-v2`,
    key: site.key,
    pageUrl: `${originOf(host, port)}/page/${site.pageToken}`,
    ...(site.s3 && { s3: { ...site.s3.keys, endpoint: `${originOf(host, port)}/s3`, bucket: site.s3.name } }),
    add(models) {
      for (const model of models) {
        const known = site.models.get(model.id)
        site.models.set(model.id, known && known !== model ? asEither(known, model) : model)
      }
    },
    ledger: () => site.ledger.counts(),
    requests: () => ({ ...site.counts }),
    nextRun() {
      if (!manual) throw new Error('runs go on by themselves: start the gateway with manual: true')
      return site.runs.next()
    },
    async close(graceMs = 0) {
      server.close()
      server.closeIdleConnections()
      if (graceMs > 0)
        await Promise.race([ended, systemClock.until(systemClock.now() + graceMs, closing.signal)])
      closing.abort()
      server.closeAllConnections()
      await ended
    },
  }
}

const workflows = '/gw-v2/workflows/'

type Env = { Bindings: HttpBindings }

function appOf(site: Site, options: GatewayOptions): Hono<Env> {
  const app = new Hono<Env>()
  const answer = (c: Context<Env>, outcome: Outcome | Promise<Outcome>) => deliver(site, c, outcome)
  const refuse = (c: Context<Env>, ...why: Parameters<typeof refusedAnswer>) =>
    answer(c, wholeAnswer(refusedAnswer(...why)))
  const notAllowed = (allow: string) => (c: Context<Env>) =>
    refuse(c, 405, 'wrong_method', `${c.req.method} is not taken here`, { headers: { allow } })
  const notFound = (c: Context<Env>) => refuse(c, 404, 'unknown_path', `there is nothing at ${c.req.path}`)

  app.use(async (c, next) => {
    // A page of another site can make a browser ask here under that site's name, and would then read the answer.
    const { hostname } = new URL(c.req.url)
    if (!site.isPrivate || isLoopback(hostname)) return next()
    return refuse(c, 421, 'unknown_host', `${hostname} is not served here`)
  })
  app.all(`${workflows}*`, c => {
    const place = endpointPlace(new URL(c.req.url).pathname.slice(workflows.length))
    if (!place) return notFound(c)
    const { method, raw } = c.req
    if (place.names === 'result') {
      if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD')(c)
      return answer(c, resultRequest(site, raw, place.workflow, place.id))
    }
    if (method !== 'POST') return notAllowed('POST')(c)
    return answer(c, paidRequest(site, raw, place.names, place.workflow))
  })
  const { s3 } = site
  if (s3)
    app.all('/s3/*', async c => {
      const { url = '' } = c.env.incoming
      return answer(c, s3Answer(s3, { request: c.req.raw, target: url }).then(wholeAnswer))
    })
  app.post('/gw-v2/files', c => answer(c, uploadRequest(site, c.req.raw)))
  app.get('/gw-v2/files/:run/:name', c => {
    const { run, name } = c.req.param()
    return answer(c, fileRequest(site, c.req.raw, run, name))
  })
  app.get('/gw-v2/openapi.json', c => answer(c, openApiRequest(site, c.req.raw)))
  app.get('/', c => answer(c, pageRequest(site, c.req.raw)))
  app.get('/page/:token', c => answer(c, ownPageRequest(site, c.req.raw, c.req.param('token'))))
  if (options.ledger) app.get('/__ledger', c => answer(c, ledgerRequest(site, c.req.raw)))

  app.all('/gw-v2/files', notAllowed('POST'))
  for (const path of ['/gw-v2/files/:run/:name', '/gw-v2/openapi.json', '/', '/page/:token'])
    app.all(path, notAllowed('GET, HEAD'))
  app.notFound(notFound)
  app.onError((error, c) => refuse(c, 500, 'internal', error.message))
  return app
}

/** Writes an outcome to the connection itself: faults need more of it than a web `Response` can say. */
async function deliver(site: Site, c: Context<Env>, outcome: Outcome | Promise<Outcome>): Promise<Response> {
  const { outgoing } = c.env
  const { answer, delivery, delivered } = await outcome
  try {
    if (await send(answer, delivery, { outgoing, clock: site.clock, closing: site.closing })) delivered?.()
  } catch {
    // The file went away while it was read. Half an answer must not look like a whole one.
    hangUp(outgoing, 'close')
  }
  return RESPONSE_ALREADY_SENT
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), () => {
      server.off('error', reject)
      // A server that listens on a port has an address with one.
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function originOf(host: string, port: number): string {
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}

function originsOf(host: string, port: number): string[] {
  return [...new Set([host, 'localhost', '127.0.0.1', '[::1]'])].map(name => originOf(name, port))
}

/** A model that several services have, each in its way: taken is what either of them takes. */
function asEither(one: Model, other: Model): Model {
  const params = { ...one.params, ...other.params }
  const names = Object.keys(params)
  const loosened = names.map(name => [name, eitherParam(one.params[name], other.params[name])] as const)
  return {
    ...one,
    params: Object.fromEntries(loosened.flatMap(([name, param]) => (param ? [[name, param]] : []))),
  }
}

/** Required is what both require; of two lists of values all of them will do. */
function eitherParam(one: Param | undefined, other: Param | undefined): Param | undefined {
  const { required: _, ...param } = other ?? one ?? { type: 'object', flag: '--none' }
  const mustBe = one?.required && other?.required ? { required: true as const } : {}
  if (one?.type !== 'enum' || param.type !== 'enum') return { ...param, ...mustBe } as Param // of one type, as it was
  return { ...param, ...mustBe, values: [...new Set([...one.values, ...param.values])] }
}
