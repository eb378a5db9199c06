import { readFile } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { jobAddress } from '../../src/base/names.ts'
import { createWire, type WireOptions } from '../../src/wire/client.ts'
import type { Order } from '../../src/wire/http/wire.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import { isWhole, rawServer } from './servers.ts'
import { testSpool } from './spool.ts'

/** A wire to a service at this origin, gone with the test. */
export async function wireTo(origin: string, more: Partial<WireOptions> = {}) {
  const spool = await testSpool()
  const wire = createWire({
    baseUrl: `${origin}/gw-v2`,
    key: 'sk-secret',
    profile: gwV2,
    spool,
    clock: systemClock,
    ...more,
  })
  onTestFinished(() => wire.close())
  return { wire, spool }
}

/** An order for a clip. */
export function orderFor(mode: Order['mode'] = 'submit', more: Partial<Order> = {}): Order {
  return {
    address: jobAddress('clip'),
    mode,
    workflow: 'famc-v3',
    model: 'famc-v3',
    params: { prompt: 'a teapot' },
    key: 'k-1',
    deadlineMs: 600_000,
    ...more,
  }
}

/** A wire to a service that answers every whole request with these bytes and closes. */
export async function wireToBytes(bytes: string | Uint8Array, more: Partial<WireOptions> = {}) {
  const server = await rawServer({
    data: (socket, sofar) => {
      if (isWhole(sofar)) socket.end(bytes)
    },
  })
  return { ...(await wireTo(server.origin, more)), server }
}

/** What a doubtful reply kept, as text. */
export async function rawOf(reply: object): Promise<string | undefined> {
  return 'raw' in reply && typeof reply.raw === 'string' ? readFile(reply.raw, 'latin1') : undefined
}
