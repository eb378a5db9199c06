import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { executable } from '../e2e/executable.ts'
import { budget } from './budget.ts'
import { atSite, genrun, node, preload, type Site } from './site.ts'

/** A way to order one thing, as a person or a program does. */
interface Face {
  /** What stands before it. */
  readonly before?: (site: Site) => Promise<unknown>
  /** Gives the call. Whether it came to a result. */
  readonly call: (site: Site, fate?: NodeJS.ProcessEnv) => Promise<boolean>
  /** How many orders there are when it has come to its end once. */
  readonly orders: number
  /** Whether it is seen to be over without a word, so that the same words mean one more. */
  readonly isOver?: (site: Site) => boolean
}

// Built beside the executable.
const library = join(dirname(executable), 'index.js')

const manifest = 'jobs:\n  still: { model: fama-imagine-image, prompt: A teapot }\n'

const words = (line: string) => async (site: Site, fate?: NodeJS.ProcessEnv) =>
  (await genrun(site, line.split(' '), fate)).stdout.includes('.png')

const call = 'generate -m fama-imagine-image -p Teapot'

const faces: { readonly [name: string]: Face } = {
  redo: {
    async before(site) {
      writeFileSync(join(site.folder, 't.yaml'), manifest)
      await genrun(site, ['run', 't.yaml'])
    },
    call: words('redo t.yaml still --json'),
    orders: 2,
    isOver: isPicked,
  },
  apply: {
    async before(site) {
      writeFileSync(join(site.folder, 't.yaml'), manifest)
      await genrun(site, ['plan', 't.yaml', '-o', 'saved.plan'])
    },
    call: words('apply saved.plan --json'),
    orders: 1,
  },
  generate: { call: words(call), orders: 1 },
  'generate -o': { call: words(`${call} -o tea.png`), orders: 1 },
  'generate --lock': { call: words(`${call} -o tea.png --lock art.lock.json`), orders: 1 },
  'gen-ai generate': { call: words(`gen-ai ${call}`), orders: 1 },
  'tool server': { call: callTool, orders: 1 },
  'the library, generate with a lock': {
    async before({ folder }) {
      writeFileSync(join(folder, 'make.mjs'), program)
    },
    call: async (site, fate) => (await node(site, ['make.mjs'], fate)).stdout.includes('.png'),
    orders: 1,
  },
}

const program = `import { createGenrun, fromEnv } from ${JSON.stringify(library)}
const genrun = createGenrun(fromEnv())
const tea = { prompt: 'Teapot' }
const { files } = await genrun.generate('fama-imagine-image', tea, { name: 'tea', lock: 'art.lock.json' })
console.log(files[0].path)
`

/** Nothing is left to do, be it told or not. */
function isPicked({ folder }: Site): boolean {
  const journal = join(folder, '.genrun', 't', 'journal')
  return readdirSync(journal).some(name =>
    readFileSync(join(journal, name), 'utf8').includes('"picked":true'),
  )
}

/** Of a client that gives its server up when that is gone. */
async function callTool({ folder, gateway }: Site, fate: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const client = new Client({ name: 'test', version: '0.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', preload, executable, 'mcp'],
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      TMPDIR: process.env.TMPDIR ?? tmpdir(),
      HOME: folder,
      GENRUN_BASE_URL: gateway.baseUrl,
      GENRUN_API_KEY: gateway.key,
      ...(fate as { [name: string]: string }), // as they are set here
    },
    stderr: 'ignore',
  })
  try {
    await client.connect(transport)
    const args = { model: 'fama-imagine-image', prompt: 'Teapot' }
    const result = await client.callTool({ name: 'service_generate', arguments: args })
    return JSON.stringify(result).includes('.png')
  } catch {
    return false
  } finally {
    await client.close()
  }
}

/** The writes and syncs of one undisturbed call. */
async function callsOf(face: Face): Promise<readonly string[]> {
  return atSite(async site => {
    await face.before?.(site)
    const file = join(site.folder, 'calls')
    expect(await face.call(site, { GENRUN_CRASH_COUNT: file })).toBe(true)
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  })
}

interface Outcome {
  readonly at: number
  readonly orders: number
  readonly isTold: boolean
}

/** Killed at one call, and given once more. */
function killedAt(face: Face, at: number, weakness: NodeJS.ProcessEnv = {}): Promise<Outcome | undefined> {
  return atSite(async site => {
    await face.before?.(site)
    const wasTold = await face.call(site, { ...weakness, GENRUN_CRASH_AT: String(at) })
    if (wasTold || face.isOver?.(site)) return undefined
    const isTold = await face.call(site)
    const { execute, submit } = site.gateway.ledger().requests
    return { at, orders: execute + submit, isTold }
  })
}

// All of them in the long suite.
const most = budget.kills >= 1000 ? Number.POSITIVE_INFINITY : 12

describe.each(Object.entries(faces))('%s', (_, face) => {
  test('killed at any write, and given again with the same words, orders once', async () => {
    const { length: calls } = await callsOf(face)
    const step = Math.max(1, Math.ceil(calls / most))
    const points = Array.from({ length: Math.floor(calls / step) }, (_, nth) => calls - nth * step)
    const outcomes: (Outcome | undefined)[] = []
    for (let next = 0; next < points.length; next += 3)
      outcomes.push(...(await Promise.all(points.slice(next, next + 3).map(at => killedAt(face, at)))))
    const known = outcomes.flatMap(each => each ?? [])
    expect(known.filter(({ orders }) => orders > face.orders)).toEqual([])
    console.log(`${known.length} killed of ${calls}; told: ${known.filter(({ isTold }) => isTold).length}`)
    expect(known.length).toBeGreaterThan(0)
  })
})

// The zeros above mean something because this is not one.
test('a single job whose order is reserved nowhere before it leaves is noticed by the ledger', async () => {
  const face: Face = { call: words(call), orders: 1 }
  const calls = await callsOf(face)
  // The order leaves right after the second sync of the journal; the next calls come with its answer.
  const sync = 'fdatasync of the journal'
  const sending = 1 + calls.indexOf(sync, 1 + calls.indexOf(sync))
  let orders = 0
  for (let at = sending + 1; at < sending + 10 && orders <= 1; at++)
    orders = (await killedAt(face, at, { GENRUN_CRASH_FORGETFUL: '1' }))?.orders ?? 0
  expect(orders).toBe(2)
})
