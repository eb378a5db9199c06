import { readdirSync } from 'node:fs'
import { Client as McpClient } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { serveHttp } from '../../src/mcp/http.ts'
import { type Listener, openCallOrders } from '../../src/mcp/orders.ts'
import { startGenrun } from '../e2e/executable.ts'
import { connected, folder, overStdio, rawCall, started, textOf, transportTo, ways } from './bench.ts'

const tea = { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } }
const rain = { name: 'service_generate', arguments: { model: 'famc-t2a', prompt: 'Rain' } }

type Client = Awaited<ReturnType<typeof connected>>['client']
type Call = typeof tea

/** A call that its client gives up as soon as it was sent to the service. */
async function givenUp(client: Client, call: Call): Promise<void> {
  const stop = new AbortController()
  const onprogress = ({ message }: { message?: string | undefined }) =>
    message?.includes(': sent to ') && stop.abort()
  await expect(client.callTool(call, { signal: stop.signal, onprogress })).rejects.toThrow()
}

async function said(client: Client, call: Call | { name: string }) {
  const result = await client.callTool(call)
  return { text: textOf(result as never), isError: result.isError === true, content: result.content }
}

const again = 'ordered by an earlier call like this one; nothing was ordered now'

describe.each(ways)('over %s', way => {
  test('a call that was given up and is made again gets what it ordered', async () => {
    const { client, gateway, cwd } = await connected({ way, gateway: { manual: true } })
    await givenUp(client, tea)
    const run = await gateway.nextRun()
    const answer = said(client, tea)
    await run.finish()
    const { text, isError, content } = await answer
    expect(isError).toBe(false)
    expect(text).toContain(`fama-imagine-image: made\n${cwd}/tea-`)
    expect(text).toContain(again)
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'resource_link' },
      { type: 'image' },
      { type: 'text' },
    ])
    expect(gateway.ledger().requests).toEqual({ execute: 1, submit: 0 })
    // Whoever has it once and asks again wants another.
    const other = said(client, tea)
    await (await gateway.nextRun()).finish()
    expect((await other).text).not.toContain(again)
    expect(gateway.ledger().requests.execute).toBe(2)
  })

  test('the same call beside one that still waits is one more order, and the client is told so', async () => {
    const { client, gateway } = await connected({ way, gateway: { manual: true } })
    const answers = [said(client, tea), said(client, tea)]
    for (const _ of answers) await (await gateway.nextRun()).finish()
    for (const { text } of await Promise.all(answers)) expect(text).not.toContain(again)
    expect(gateway.ledger().requests.execute).toBe(2)
    expect(client.getInstructions()).toContain(
      'beside one that still waits, the same service_generate is one more order',
    )
  })

  test('what came after its caller had left is given by service_result, once', async () => {
    const { client, gateway, cwd } = await connected({ way, gateway: { manual: true } })
    await givenUp(client, tea)
    await (await gateway.nextRun()).finish()
    await expect
      .poll(() => readdirSync(cwd).filter(name => name.endsWith('.png')), { timeout: 30_000 })
      .toHaveLength(1)
    expect((await said(client, { name: 'service_result' })).text).toContain(`made\n${cwd}/tea-`)
    expect((await said(client, { name: 'service_result' })).text).toContain('nothing was left behind')
  })
})

test('other arguments are another order', async () => {
  const { client, gateway } = await connected({ gateway: { manual: true } })
  await givenUp(client, tea)
  const first = await gateway.nextRun()
  const coffee = said(client, { ...tea, arguments: { ...tea.arguments, prompt: 'Coffee' } })
  await (await gateway.nextRun()).finish()
  expect((await coffee).text).not.toContain(again)
  await first.finish()
  // The order of the arguments means nothing.
  const turned = { prompt: 'Tea', model: 'fama-imagine-image' }
  expect((await said(client, { name: 'service_generate', arguments: turned })).text).toContain(again)
  expect(gateway.ledger().requests.execute).toBe(2)
})

test('two calls alike at once are two orders', async () => {
  const { client, gateway } = await connected({ gateway: { manual: true } })
  const both = [said(client, rain), said(client, rain)]
  for (const _ of both) await (await gateway.nextRun()).finish()
  const texts = (await Promise.all(both)).map(({ text }) => text)
  expect(new Set(texts).size).toBe(2)
  expect(gateway.ledger().requests.submit).toBe(2)
})

test('a call that waits for an earlier one may be given up as well', async () => {
  const { client, gateway } = await connected({ gateway: { manual: true } })
  await givenUp(client, rain)
  const run = await gateway.nextRun()
  await expect(client.callTool(rain, { timeout: 20 })).rejects.toThrow()
  await expect(client.callTool({ name: 'service_result' }, { timeout: 20 })).rejects.toThrow()
  await run.finish()
  expect((await said(client, rain)).text).toContain('famc-t2a: made')
  expect(gateway.ledger().requests.submit).toBe(1)
})

