import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { Json } from '../../src/base/names.ts'
import { type Model, type ModelId, modelIds, models, type Param } from '../../src/catalog/index.ts'
import { main } from '../../src/cli/main.ts'
import { convertTo } from '../../src/convert/convert-to.ts'
import { createGenrun } from '../../src/index.ts'
import { openServing } from '../../src/mcp/server.ts'
import { openSessionBudget } from '../../src/workspace/session-budget.ts'
import { fakeSurroundings } from '../cli/fake.ts'

// A service that writes down what it is sent and refuses it: nothing else of it matters here.
const seen: { path: string; body: unknown }[] = []
const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', part => (text += part))
  request.on('end', () => {
    seen.push({ path: request.url ?? '', body: JSON.parse(text) })
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"not here"}')
  })
})
const cwd = mkdtempSync(join(tmpdir(), 'genrun-faces-'))
const service = { baseUrl: '', key: 'key', rehearsal: false }
const client = new Client({ name: 'test', version: '0.0.0' })

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('the service does not listen')
  service.baseUrl = `http://127.0.0.1:${address.port}/gw-v2`
  const [here, there] = InMemoryTransport.createLinkedPair()
  const budget = openSessionBudget({}, undefined, cwd)
  const tools = openServing({ service, cwd, budget, readOnly: false }, '0.0.0').server()
  await Promise.all([tools.connect(there), client.connect(here)])
})

afterAll(async () => {
  await client.close()
  server.close()
  rmSync(cwd, { recursive: true, force: true })
})

function sampleOf(name: string, param: Param): Json {
  switch (param.type) {
    case 'text':
      return `it's ${name}`
    case 'enum':
      return param.values.at(-1) ?? null
    case 'boolean':
      return !param.default
    case 'integer':
    case 'number':
      return param.maximum ?? 0
    case 'file':
      return param.maxItems === undefined ? 'https://a.example/f' : ['https://a.example/f']
    case 'object[]':
      return [
        Object.fromEntries(
          param.members.map(member => [member, member.endsWith('_url') ? 'https://a.example/m' : 1]),
        ),
      ]
    case 'object':
    case 'text[]':
      throw new Error('no built-in model has such a parameter')
  }
}

/** What the service was sent by this piece of work, which ends badly because it refuses. */
async function sentBy(work: () => Promise<unknown>): Promise<unknown> {
  seen.length = 0
  await work().catch(() => undefined)
  expect(seen).toHaveLength(1)
  return seen[0]
}

async function cli(words: readonly string[]): Promise<void> {
  const env = { GENRUN_BASE_URL: service.baseUrl, GENRUN_API_KEY: service.key }
  await main(words, fakeSurroundings({ env, cwd, clock: systemClock }))
}

test.each(modelIds)('every face sends the same for %s', async id => {
  const model: Model = models[id]
  const params = Object.fromEntries(
    Object.entries(model.params).map(([name, param]) => [name, sampleOf(name, param)]),
  )
  const manifest = `${id}.json`
  writeFileSync(join(cwd, manifest), JSON.stringify({ jobs: { hero: { model: id, ...params } } }))
  const converted = (to: 'cli' | 'curl') => {
    const result = convertTo(to, { manifest, address: 'hero', cwd, baseUrl: service.baseUrl })
    return result.got === 'text' ? result.text : ''
  }
  const byManifest = await sentBy(() => cli([manifest, '-q']))
  expect(byManifest).toMatchObject({ body: { params: { model: id } } })
  const genrun = createGenrun({ baseUrl: service.baseUrl, key: service.key, cwd })
  // The table runs over all models at once; types are tested for each of them elsewhere.
  expect(await sentBy(() => genrun.generate(id as ModelId, params as never))).toEqual(byManifest)
  const call = { name: 'service_generate', arguments: { model: id, ...params } }
  expect(await sentBy(() => client.callTool(call))).toEqual(byManifest)
  const run = promisify(execFile)
  const env = { PATH: process.env.PATH, GENRUN_API_KEY: service.key }
  // The shell reads the line, and its words are what the command is given.
  const { stdout } = await run('sh', ['-c', `printf '%s\\0' ${converted('cli').replace(/^genrun /, '')}`], {
    env,
  })
  expect(await sentBy(() => cli(stdout.split('\0').slice(0, -1)))).toEqual(byManifest)
  expect(await sentBy(() => run('sh', ['-c', `${converted('curl')} -s`], { env }))).toEqual(byManifest)
})
