import { describe, expect, test } from 'vitest'
import { type FaultRule, faultChooser } from '../../../src/gateway/faults/faults.ts'
import { openGate } from '../../../src/gateway/faults/limits.ts'
import { finished, order, result, send, start } from '../start.ts'

const clip = { model: 'famc-v3', prompt: 'A teapot' }
const poster = { model: 'famb-v3', prompt: 'A teapot', count: 4 }
const asking = (faults: string) => ({ 'x-gateway-fault': faults })

/** What a client sees where no whole answer comes. */
async function broken(url: string, init?: RequestInit): Promise<string> {
  try {
    const response = await fetch(url, init)
    await response.arrayBuffer()
    return 'an answer'
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    return cause?.code ?? 'broken'
  }
}

describe('which requests meet a fault', () => {
  const hit = { endpoint: 'submit', model: 'famc-v3', label: 'a' } as const
  const met = (rule: FaultRule, hits: readonly (typeof hit)[], seed = 1) => {
    const choose = faultChooser({ seed, rules: [rule] })
    return hits.map(each => choose(each).length)
  }

  test('all, without a condition', () => {
    expect(met({ fault: { does: 'lose' } }, [hit, hit])).toEqual([1, 1])
  })

  test('the first so many', () => {
    expect(met({ fault: { does: 'lose' }, first: 2 }, [hit, hit, hit])).toEqual([1, 1, 0])
  })

  test('the first tries of each', () => {
    const other = { ...hit, label: 'b' } as unknown as typeof hit
    expect(met({ fault: { does: 'lose' }, tries: 1 }, [hit, hit, other, other])).toEqual([1, 0, 1, 0])
  })

  test('those of a model', () => {
    expect(met({ fault: { does: 'lose' }, model: 'famc-*' }, [hit])).toEqual([1])
    expect(met({ fault: { does: 'lose' }, model: 'famc-v' }, [hit])).toEqual([0])
  })

  test('a share, by the seed and not by the order of arrival', () => {
    const hits = Array.from(
      { length: 1000 },
      (_, nth) => ({ ...hit, label: `${nth}` }) as unknown as typeof hit,
    )
    const rule: FaultRule = { fault: { does: 'lose' }, chance: 0.2 }
    const there = met(rule, hits)
    expect(there.filter(Boolean).length).toBeGreaterThan(150)
    expect(there.filter(Boolean).length).toBeLessThan(250)
    expect(met(rule, hits.toReversed()).toReversed()).toEqual(there)
    expect(met(rule, hits, 2)).not.toEqual(there)
  })

  test('a delay is drawn from its distribution', () => {
    const drawn = (ms: Extract<FaultRule['fault'], { does: 'delay' }>['ms']) => {
      const choose = faultChooser({ rules: [{ fault: { does: 'delay', ms } }] })
      return Array.from({ length: 2000 }, (_, nth) => {
        const [fault] = choose({ ...hit, label: `${nth}` })
        return fault?.does === 'delay' && 'from' in fault.ms ? fault.ms.from : Number.NaN
      })
    }
    const even = drawn({ from: 200, to: 800 })
    expect([Math.min(...even) >= 200, Math.max(...even) <= 800, Math.max(...even) > 700]).toEqual([
      true,
      true,
      true,
    ])
    const tail = drawn({ mean: 300 })
    const mean = tail.reduce((sum, ms) => sum + ms, 0) / tail.length
    expect([mean > 270, mean < 330, Math.max(...tail) > 1000]).toEqual([true, true, true])
  })
})

