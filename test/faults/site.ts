import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/random.ts'
import { main } from '../../src/cli/main.ts'
import { render } from '../../src/gateway/render/index.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/server.ts'
import { fakeSurroundings } from '../cli/fake.ts'
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

// A hang is seen by the signal that ends it.
const hangMs = 120_000

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

/**
 * A genrun that the preload kills, if its fate says so: `GENRUN_CRASH_AT`. One without a fate is nobody's to kill: it is done by this
 * process, which takes a tenth of the time of one of its own.
 */
export function genrun(site: Site, words: readonly string[], fate: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return Object.keys(fate).length === 0 ? here(site, words) : node(site, [executable, ...words], fate)
}

async function here({ folder, gateway }: Site, words: readonly string[]): Promise<Ended> {
  const { baseUrl, key } = gateway
  const env = { PATH: process.env.PATH, HOME: folder, GENRUN_BASE_URL: baseUrl, GENRUN_API_KEY: key }
  const around = fakeSurroundings({ env, cwd: folder, clock: systemClock })
  const end = new AbortController()
  const signal = await Promise.race([
    main(words, around).then(() => null),
    systemClock.until(systemClock.now() + hangMs, end.signal).then(() => 'SIGTERM' as const),
  ])
  end.abort()
  return { signal, stdout: around.stdout.text(), stderr: around.stderr.text() }
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
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      HOME: folder,
      GENRUN_BASE_URL: baseUrl,
      GENRUN_API_KEY: key,
      ...fate,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: hangMs,
  })
  const text = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (part: string) => {
      text[stream] += part
    })
  return new Promise(resolve => child.on('close', (_, signal) => resolve({ signal, ...text })))
}
