import { createCanvas } from '@napi-rs/canvas'
import { type Bench, manifestName, openBenchAt, pixel } from '../verbs/bench.ts'

interface LookedShop {
  readonly bench: Bench
  readonly orders: () => number
  /** Does something when an order comes, before it is answered. */
  during: (orderNth: number, action: () => void) => void
  /** The run of an order fails. */
  fail: (orderNth: number) => void
}

/** A service whose first pictures are of one color, and fail their looks. */
export async function openLookedShop(broken: number, text: string): Promise<LookedShop> {
  let orders = 0
  const actions = new Map<number, () => void>()
  const failing = new Set<number>()
  const bench = await openBenchAt((request, response) => {
    const [, nth] = /\/files\/(\d+)/.exec(request.url ?? '') ?? []
    if (nth !== undefined)
      return response
        .writeHead(200, { 'content-type': 'image/png' })
        .end(Number(nth) <= broken ? pixel : stripes(Number(nth)))
    orders += 1
    actions.get(orders)?.()
    const outputs = [`${bench.origin}/files/${orders}.png`]
    const answer = failing.has(orders) ? { status: 'failed', error: 'no' } : { outputs }
    return request.resume().on('end', () => response.end(JSON.stringify(answer)))
  })
  bench.write(manifestName, text)
  return {
    bench,
    orders: () => orders,
    during: (nth, action) => void actions.set(nth, action),
    fail: nth => void failing.add(nth),
  }
}

/** The good picture that comes of an order by its number. */
export function stripes(nth: number): Buffer {
  const canvas = createCanvas(64, 64)
  const pen = canvas.getContext('2d')
  for (let at = 0; at < 64; at++) {
    pen.fillStyle = `hsl(${at * 5 * nth}, 80%, ${20 + at}%)`
    pen.fillRect(at, 0, 1, 64)
  }
  return canvas.encodeSync('png')
}
