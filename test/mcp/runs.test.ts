import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../src/mcp/http.ts'
import { openRunsAtWork } from '../../src/mcp/runs.ts'
import { connected, rawCall, started, textOf, transportTo } from './bench.ts'

const run = { name: 'service_run', arguments: { manifest: 'tea.yaml' } }
const redo = { name: 'service_redo', arguments: { manifest: 'tea.yaml', jobs: ['hero'] } }
const tea = 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n'
const atWork = 'this server is at work on this manifest by an earlier call; call again when that is over'
const joined = 'begun by an earlier call like this one; nothing was begun now'

test('a run that is asked for while this server is at work on it is not called one of another genrun', async () => {
  const { client, gateway, cwd } = await connected({ gateway: { manual: true } })
  writeFileSync(join(cwd, 'tea.yaml'), tea)
  const first = client.callTool(run)
  const order = await gateway.nextRun()
  const pick = { name: 'service_pick', arguments: { manifest: './tea.yaml', take: 'hero' } }
  for (const call of [run, redo, pick]) {
    const result = await client.callTool(call)
    expect([result.isError, textOf(result as never)]).toEqual([true, atWork])
  }
  await order.finish()
  expect((await first).isError).toBeUndefined()
})

test('after a run that was cancelled the next begins when it is over, and nothing is paid twice', async () => {
  const { client, gateway, cwd } = await connected({ gateway: { manual: true } })
  writeFileSync(join(cwd, 'tea.yaml'), tea)
  const stop = new AbortController()
  const first = client.callTool(run, { signal: stop.signal })
  const order = await gateway.nextRun()
  stop.abort()
  await expect(first).rejects.toThrow()
  const next = client.callTool(run)
  await order.finish()
  expect((await next).structuredContent).toMatchObject({
    trouble: [],
    jobs: [{ files: [expect.any(String)] }],
  })
  expect(gateway.ledger().requests.execute).toBe(1)
})

test.each([
  ['a run', run, redo],
  ['a redo', redo, run],
])('%s whose connection broke goes on, and the same call gets what it comes to', async (_, call, other) => {
  const { gateway, serving, cwd } = await started({ gateway: { manual: true } })
  const server = await serveHttp(serving, { port: 0 })
  onTestFinished(() => server.close())
  writeFileSync(join(cwd, 'tea.yaml'), tea)
  const client = new Client({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  const transport = transportTo(server)
  await client.connect(transport)
  onTestFinished(() => client.close())
  if (call === redo) {
    const made = client.callTool(run)
    await (await gateway.nextRun()).finish()
    await made
  }
  const before = gateway.ledger().requests.execute
  const { broken, cut } = rawCall(server, transport.sessionId, call)
  const order = await gateway.nextRun()
  cut()
  await expect(broken).rejects.toThrow()
  await expect.poll(async () => textOf((await client.callTool(other)) as never)).toBe(atWork)
  const answer = client.callTool(call)
  await order.finish()
  expect((await answer).isError).toBeUndefined()
  expect(textOf((await answer) as never)).toContain(joined)
  expect(gateway.ledger().requests.execute - before).toBe(1)
})

describe('runs', () => {
  const ways = () => {
    const [stop, gone] = [new AbortController(), new AbortController()]
    return { stop, gone, caller: { stop: stop.signal, gone: gone.signal, emit: () => undefined } }
  }

  test('who joined a run that was left alone cancels it', async () => {
    const runs = openRunsAtWork<string>()
    const [first, second] = [ways(), ways()]
    const asked = { manifest: '/tea.yaml', what: 'run' }
    let [end, heard]: [(text: string) => void, AbortSignal | undefined] = [() => undefined, undefined]
    const work = ({ stop }: { stop: AbortSignal }) => {
      heard = stop
      return new Promise<string>(resolve => {
        end = resolve
      })
    }
    const begun = runs.carryOut(asked, first.caller, work)
    await expect.poll(() => heard).toBeDefined()
    first.gone.abort()
    const joining = runs.carryOut(asked, second.caller, work)
    await Promise.resolve()
    first.stop.abort()
    expect(heard).toMatchObject({ aborted: false })
    second.stop.abort()
    expect(heard).toMatchObject({ aborted: true })
    end('over')
    expect(await Promise.all([begun, joining])).toEqual([
      { got: 'begun', result: 'over' },
      { got: 'joined', result: 'over' },
    ])
    expect(runs.isAtWorkOn('/tea.yaml')).toBe(false)
  })
})
