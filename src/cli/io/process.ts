import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../../base/clock.ts'
import { realPathAt } from '../../disk/look.ts'
import { processSinks } from './sinks.ts'
import { readStdin } from './stdin.ts'
import type { StopSignal, Surroundings } from './surroundings.ts'

/** The real process. */
export function processSurroundings(): Surroundings {
  return {
    env: process.env,
    cwd: process.cwd(),
    ...processSinks(),
    stdin: readStdin,
    // Asked in this order: to look at what comes in loads what reads it.
    ...(process.stderr.isTTY && process.stdin.isTTY && { ask }),
    ...(process.argv[1] !== undefined && {
      program: { node: process.execPath, script: realPathAt(process.argv[1]) },
    }),
    clock: systemClock,
    onSignal,
    leave,
  }
}

/**
 * Ends the process. Where the terminal has gone away it ends as by the hang-up itself: Node puts the terminal back as it
 * was at every other end, and aborts when it cannot.
 */
export function leave(code: number): never {
  if (isHungUp) {
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  }
  process.exit(code)
}

let isHungUp = false

/** Resolves when everything written has left the process, so that leaving cuts nothing off. */
export async function flushed(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(emptied))
}

/** The terminal edits the line itself, so that Ctrl-C stays a signal. */
async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, terminal: false })
  process.stderr.write(question)
  try {
    return await new Promise(resolve => {
      lines.once('line', resolve)
      lines.once('close', () => resolve(undefined))
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
  } finally {
    lines.close()
  }
}

function emptied(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise(resolve => {
    if (stream.destroyed || stream.writableLength === 0) return resolve()
    stream.write('', () => resolve())
  })
}

const signals: readonly (readonly [NodeJS.Signals, StopSignal])[] = [
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGHUP', 'SIGTERM'],
]

function noteHangUp(): void {
  isHungUp = true
}

function onSignal(listener: (signal: StopSignal) => void): () => void {
  const handlers = signals.map(([name, counts]) => [name, () => listener(counts)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  if ([process.stdin, process.stdout, process.stderr].some(stream => stream.isTTY))
    process.on('SIGHUP', noteHangUp)
  return () => {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}

// A run that has fewer never has a heap that anybody would notice.
const manyJobs = 10_000

/**
 * Lets what receives much (`wire/transfer/save.ts`) have what is young collected: of bytes that were received and written, which lie
 * outside the heap, V8 lets twice the room of its young objects stand (32 MiB). Exposed by the first who asks, as hardly any run does.
 */
export function exposeCollector(): void {
  const expose = (options?: NodeJS.GCOptions) => {
    setFlagsFromString('--expose-gc')
    globalThis.gc = runInNewContext('gc') as NodeJS.GCFunction
    return options ? globalThis.gc(options) : globalThis.gc()
  }
  globalThis.gc ??= expose as NodeJS.GCFunction
}

/**
 * Has the heap of a large batch collected now, when what planning left behind is garbage, and from now on when it has grown by three
 * tenths. Left to itself V8 waits until it has grown fourfold, and what 100,000 jobs leave alive is little beside what they leave behind.
 */
export function keepHeapLow(jobs: number): void {
  if (jobs < manyJobs) return
  setFlagsFromString('--heap-growing-percent=30')
  globalThis.gc?.()
}
