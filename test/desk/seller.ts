import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { RunResult } from '../../src/desk/run.ts'
import { type Bench, closeBench, openBench, openBenchAt, pixel } from './bench.ts'

/** A service that writes down what was ordered, and does with it what a test says. */
export interface Seller {
  /** `lose`: the order is there, and its answer never comes. */
  does: 'take' | 'lose' | 'refuse'
  /** The prompts of all orders that came, in their order. */
  readonly orders: string[]
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
