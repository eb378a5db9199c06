import type { IncomingMessage, ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import { onTestFinished } from 'vitest'
import type { RunResult } from '../../../src/verbs/run.ts'
import { type MergeRecord, mergeShards } from '../../../src/verbs/shards/merge.ts'
import type { RunRequest } from '../../../src/workspace/workspace.ts'
import { type Bench, closeBench, manifestName, openBench, openBenchAt, pixel } from '../bench.ts'

/** A picture that is like no other but of the same prompt. */
function pictureOf(name: string): Buffer {
  const body = Buffer.from(`prVt${name}`)
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(body.length - 4, 0)
  frame.writeUInt32BE(crc32(body), 4)
  const [head, tail] = [pixel.subarray(0, 33), pixel.subarray(33)]
  return Buffer.concat([head, frame.subarray(0, 4), body, frame.subarray(4), tail])
}

type OnOrder = 'drop' | 'picture' | 'fail' | undefined

/** A service that knows what it sold: by prompt, in the order in which it was ordered. */
interface Shop {
  readonly bench: Bench
  /** Prompts, once for each order that was taken. */
  readonly sold: string[]
  /** What it does with an order before it answers; `drop`: it took it, and nobody hears of that; `picture`: its bytes are the answer; `fail`: its run comes to nothing. */
  onOrder: (prompt: string) => OnOrder | Promise<OnOrder>
  /** Before a run is told of. */
  onLook: () => void
  /** Whether runs have ended when they are asked after. */
  isOver: () => boolean
  /** Another machine, with all that lies here by now. */
  copy(): Bench
}

/** One run of a prompt has the same id wherever it is ordered, so that equal results have equal lines in a lock. */
export async function openShop(manifest: string): Promise<Shop> {
  const sold: string[] = []
  const shop = {
    sold,
    onOrder: () => undefined,
    onLook: () => undefined,
    isOver: () => true,
  } as unknown as Shop & {
    bench: Bench
  } // the bench is opened below
  async function order(body: string, response: ServerResponse): Promise<void> {
    const prompt = /"prompt":"([^"]*)"/.exec(body)?.[1] ?? ''
    sold.push(prompt)
    const answer = await shop.onOrder(prompt)
    if (answer === 'drop') return void response.destroy()
    if (answer === 'picture')
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(prompt))
    const id = `${answer === 'fail' ? 'failed-' : ''}${prompt.replaceAll(/\W+/g, '-')}`
    response.end(JSON.stringify({ id, status: 'queued' }))
  }
  const answer = (request: IncomingMessage, response: ServerResponse, body: string): unknown => {
    const name = /\/files\/([\w-]+)\.png/.exec(request.url ?? '')?.[1]
    if (name) return response.writeHead(200, { 'content-type': 'image/png' }).end(pictureOf(name))
    const run = /\/([\w-]+)\/result/.exec(request.url ?? '')?.[1]
    if (request.method !== 'GET') return order(body, response)
    shop.onLook()
    if (!shop.isOver()) return response.end(JSON.stringify({ id: run, status: 'processing' }))
    if (run?.startsWith('failed-'))
      return response.end(JSON.stringify({ id: run, status: 'failed', error: 'no' }))
    const outputs = [`${origin}/files/${run}.png`]
    return response.end(JSON.stringify({ id: run, status: 'succeeded', outputs }))
  }
  const { origin, ...bench } = await openBenchAt((request, response) => {
    let body = ''
    request.on('data', piece => (body += piece))
    request.on('end', () => answer(request, response, body))
  })
  bench.write(manifestName, manifest)
  const copy = () => {
    const machine = openBench({ baseUrl: `${origin}/gw-v2`, key: 'k3y' }, bench)
    onTestFinished(() => closeBench(machine))
    return machine
  }
  return Object.assign(shop, { bench, copy })
}

/** So many pictures, each with one that is made from it. */
export function rowsOf(rows: readonly (string | number)[]): string {
  const items = rows.map(row => `'${row}'`).join(', ')
  return `jobs:
  still:
    matrix: { item: [${items}] }
    model: fama-imagine-image
    mode: submit
    prompt: Teapot \${{ matrix.item }}
  edit:
    matrix: { item: [${items}] }
    model: famb-character
    mode: submit
    prompt: Blue teapot \${{ matrix.item }}
    imageUrls: \${{ jobs.still.output }}
`
}

export function runShard(
  bench: Bench,
  nth: number,
  of: number,
  more: Partial<RunRequest> = {},
): Promise<RunResult> {
  return bench.run({ shard: { nth, of }, ...more })
}

/** One after the other; what came of each. */
export async function runShards(
  bench: Bench,
  of: number,
  more: Partial<RunRequest> = {},
): Promise<unknown[]> {
  const results: unknown[] = []
  for (let nth = 1; nth <= of; nth++) {
    const result = await runShard(bench, nth, of, more)
    results.push(result.got === 'report' ? result.report.exit : result)
  }
  return results
}

export async function merged(bench: Bench, more: { takeClaim?: boolean } = {}): Promise<MergeRecord> {
  const result = await mergeShards({ manifest: manifestName, cwd: bench.folder, ...more })
  if (result.got === 'merged') return result.record
  throw new Error(JSON.stringify(result))
}

/** A lock without what is drawn by chance: its lineage, and the ids of purchases. */
export function plainLock(bench: Bench, name = 'm.lock.json'): string {
  const text = bench.read(name).replace(/"lineage":"[0-9a-f]{32}"/, '"lineage":""')
  return text.replaceAll(/"id":"[0-9a-f]{32}"/g, '"id":""')
}

export function duplicates(sold: readonly string[]): string[] {
  return sold.filter((prompt, nth) => sold.indexOf(prompt) !== nth)
}
