import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Shop, Sold } from './shop.ts'
import { sound } from './sound.ts'

/** A service that does what no gateway should: its ids are those it is told, and what it says of a run may change. */
interface StubShop extends Shop {
  /** Where it listens: `127.0.0.1:4000`. */
  readonly host: string
  /** Sells to somebody else. */
  sell(prompt: string): void
  /** What it says of a run from now on, whatever it said before; of every run when none is named. */
  says(state: State, id?: string): void
  /** How often it was asked for the result of a run. */
  asked(id: string): number
}

type State = 'processing' | 'failed' | 'completed' | 'gone'

interface StubRules {
  /** Heard in what it makes: `Rain, order 1 of here`. */
  readonly name?: string
  /** The id of the first order, the second and so on; `run-1`, `run-2` unless told otherwise. */
  readonly idOf?: (nth: number) => string
}

export async function openStubShop({
  name = 'here',
  idOf = nth => `run-${nth}`,
}: StubRules = {}): Promise<StubShop> {
  const orders: Sold[] = []
  let requests = 0
  let paid = 0
  let usual: State = 'completed'
  const states = new Map<string, State>()
  const asked = new Map<string, number>()
  const sell = (prompt: string): string => {
    const id = idOf(orders.length + 1)
    orders.push({ id, prompt })
    return id
  }
  const says = (state: State, id?: string): void => {
    if (id === undefined) usual = state
    else states.set(id, state)
  }
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const [, last = ''] = /([^/]+)$/.exec(request.url ?? '') ?? []
    if (request.method === 'POST') {
      paid++
      // What genrun sends; the specification leaves it open, and the gateway takes the same.
      const { params } = (await json(request)) as { params: { prompt: string } }
      return { status: 202, body: { id: sell(params.prompt), status: 'accepted' } }
    }
    if (last !== 'result') return { status: 200, body: soundOf(orders, last, name) }
    const [, id = ''] = /([^/]+)\/result$/.exec(request.url ?? '') ?? []
    if (!orders.some(order => order.id === id))
      return { status: 404, body: { error: { code: 'unknown_run' } } }
    asked.set(id, (asked.get(id) ?? 0) + 1)
    return resultOf(id, states.get(id) ?? usual, `http://${host}/files/${id}`)
  }
  const server = createServer((request, response) => {
    requests++
    void answer(request).then(({ status, body }) => {
      const type = Buffer.isBuffer(body) ? 'audio/wav' : 'application/json'
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
      response.writeHead(status, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
    })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port, so that its address has one.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { GENRUN_BASE_URL: `http://${host}/gw-v2`, GENRUN_API_KEY: 'stub' },
    host,
    orders,
    paid: () => paid,
    requests: () => requests,
    sell,
    says,
    asked: id => asked.get(id) ?? 0,
    hold: () => says('processing'),
    finish: async () => says('completed'),
  }
}

interface Answer {
  readonly status: number
  readonly body: object
}

function resultOf(id: string, state: State, url: string): Answer {
  switch (state) {
    case 'processing':
      return { status: 202, body: { id, status: state } }
    case 'gone':
      return { status: 404, body: { error: { code: 'unknown_run' } } }
    case 'failed':
      return {
        status: 200,
        body: { id, status: state, error: { code: 'failed', message: 'no sound today' } },
      }
    case 'completed':
      return { status: 200, body: { id, status: state, outputs: [{ url, type: 'audio/wav' }] } }
  }
}

/** One id, one file: that of the first order that got it. */
function soundOf(orders: readonly Sold[], id: string, name: string): Buffer {
  const nth = orders.findIndex(order => order.id === id)
  return sound(`${orders[nth]?.prompt}, order ${nth + 1} of ${name}`)
}
