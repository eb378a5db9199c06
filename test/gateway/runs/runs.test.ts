import { expect, test } from 'vitest'
import type { Clock } from '../../../src/base/clock.ts'
import { echo, finished, order, result, start } from '../start.ts'

const clip = { model: 'famc-v3', prompt: 'A teapot' }
const poster = { model: 'famb-v3', prompt: 'A teapot', count: 2 }

test('execute answers with the files', async () => {
  const gateway = await start()
  const { status, body } = await order(gateway, 'execute', poster)
  const url = `${gateway.baseUrl}/files/${body.id}`
  expect(status).toBe(200)
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    status: 'completed',
    outputs: [
      { url: `${url}/1.png`, type: 'image/png', bytes: 22, width: 1024, height: 576 },
      { url: `${url}/2.png`, type: 'image/png', bytes: 22, width: 1024, height: 576 },
    ],
  })
  expect((await result(gateway, 'famb-v3', body.id)).body).toEqual(body)
})

test('a submitted run is accepted, processed and completed', async () => {
  const gateway = await start({ manual: true })
  const submitted = await order(gateway, 'submit', clip)
  const { id } = submitted.body
  expect([submitted.status, submitted.body]).toEqual([202, { id, status: 'accepted' }])
  expect(await result(gateway, 'famc-v3', id)).toMatchObject({
    status: 202,
    body: { id, status: 'accepted' },
  })
  const run = await gateway.nextRun()
  run.progress(0.4)
  expect((await result(gateway, 'famc-v3', id)).body).toEqual({ id, status: 'processing', progress: 0.4 })
  await run.finish()
  const done = await result(gateway, 'famc-v3', id)
  expect(done.status).toBe(200)
  expect(done.body).toMatchObject({ id, status: 'completed', outputs: [{ type: 'video/mp4', seconds: 5 }] })
})

test('left alone, runs go through at once, and every model takes both ways', async () => {
  const gateway = await start()
  const { body } = await order(gateway, 'submit', poster)
  expect((await finished(gateway, 'famb-v3', body.id)).body.outputs).toHaveLength(2)
  expect((await order(gateway, 'execute', clip)).body.outputs).toHaveLength(1)
})

test('a run takes as long as it is told, and says when to come again', async () => {
  const clock = handClock()
  const gateway = await start({ speed: 20, clock })
  const { body } = await order(gateway, 'submit', clip)
  await until(async () => (await result(gateway, 'famc-v3', body.id)).body.status === 'processing')
  clock.move(8000)
  const half = await result(gateway, 'famc-v3', body.id)
  expect([half.body.progress, half.headers.get('retry-after')]).toEqual([0.4, '5'])
  clock.move(9500)
  expect((await result(gateway, 'famc-v3', body.id)).headers.get('retry-after')).toBe('2')
  clock.move(2000)
  expect((await result(gateway, 'famc-v3', body.id)).headers.get('retry-after')).toBeNull()
  clock.move(500)
  expect((await finished(gateway, 'famc-v3', body.id)).body.status).toBe('completed')
})

test('a test can let a run fail', async () => {
  const gateway = await start({ manual: true })
  const waiting = order(gateway, 'execute', poster)
  const run = await gateway.nextRun()
  await run.fail('no teapots today', 'content_policy')
  expect(await waiting).toMatchObject({
    status: 200,
    body: { id: run.id, status: 'failed', error: { code: 'content_policy', message: 'no teapots today' } },
  })
})

test('a test sees what was ordered, in the order of arrival', async () => {
  const gateway = await start({ manual: true })
  await order(gateway, 'submit', clip, { 'idempotency-key': 'k1', 'x-gateway-job': 'clip[1]' })
  await order(gateway, 'submit', { ...clip, duration: 10 })
  const [first, second] = [await gateway.nextRun(), await gateway.nextRun()]
  expect(first).toMatchObject({
    workflow: 'famc-v3',
    mode: 'submit',
    params: { prompt: 'A teapot' },
    key: 'k1',
    job: 'clip[1]',
  })
  expect(second.params).toEqual({ prompt: 'A teapot', duration: 10 })
  const third = gateway.nextRun()
  await order(gateway, 'submit', poster)
  expect((await third).workflow).toBe('famb-v3')
})

test('steering needs a gateway that waits', async () => {
  const gateway = await start()
  expect(() => gateway.nextRun()).toThrow('runs go on by themselves: start the gateway with manual: true')
})

