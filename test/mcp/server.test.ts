import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { openSessionPurse } from '../../src/desk/session-purse.ts'
import { type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { toolServer } from '../../src/mcp/server.ts'
import { pixel } from '../desk/bench.ts'
import { executable } from '../e2e/executable.ts'

interface Setup {
  readonly gateway?: Partial<GatewayOptions>
  readonly maxPaid?: number
  readonly readOnly?: boolean
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'genrun-mcp-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function connected({ gateway: options, maxPaid, readOnly = false }: Setup = {}) {
  const gateway = await startGateway({ outputs: 'memory', ...options })
  const cwd = folder()
  const service = { baseUrl: gateway.baseUrl, key: gateway.key, rehearsal: false }
  const purse = openSessionPurse({ ...(maxPaid !== undefined && { maxPaid }) }, undefined, cwd)
  const server = toolServer({ service, cwd, purse, readOnly }, '0.0.0')
  const client = new Client({ name: 'test', version: '0.0.0' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
  })
  return { client, gateway, cwd }
}

function textOf({ content }: { content: readonly { type: string; text?: string }[] }): string {
  return content.flatMap(each => (each.type === 'text' ? [each.text ?? ''] : [])).join('\n')
}

test('the tools of the specification are listed; read-only has none that makes anything', async () => {
  const { client } = await connected()
  const { tools } = await client.listTools()
  expect(tools.map(tool => tool.name)).toEqual([
    'service_generate',
    'service_models',
    'service_model_info',
    'service_pricing',
    'service_validate',
    'service_run',
  ])
  const generate = tools[0]?.inputSchema.properties as { [name: string]: object }
  expect(generate.imageUrls).toMatchObject({ type: 'array', items: { type: 'string' } })
  const { client: reader } = await connected({ readOnly: true })
  expect((await reader.listTools()).tools.map(tool => tool.name)).toEqual([
    'service_models',
    'service_model_info',
    'service_pricing',
    'service_validate',
  ])
  expect(
    await reader.callTool({ name: 'service_generate', arguments: { model: 'famb-v4', prompt: 'Tea' } }),
  ).toMatchObject({
    isError: true,
  })
})

test('a generation tells its progress and gives its file as a link and a picture', async () => {
  const { client, cwd } = await connected()
  const heard: (string | undefined)[] = []
  const result = await client.callTool(
    { name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } },
    { onprogress: ({ message }) => void heard.push(message) },
  )
  expect(result.isError).toBeUndefined()
  expect(result.content).toMatchObject([
    { type: 'text', text: expect.stringContaining(`fama-imagine-image: made\n${cwd}/tea-`) },
    { type: 'resource_link', mimeType: 'image/png', uri: expect.stringContaining('file://') },
    { type: 'image', mimeType: 'image/png' },
  ])
  expect(heard[0]).toBe('1 to make')
  expect(heard.at(-1)).toContain(': done')
})

test('bad arguments are one error that lists each of them, and nothing is sent', async () => {
  const { client, gateway } = await connected()
  const result = await client.callTool({
    name: 'service_generate',
    arguments: { model: 'famc-v3', duration: 7, colour: 'red' },
  })
  expect(result.isError).toBe(true)
  const text = textOf(result as never)
  for (const code of ['bad-value', 'missing-param', 'unknown-param']) expect(text).toContain(`[${code}]`)
  expect(gateway.requests()).toMatchObject({ submit: 0 })
})

test('no file outside the folder leaves it', async () => {
  const { client } = await connected()
  const other = folder()
  writeFileSync(join(other, 'private.png'), pixel)
  const args = { model: 'fama-imagine-image', prompt: 'Tea', imageUrls: [join(other, 'private.png')] }
  const result = await client.callTool({ name: 'service_generate', arguments: args })
  expect(textOf(result as never)).toContain('[outside-file]')
})

test('the cap counts for the whole session, runs of manifests included', async () => {
  const { client, gateway, cwd } = await connected({ maxPaid: 2 })
  writeFileSync(
    join(cwd, 'two.yaml'),
    'jobs: { a: { model: fama-imagine-image, prompt: A }, b: { model: fama-imagine-image, prompt: B } }\n',
  )
  const call = () =>
    client.callTool({ name: 'service_generate', arguments: { model: 'fama-imagine-image', prompt: 'Tea' } })
  expect((await call()).isError).toBeUndefined()
  const run = await client.callTool({ name: 'service_run', arguments: { manifest: 'two.yaml' } })
  expect(run.isError).toBe(true)
  expect((await call()).isError).toBe(true)
  expect(gateway.ledger().requests.execute).toBeLessThanOrEqual(2)
})

test('a call that is cancelled buys nothing more', async () => {
  const { client, gateway } = await connected({ gateway: { manual: true } })
  const stop = new AbortController()
  const call = client.callTool(
    { name: 'service_generate', arguments: { model: 'famc-t2a', prompt: 'Rain' } },
    { signal: stop.signal, onprogress: ({ message }) => message?.includes(': run ') && stop.abort() },
  )
  await expect(call).rejects.toThrow()
  expect(gateway.ledger().requests.submit).toBe(1)
})

test('a manifest is checked and run, models and prices are told', async () => {
  const { client, cwd } = await connected()
  writeFileSync(join(cwd, 'tea.yaml'), 'jobs: { hero: { model: fama-imagine-image, prompt: Tea } }\n')
  const say = async (name: string, args: { [name: string]: unknown }) =>
    JSON.parse(textOf((await client.callTool({ name, arguments: args })) as never))
  expect(await say('service_validate', { manifest: 'tea.yaml' })).toMatchObject({ ok: true, jobs: 1 })
  expect(await say('service_run', { manifest: 'tea.yaml' })).toMatchObject({ counts: { made: 1 }, paid: 1 })
  expect(await say('service_models', {})).toHaveLength(25)
  expect(await say('service_model_info', { model: 'famc-v3' })).toMatchObject({ id: 'famc-v3' })
  expect(await say('service_pricing', { model: 'famc-v3', duration: 10 })).toMatchObject({
    quantities: { perSecond: 10 },
  })
})

test('the executable serves a client over stdio', async () => {
  const cwd = folder()
  const client = new Client({ name: 'test', version: '0.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [executable, 'mcp', '--local'],
      cwd,
      stderr: 'ignore',
    }),
  )
  onTestFinished(() => client.close())
  expect((await client.listTools()).tools).toHaveLength(6)
  const result = await client.callTool({
    name: 'service_generate',
    arguments: { model: 'famb-v4', prompt: 'Tea' },
  })
  expect(textOf(result as never)).toContain('a rehearsal: placeholders, nothing was paid')
})
