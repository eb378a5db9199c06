import { readFileSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import type { Sink, StopSignal, Surroundings } from './surroundings.ts'

/** The real process. A reader that goes away (EPIPE) does not break a run: what it would have read is dropped. */
export function processSurroundings(): Surroundings {
  return {
    env: process.env,
    cwd: process.cwd(),
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    stdin: () => readFileSync(0),
    clock: systemClock,
    onSignal,
    leave: code => process.exit(code),
  }
}

/** Resolves when everything written has left the process, so that leaving cuts nothing off. */
export async function flushed(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(emptied))
}

function sinkOf(stream: NodeJS.WriteStream): Sink {
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  return {
    write: text => {
      if (!isGone) stream.write(text)
    },
    isTerminal: stream.isTTY,
    get columns() {
      return stream.columns
    },
    get rows() {
      return stream.rows
    },
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

function onSignal(listener: (signal: StopSignal) => void): () => void {
  const handlers = signals.map(([name, counts]) => [name, () => listener(counts)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  return () => {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}
