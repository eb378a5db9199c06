import type { Sink } from './surroundings.ts'

/** Where this process writes to. A reader that goes away (EPIPE) does not break a run: what it would have read is dropped. */
export function processSinks(): { readonly stdout: Sink; readonly stderr: Sink } {
  return { stdout: sinkOf(process.stdout), stderr: sinkOf(process.stderr) }
}

/** Whether anything was written there. */
export function hasSpoken(): boolean {
  return isSpoken
}

let isSpoken = false

function sinkOf(stream: NodeJS.WriteStream): Sink {
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  return {
    write: text => {
      isSpoken = true
      if (!isGone) stream.write(text)
    },
    isTerminal: stream.isTTY,
    get columns() {
      // A terminal that nobody gave a size says 0.
      return stream.columns || undefined
    },
    get rows() {
      return stream.rows || undefined
    },
  }
}
