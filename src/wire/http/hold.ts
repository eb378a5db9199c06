import type { Socket } from 'node:net'

/** Holds a connection: nothing is read from it until it is let go on. */
export interface ReadHold {
  pause(): void
  resume(): void
}

/**
 * Makes a connection one that can be held. undici's own way stops its parser in the middle of an answer, and when a connection ends
 * while that stands, undici 7 throws within the socket's event, where nobody can catch it, and loses the end of the answer
 * (nodejs/undici#5360). Here its parser never stands: it only finds nothing to read for a while, the end of the connection neither.
 */
export function holdable(socket: Socket): void {
  const read = socket.read.bind(socket)
  let isHeld = false
  const hold: ReadHold = {
    pause() {
      isHeld = true
    },
    resume() {
      if (!isHeld) return
      isHeld = false
      // Not before undici is done with what it has just read.
      process.nextTick(() => socket.destroyed || socket.emit('readable'))
    },
  }
  socket.read = size => {
    if (isHeld && socket.readableLength > 0 && size !== 0) return null
    lastRead = hold
    return read(size)
  }
}

let lastRead: ReadHold | undefined

/** The hold on the connection whose answer undici tells of right now: it tells of what it has read before it reads on. */
export function holdOnThis(): ReadHold | undefined {
  return lastRead
}