describe('a paid request', () => {
  test('is refused before anything is billed', async () => {
    const gateway = await start({ faults: {} })
    const reply = await order(gateway, 'submit', clip, asking('refuse=429 retry-after=2'))
    expect([reply.status, reply.headers.get('retry-after'), reply.body.error.code]).toEqual([
      429,
      '2',
      'rate_limited',
    ])
    expect((await order(gateway, 'execute', poster, asking('refuse=503'))).status).toBe(503)
    expect((await order(gateway, 'execute', poster, asking('refuse=402'))).body.error.code).toBe('no_credit')
    expect(gateway.ledger()).toMatchObject({
      requests: { submit: 1, execute: 2 },
      billed: { submit: 0, execute: 0 },
    })
  })

  test.each(['submit', 'execute'] as const)('is billed and answered with an error (%s)', async mode => {
    const gateway = await start({ faults: {} })
    expect((await order(gateway, mode, clip, asking('spoil=502'))).status).toBe(502)
    expect(gateway.ledger().billed[mode]).toBe(1)
  })

  test.each([
    ['lose', 'UND_ERR_SOCKET', 1],
    ['reset', 'ECONNRESET', 0],
  ])('gets no answer (%s)', async (fault, code, billed) => {
    const gateway = await start({ faults: {} })
    const seen = await broken(`${gateway.baseUrl}/workflows/famc-v3/submit`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        ...asking(fault),
      },
      body: JSON.stringify({ params: clip }),
    })
    expect([seen, gateway.ledger().billed.submit]).toEqual([code, billed])
  })

  test('yields fewer files than asked, but one at least', async () => {
    const gateway = await start({ faults: {} })
    expect((await order(gateway, 'execute', poster, asking('short=1'))).body.outputs).toHaveLength(3)
    expect((await order(gateway, 'execute', poster, asking('short=9'))).body.outputs).toHaveLength(1)
  })

  test.each([
    ['fail', 'failed', 'the model failed'],
    ['reject', 'content_policy', 'the request was rejected by the content policy'],
  ])('comes to nothing (%s)', async (fault, code, message) => {
    const gateway = await start({ faults: {} })
    const { body } = await order(gateway, 'submit', clip, asking(fault))
    const done = await finished(gateway, 'famc-v3', body.id)
    expect([done.status, done.body]).toEqual([
      200,
      { id: body.id, status: 'failed', error: { code, message } },
    ])
    expect((await order(gateway, 'execute', poster, asking(fault))).body).toMatchObject({
      status: 'failed',
      error: { code },
    })
  })

  test('never ends', async () => {
    const gateway = await start({ faults: {} })
    const { body } = await order(gateway, 'submit', clip, asking('stall'))
    await finished(gateway, 'famc-v3', (await order(gateway, 'submit', clip)).body.id)
    expect((await result(gateway, 'famc-v3', body.id)).body.status).toBe('processing')
  })

  test('is answered late', async () => {
    const waits: number[] = []
    const clock = {
      now: () => 1000,
      wall: () => 1000,
      until: async (date: number) => void waits.push(date - 1000),
    }
    const gateway = await start({ faults: {}, clock })
    await order(gateway, 'submit', clip, asking('delay=250'))
    expect(waits[0]).toBe(250)
  })
})

describe('a result', () => {
  test('is not there at first', async () => {
    const gateway = await start({ faults: {} })
    const { body } = await order(gateway, 'submit', clip, asking('refuse=404 on=result first=2'))
    const statuses = []
    for (let nth = 0; nth < 2; nth++) statuses.push((await result(gateway, 'famc-v3', body.id)).status)
    expect(statuses).toEqual([404, 404])
    expect((await finished(gateway, 'famc-v3', body.id)).status).toBe(200)
  })

  test.each([
    ['lose', 'UND_ERR_SOCKET'],
    ['reset', 'ECONNRESET'],
  ])('does not come (%s)', async (fault, code) => {
    const gateway = await start({ faults: {} })
    const { body } = await order(gateway, 'submit', clip, asking(`${fault} on=result first=1`))
    const url = `${gateway.baseUrl}/workflows/famc-v3/${body.id}/result`
    expect(await broken(url, { headers: { authorization: `Bearer ${gateway.key}` } })).toBe(code)
    expect((await finished(gateway, 'famc-v3', body.id)).status).toBe(200)
  })

  test('breaks off', async () => {
    const gateway = await start({ faults: {} })
    const { body } = await order(gateway, 'submit', clip, asking('cut=0.5 on=result tries=1'))
    const url = `${gateway.baseUrl}/workflows/famc-v3/${body.id}/result`
    expect(await broken(url, { headers: { authorization: `Bearer ${gateway.key}` } })).toBe('UND_ERR_SOCKET')
    expect((await finished(gateway, 'famc-v3', body.id)).status).toBe(200)
  })
})

