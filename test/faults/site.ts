import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemRandom } from '../../src/base/random.ts'
import { render } from '../../src/gateway/render/index.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { executable } from '../e2e/executable.ts'

/** What kills a process at a call that changes something on disk. */
export const preload = join(import.meta.dirname, 'crash-preload.mjs')

/** One folder with its own gateway. */
export interface Site {
  readonly folder: string
  readonly gateway: Gateway
  /** Every word that the gateway made up; the ids of its runs are among them. */
  readonly words: readonly string[]
}

/** A fresh one, gone when its task is over. */
export async function atSite<T>(task: (site: Site) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-kills-'))
  const words: string[] = []
  const token = () => {
    const word = systemRandom.token()
    words.push(word)
    return word
  }
  const gateway = await startGateway({
    outputs: 'memory',
    ledger: true,
    render: renderOnce,
    random: { ...systemRandom, token },
  })
  try {
    return await task({ folder, gateway, words })
  } finally {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Render = NonNullable<GatewayOptions['render']>

const rendered = new Map<string, ReturnType<Render>>()

/** The same order yields the same file everywhere: the renderer is not what is tested here. */
const renderOnce: Render = request => {
  const known = rendered.get(request.model) ?? render(request)
  rendered.set(request.model, known)
  return known
}

export interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A genrun that the preload kills, if its fate says so: `GENRUN_CRASH_AT`. */
export function genrun(site: Site, words: readonly string[], fate: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return node(site, [executable, ...words], fate)
}

/** The same for a program of one's own. */
export function node(
  { folder, gateway }: Site,
  words: readonly string[],
  fate: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const { baseUrl, key } = gateway
  const child = spawn(process.execPath, ['--import', preload, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key, ...fate },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A hang is seen by the signal that ends it.
    timeout: 120_000,
  })
  const text = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (part: string) => {
      text[stream] += part
    })
  return new Promise(resolve => child.on('close', (_, signal) => resolve({ signal, ...text })))
}
