import type { ServerResponse } from 'node:http'
import { crc32, deflateSync } from 'node:zlib'
import { type Bench, openBench, openBenchAt, pixel } from './bench.ts'

/** A service that tells which prompts it was paid for. Its runs are called r1, r2, … in the order of their orders. */
export interface Teller {
  /** What becomes of the next orders: taken, taken and never answered, refused. */
  how: 'take' | 'lose' | 'refuse'
  readonly orders: string[]
  /** Happens while an order is at the service. */
  onOrder?: () => void
  /** Answers whoever asks for a run. */
  look: (run: string, response: ServerResponse) => void
  file: (run: string) => Buffer
}

export async function openTeller(): Promise<{
  readonly teller: Teller
  readonly bench: Bench
  colleague(): Bench
}> {
  const teller: Teller = {
    how: 'take',
    orders: [],
    look: (run, response) =>
      response.end(
        JSON.stringify({ id: run, status: 'succeeded', outputs: [`${bench.origin}/files/${run}.png`] }),
      ),
    file: () => pixel,
  }
  const bench: Bench & { readonly origin: string } = await openBenchAt((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      const file = /\/files\/(\w+)\.png/.exec(request.url ?? '')?.[1]
      if (file !== undefined)
        return response.writeHead(200, { 'content-type': 'image/png' }).end(teller.file(file))
      if (request.method === 'GET') return teller.look(/r\d+/.exec(request.url ?? '')?.[0] ?? '', response)
      if (teller.how === 'refuse') return response.writeHead(400).end('{"message":"no"}')
      teller.orders.push(/"prompt":"([^"]*)"/.exec(body)?.[1] ?? '')
      teller.onOrder?.()
      if (teller.how === 'lose') return request.socket.destroy()
      response.end(JSON.stringify({ id: `r${teller.orders.length}`, status: 'queued' }))
    })
  })
  return { teller, bench, colleague: () => openBench({ baseUrl: `${bench.origin}/gw-v2`, key: 'k3y' }) }
}

/** A manifest of pictures, by the names of its jobs and their prompts. */
export function pictures(jobs: { readonly [name: string]: string }): string {
  const lines = Object.entries(jobs).map(
    ([name, prompt]) => `  ${name}: { model: fama-imagine-image, mode: submit, prompt: ${prompt} }\n`,
  )
  return `jobs:\n${lines.join('')}`
}

/** A run that the service is not done with. */
export const unfinished: Teller['look'] = (run, response) =>
  response.end(JSON.stringify({ id: run, status: 'running' }))

/** One pixel of this shade of grey. */
export function shade(grey: number): Buffer {
  const chunk = (type: string, data: readonly number[] | Buffer) => {
    const named = Buffer.concat([Buffer.from(type), Buffer.from(data)])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]),
    chunk('IDAT', deflateSync(Buffer.from([0, grey, grey, grey]))),
    chunk('IEND', []),
  ])
}

/** The purchases of a lock: `hero done r1`. */
export function locked(bench: Bench): string[] {
  const { jobs } = JSON.parse(bench.read('m.lock.json')) as { jobs: (LockLine | null)[] } // as we write it
  return jobs.flatMap(each => (each ? [`${each.address} ${each.state} ${each.run?.id ?? '-'}`] : []))
}

interface LockLine {
  readonly address: string
  readonly state: string
  readonly run?: { readonly id: string }
}