describe('a file', () => {
  const fileOf = async (fault: string) => {
    const gateway = await start({ faults: {} })
    const { body } = await order(gateway, 'execute', { model: 'famb-v4', prompt: 'A teapot' }, asking(fault))
    return body.outputs[0].url as string
  }

  test('breaks off before its declared length', async () => {
    const url = await fileOf('cut=0.5 first=1')
    const response = await fetch(url)
    expect(response.headers.get('content-length')).toBe('22')
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(await (await fetch(url)).text()).toBe('image 1 of 1: A teapot')
  })

  test('breaks off before its first byte', async () => {
    const response = await fetch(await fileOf('cut=0'))
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  test('is shorter than it was, and its length does not tell', async () => {
    const response = await fetch(await fileOf('clip=0.5'))
    expect([response.headers.get('content-length'), await response.text()]).toEqual(['11', 'image 1 of '])
  })

  test('is a page', async () => {
    const [plain, disguised] = [
      await fetch(await fileOf('html')),
      await fetch(await fileOf('html=image/png')),
    ]
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/html'])
    expect(disguised.headers.get('content-type')).toBe('image/png')
    expect(await disguised.text()).toMatch(/^<!doctype html>/)
  })

  test('has a link that expired', async () => {
    const url = await fileOf('expire first=1')
    expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([410, 200])
  })

  test('comes slowly', async () => {
    const waits: number[] = []
    const clock = { now: () => 0, wall: () => 0, until: async (date: number) => void waits.push(date) }
    const gateway = await start({ faults: {}, clock })
    const { body } = await order(
      gateway,
      'execute',
      { model: 'famb-v4', prompt: 'A teapot' },
      asking('drip=20'),
    )
    waits.length = 0
    expect(await (await fetch(body.outputs[0].url)).text()).toBe('image 1 of 1: A teapot')
    expect(waits).toEqual(Array(11).fill(100))
  })
})

test('rules of the options hold for all requests', async () => {
  const gateway = await start({
    faults: { rules: [{ fault: { does: 'refuse', status: 500 }, model: 'famb-*', first: 1 }] },
  })
  expect((await order(gateway, 'submit', clip)).status).toBe(202)
  expect((await order(gateway, 'submit', poster)).status).toBe(500)
  expect((await order(gateway, 'submit', poster)).status).toBe(202)
})

test('the header counts only where faults are enabled', async () => {
  const gateway = await start()
  expect((await order(gateway, 'submit', clip, asking('refuse=500'))).status).toBe(202)
})

test('a header that cannot be read is told', async () => {
  const gateway = await start({ faults: {} })
  const reply = await order(gateway, 'submit', clip, asking('loose'))
  expect([reply.status, reply.body.error]).toEqual([
    400,
    { code: 'bad_fault', message: 'loose is no fault (did you mean lose?)' },
  ])
  expect(gateway.ledger().billed.submit).toBe(0)
})

describe('limits', () => {
  test('on runs alive', async () => {
    const gateway = await start({ manual: true, faults: { limits: { runs: 2, retryAfterSeconds: 3 } } })
    const statuses = []
    for (let nth = 0; nth < 3; nth++) statuses.push((await order(gateway, 'submit', clip)).status)
    expect(statuses).toEqual([202, 202, 429])
    await (await gateway.nextRun()).finish()
    expect((await order(gateway, 'submit', clip)).status).toBe(202)
    expect((await order(gateway, 'submit', clip)).headers.get('retry-after')).toBe('3')
  })

  test('on executes in flight', async () => {
    const gateway = await start({ manual: true, faults: { limits: { executes: 1 } } })
    const first = order(gateway, 'execute', poster)
    const run = await gateway.nextRun()
    expect((await order(gateway, 'execute', poster)).status).toBe(429)
    await run.finish()
    expect((await first).status).toBe(200)
    const second = order(gateway, 'execute', poster)
    await (await gateway.nextRun()).finish()
    expect((await second).status).toBe(200)
  })

  test('on requests over a sliding window', () => {
    let now = 0
    const gate = openGate({ rate: { requests: 2, seconds: 10 } }, () => now)
    const none = { executes: 0, runs: 0 }
    const at = (ms: number) => {
      now = ms
      return gate('submit', none)
    }
    expect([at(0), at(4000), at(4500), at(9999), at(10_000), at(10_001)]).toEqual([
      undefined,
      undefined,
      6,
      1,
      undefined,
      4,
    ])
    expect(gate('file', none)).toBeUndefined()
  })
})

test('the ledger is served to whoever has the key, where it is enabled', async () => {
  const [open, closed] = [await start({ ledger: true }), await start()]
  await order(open, 'submit', clip, { 'idempotency-key': 'k1', 'x-gateway-job': 'clip' })
  await order(open, 'submit', { ...clip, duration: 7 }, { 'x-gateway-job': 'clip' })
  const at = (gateway: typeof open) => ({ ...gateway, baseUrl: new URL(gateway.baseUrl).origin })
  expect((await send(at(closed), '/__ledger')).status).toBe(404)
  expect((await send(at(open), '/__ledger', { headers: { authorization: 'Bearer no' } })).status).toBe(401)
  expect((await send(at(open), '/__ledger')).body).toEqual({
    requests: { execute: 0, submit: 2 },
    billed: { execute: 0, submit: 1 },
    byKey: { k1: { requests: 1, billed: 1 } },
    byJob: { clip: { requests: 2, billed: 1 } },
    arrived: { execute: 0, submit: 2, result: 0, file: 0, upload: 0 },
  })
})