test('a renderer that breaks fails the run and not the gateway', async () => {
  const gateway = await start({
    render: async request => {
      if (request.prompt === 'A teapot') throw new Error('out of paint')
      return echo(request)
    },
  })
  const broken = await order(gateway, 'execute', poster)
  expect(broken.body).toMatchObject({
    status: 'failed',
    error: { code: 'internal', message: 'out of paint' },
  })
  expect((await order(gateway, 'execute', { ...poster, prompt: 'A cup' })).body.status).toBe('completed')
})

test('while a picture is rendered the gateway keeps answering', async () => {
  let open: () => void = () => undefined
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const gateway = await start({ render: request => opened.then(() => echo(request)) })
  const waiting = [1, 2, 3, 4].map(() => order(gateway, 'execute', poster))
  const { body } = await order(gateway, 'submit', clip)
  expect((await result(gateway, 'famc-v3', body.id)).status).toBe(202)
  open()
  expect((await Promise.all(waiting)).map(reply => reply.body.status)).toEqual(Array(4).fill('completed'))
})

test('a result is found under its own workflow only', async () => {
  const gateway = await start()
  const { body } = await order(gateway, 'execute', poster)
  const reply = await result(gateway, 'famc-v3', body.id)
  expect([reply.status, reply.body.error.code]).toEqual([404, 'unknown_run'])
})

test('a result expires when it is told to', async () => {
  const clock = handClock()
  const gateway = await start({ resultSeconds: 60, clock })
  const { body } = await order(gateway, 'execute', poster)
  clock.move(60_000)
  expect((await result(gateway, 'famb-v3', body.id)).status).toBe(200)
  clock.move(1)
  const reply = await result(gateway, 'famb-v3', body.id)
  expect([reply.status, reply.body.error.code]).toEqual([410, 'result_expired'])
})

test('an idempotency key is counted, and honoured only when that is asked for', async () => {
  const [plain, honest] = [await start(), await start({ honoursKeys: true })]
  const key = { 'idempotency-key': 'k1' }
  for (const gateway of [plain, honest]) await order(gateway, 'submit', clip, key)
  const [again, replayed] = [
    await order(plain, 'submit', clip, key),
    await order(honest, 'submit', clip, key),
  ]
  expect(plain.ledger().byKey).toEqual({ k1: { requests: 2, billed: 2 } })
  expect(honest.ledger().byKey).toEqual({ k1: { requests: 2, billed: 1 } })
  expect(again.body.id).not.toBe(replayed.body.id)
  const other = await order(honest, 'submit', { ...clip, duration: 10 }, key)
  expect([other.status, other.body.error.code]).toEqual([422, 'key_reused'])
})

test('of equal requests at once, one is billed when keys are honoured', async () => {
  const gateway = await start({ honoursKeys: true })
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => order(gateway, 'execute', poster, { 'idempotency-key': 'k1' })),
  )
  expect(new Set(replies.map(reply => reply.body.id)).size).toBe(1)
  expect(gateway.ledger()).toMatchObject({
    billed: { execute: 1 },
    byKey: { k1: { requests: 8, billed: 1 } },
  })
})

/** A clock that stands still until a test moves it. */
function handClock(): Clock & { move(ms: number): void } {
  let now = Date.UTC(2030, 0, 1)
  const waiting = new Set<{ date: number; wake: () => void }>()
  return {
    now: () => now,
    wall: () => now,
    until: (date, signal) =>
      new Promise(resolve => {
        if (date <= now || signal?.aborted) return resolve()
        const sleeper = { date, wake: resolve }
        waiting.add(sleeper)
        signal?.addEventListener('abort', () => resolve())
      }),
    move(ms) {
      now += ms
      for (const sleeper of waiting) if (sleeper.date <= now && waiting.delete(sleeper)) sleeper.wake()
    },
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

test('what a person should know about files is told once, and stands in every answer', async () => {
  const told: string[] = []
  const render: typeof echo = async request =>
    (await echo(request)).map(file => ({ ...file, warning: 'only a tone' }))
  const gateway = await start({ render, remark: text => told.push(text) })
  const link = 'https://pictures.example/fox.png'
  const replies = [
    await order(gateway, 'execute', { model: 'fama-tts', prompt: 'One', language: 'en' }),
    await order(gateway, 'execute', { model: 'fama-tts', prompt: 'Two', language: 'en' }),
    await order(gateway, 'execute', { model: 'famc-v3', prompt: 'Three', startFrame: link }),
  ]
  const unfetched = 'made without startFrame: links to elsewhere are not fetched here'
  expect(replies.map(({ body }) => body.outputs[0].warning)).toEqual([
    'only a tone',
    'only a tone',
    `only a tone; ${unfetched}`,
  ])
  expect(told).toEqual(['only a tone', unfetched])
})
