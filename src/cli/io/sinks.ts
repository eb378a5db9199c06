import { Duplex } from 'node:stream'
import { writeGiven } from '../../disk/own.ts'
import type { Sink } from './surroundings.ts'

/** Where this process writes to. A reader that goes away (EPIPE) does not break a run: what it would have read is dropped. */
export function processSinks(): { readonly stdout: Sink; readonly stderr: Sink } {
  return { stdout: sinkOf(process.stdout, noteLost), stderr: sinkOf(process.stderr, () => undefined) }
}

/** Whether anything was written there. */
export function hasSpoken(): boolean {
  return isSpoken
}

/** What the disk said when the file that stdout goes to took no more; undefined as long as it has everything. */
export function lossOfStdout(): unknown {
  return loss
}

let isSpoken = false
let loss: unknown

function noteLost(cause: unknown): void {
  loss = cause
}

/** A file that takes no more breaks no run either, but there nobody has decided not to read on: `onLost` hears of it. */
function sinkOf(
  stream: NodeJS.WriteStream & { readonly fd: number },
  onLost: (cause: unknown) => void,
): Sink {
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  // Of the standard streams those of files alone are not read from as well.
  const isFile = !((stream as object) instanceof Duplex)
  return {
    write: text => {
      isSpoken = true
      if (isGone) return
      try {
        if (isFile) writeGiven(stream.fd, text)
        else stream.write(text)
      } catch (cause) {
        isGone = true
        onLost(cause)
      }
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
