import type { ServerResponse } from 'node:http'
import { crc32, deflateSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import type { RunResult } from '../../src/verbs/run.ts'
import { type Bench, closeBench, openBench, openBenchAt, pixel } from './bench.ts'

/** A service that writes down what was ordered, and does with it what a test says. */
export interface Seller {
  /** `lose`: the order is there, and its answer never comes. */
  does: 'take' | 'lose' | 'refuse'
  /** The prompts of all orders that came, in their order. */
  readonly orders: string[]
  /** Happens while an order is at the service. */
  onOrder?: () => void
  /** What is asked for a run; it succeeded if not told. */
  answer(run: string, response: ServerResponse): void
  /** The file of a run. */
  file(run: string): Buffer
  /** Another folder at the same service, as a clone has it. */
  clone(): Bench
}

/** A folder with a seller of its own. */
export async function openSeller(): Promise<{ readonly seller: Seller; readonly bench: Bench }> {
  const bench = await openBenchAt((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      const file = /\/files\/(\w+)\.png/.exec(request.url ?? '')?.[1]
      if (file) return response.writeHead(200, { 'content-type': 'image/png' }).end(seller.file(file))
      if (request.method === 'GET') return seller.answer(/r\d+/.exec(request.url ?? '')?.[0] ?? '', response)
      if (seller.does === 'refuse')
        return response.writeHead(400, { 'content-type': 'application/json' }).end('{"message":"no"}')
      seller.orders.push(/"prompt":"([^"]*)"/.exec(body)?.[1] ?? '')
      seller.onOrder?.()
      if (seller.does === 'lose') return request.socket.destroy()
      return response.end(JSON.stringify({ id: `r${seller.orders.length}`, status: 'queued' }))
    })
  })
  const seller: Seller = {
    does: 'take',
    orders: [],
    answer(run, response) {
      const outputs = [`${bench.origin}/files/${run}.png`]
      response.end(JSON.stringify({ id: run, status: 'succeeded', outputs }))
    },
    file: () => pixel,
    clone() {
      const clone = openBench({ baseUrl: `${bench.origin}/gw-v2`, key: 'k3y' })
      onTestFinished(() => closeBench(clone))
      return clone
    },
  }
  return { seller, bench }
}

/** A manifest of pictures by their prompts. */
export function pictures(prompts: { readonly [job: string]: string }): string {
  const job = ([name, prompt]: [string, string]) =>
    `  ${name}: { model: fama-imagine-image, mode: submit, prompt: ${prompt} }\n`
  return `jobs:\n${Object.entries(prompts).map(job).join('')}`
}

/** How the jobs of a run ended: `hero: made`. */
export function endings(result: RunResult): string[] {
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  return result.report.jobs.map(({ address, ending }) => `${address}: ${ending}`)
}

/** A run that the service is not done with. */
export const unfinished: Seller['answer'] = (run, response) =>
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
