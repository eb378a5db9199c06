import { expect, onTestFinished } from 'vitest'
import type { SteeredRun } from '../../src/gateway/runs/steering.ts'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { sound } from './sound.ts'

/** A service that sells sounds and writes down what it sold; runs go on as the test says. */
export interface Shop {
  readonly env: { readonly [name: string]: string }
  /** What was sold, in the order of arrival. */
  readonly orders: readonly Sold[]
  /** Paid requests that arrived, whatever was answered. */
  paid(): number
  /** Every request that arrived, free ones included. */
  requests(): number
  /** From now on runs stay under way. */
  hold(): void
  /** Ends what is held, and from now on every run as soon as it comes. */
  finish(): Promise<void>
}

export interface Sold {
  readonly id: string
  readonly prompt: string
}

/** What was sold, by prompt; no paid request came beside these. */
export function sold({ orders, paid }: Shop): string[] {
  expect(paid(), 'paid requests').toBe(orders.length)
  return orders.map(({ prompt }) => prompt)
}

/** The embedded gateway. What it makes says the prompt and which order it was: `Rain, order 1`. */
export async function openShop(options: Partial<GatewayOptions> = {}): Promise<Shop> {
  const orders: Sold[] = []
  const gateway = await startGateway({
    outputs: 'memory',
    manual: true,
    async render({ seed, prompt }) {
      const nth = orders.findIndex(({ id }) => id === seed) + 1
      return [{ bytes: sound(`${prompt}, order ${nth}`), type: 'audio/wav', extension: 'wav', seconds: 3 }]
    },
    ...options,
  })
  onTestFinished(() => gateway.close())
  const held: SteeredRun[] = []
  let isHolding = false
  const serve = async (): Promise<never> => {
    for (;;) {
      const run = await gateway.nextRun()
      orders.push({ id: run.id, prompt: String(run.params.prompt) })
      if (isHolding) held.push(run)
      else void run.finish()
    }
  }
  void serve()
  return {
    env: { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key },
    orders,
    paid() {
      const { execute, submit } = gateway.ledger().requests
      return execute + submit
    },
    requests: () => Object.values(gateway.requests()).reduce((sum, count) => sum + count, 0),
    hold() {
      isHolding = true
    },
    async finish() {
      isHolding = false
      await Promise.all(held.splice(0).map(run => run.finish()))
    },
  }
}