test('an earlier order that failed is told before another is made', async () => {
  const { client, gateway } = await connected({ gateway: { manual: true } })
  await givenUp(client, rain)
  await (await gateway.nextRun()).fail('too wet')
  const { text, isError } = await said(client, rain)
  expect([isError, text]).toEqual([
    true,
    expect.stringMatching(/famc-t2a: failed: .*too wet[^]*nothing was ordered/),
  ])
  const next = said(client, rain)
  await (await gateway.nextRun()).finish()
  expect((await next).isError).toBe(false)
  expect(gateway.ledger().requests.submit).toBe(2)
})

test('a connection that breaks in a call leaves its order to the next', async () => {
  const { gateway, serving, cwd } = await started({ gateway: { manual: true } })
  const server = await serveHttp(serving, { port: 0 })
  onTestFinished(() => server.close())
  const open = async () => {
    const client = new McpClient(
      { name: 'test', version: '0.0.0' },
      { versionNegotiation: { mode: 'legacy' } },
    )
    const transport = transportTo(server)
    await client.connect(transport)
    onTestFinished(() => client.close())
    return { client, transport }
  }
  const { broken, cut } = rawCall(server, (await open()).transport.sessionId, tea)
  const run = await gateway.nextRun()
  cut()
  await expect(broken).rejects.toThrow()
  const { client } = await open()
  const answer = said(client, tea)
  await run.finish()
  expect((await answer).text).toContain(`made\n${cwd}/tea-`)
  expect((await answer).text).toContain(again)
  expect(gateway.ledger().requests.execute).toBe(1)
})

async function killedInCall(call: Call) {
  const gateway = await startGateway({ outputs: 'memory', manual: true })
  onTestFinished(() => gateway.close())
  const cwd = folder()
  const env = { GENRUN_BASE_URL: gateway.baseUrl, GENRUN_API_KEY: gateway.key }
  const frames = [
    {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
    },
    { method: 'notifications/initialized' },
    { id: 1, method: 'tools/call', params: { ...call, _meta: { progressToken: 1 } } },
  ]
  const server = startGenrun(['mcp'], { cwd, env, piped: true })
  for (const frame of frames) server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
  const run = await gateway.nextRun()
  if (call === rain) await server.shows('stdout', `run ${run.id}`)
  server.child.kill('SIGKILL')
  await server.ended
  return { gateway, run, client: await overStdio(cwd, env, []) }
}

test('a server that was killed in a call tells the next client, and the same call pays nothing', async () => {
  const { client, gateway, run } = await killedInCall(rain)
  expect(client.getInstructions()).toMatch(
    /Left behind by earlier calls: rain-\w+ of famc-t2a\. Call service_result first\.$/,
  )
  await run.finish()
  const { text, isError } = await said(client, rain)
  expect([isError, text]).toEqual([false, expect.stringContaining(again)])
  expect(gateway.ledger().requests).toEqual({ execute: 0, submit: 1 })
})

test('killed before an answer came: the same call is not ordered again, others are', async () => {
  const { client, gateway, run } = await killedInCall(tea)
  const { text, isError } = await said(client, tea)
  expect(isError).toBe(true)
  expect(text).toContain(
    'an earlier order of fama-imagine-image is in doubt: genrun stopped before an answer came',
  )
  expect(text).toContain('gives it up by `genrun result --forget`; other arguments order anew')
  const other = said(client, { ...tea, arguments: { ...tea.arguments, prompt: 'Coffee' } })
  await run.finish()
  await (await gateway.nextRun()).finish()
  expect((await other).text).toContain('is in doubt')
  expect((await other).isError).toBe(false)
  expect(gateway.ledger().requests.execute).toBe(2)
})

describe('orders', () => {
  const sending = { event: 'sending', at: 0, address: 'a', model: 'm', attempt: 1 } as never

  function work() {
    let end: (ending: string) => void = () => undefined
    const heard: Listener[] = []
    const result = new Promise<never>(resolve => {
      end = ending => resolve({ got: 'generation', generation: { ending }, problems: [] } as never)
    })
    return {
      end,
      heard,
      carryOut: (listener: Listener) => {
        heard.push(listener)
        return result
      },
    }
  }

  test('what was not sent ends with its caller', async () => {
    const { place, resume } = openCallOrders()
    const { carryOut, heard, end } = work()
    const stop = new AbortController()
    const placed = place('a', carryOut, { stop: stop.signal, emit: () => undefined })
    await Promise.resolve()
    stop.abort()
    expect(heard[0]?.stop.aborted).toBe(true)
    end('skipped')
    await placed
    expect(resume('a', { stop: stop.signal, emit: () => undefined })).toBeUndefined()
  })

  test('what was sent goes on until the server stops, and then its journal has it', async () => {
    const orders = openCallOrders()
    const { carryOut, heard, end } = work()
    const stop = new AbortController()
    const told: unknown[] = []
    const placed = orders.place('a', carryOut, { stop: stop.signal, emit: each => told.push(each) })
    await Promise.resolve()
    heard[0]?.emit(sending)
    stop.abort()
    heard[0]?.emit(sending)
    expect([heard[0]?.stop.aborted, told.length]).toEqual([false, 1])
    orders.stop()
    expect(heard[0]?.stop.aborted).toBe(true)
    end('detached')
    await placed
    const caller = { stop: new AbortController().signal, emit: () => undefined }
    expect(orders.resume('a', caller)).toBeUndefined()
    expect(await orders.collect(undefined, caller)).toEqual([])
  })
})
