import type { Socket } from 'node:net'
import type { LastWord } from './wire.ts'

/** Opens a connection, as undici's connectors do. */
type Dial<Options> = (options: Options, done: Dialed) => void
export type Dialed = (...result: [Error, null] | [null, Socket]) => void

/** The moment at which a paid request may become expensive. */
interface Handover<Options> {
  readonly dial: Dial<Options>
  /** `waiting` and `held`: not one byte can have left. `handed`: whatever follows is doubt until an answer proves more. */
  readonly state: () => 'waiting' | 'held' | 'handed'
  /** What a hook threw, in a record of its own because that may be anything. */
  readonly thrown: () => { readonly cause: unknown } | undefined
}

interface HandoverHooks {
  /**
   * Called when a connection stands; nothing is written before it resolves, and the last word is called right before the
   * socket is given away. If either throws, the connection is destroyed.
   */
  readonly beforeFirstByte: () => Promise<LastWord>
  /** Called right before the socket is given away; nothing was read from it. */
  readonly onHanded: (socket: Socket) => void
}

/**
 * A connector that gives at most one socket away. undici dials again when a connection closes early: the second dial is
 * refused, because the first may have carried the request. docs/contract.md section 2, steps 3 and 4.
 */
export function handover<Options>(dial: Dial<Options>, hooks: HandoverHooks): Handover<Options> {
  let state: 'waiting' | 'held' | 'handed' = 'waiting'
  let dials = 0
  let thrown: { readonly cause: unknown } | undefined

  const hold = (socket: Socket, reason: string, done: Dialed) => {
    state = 'held'
    socket.destroy()
    done(new Error(reason), null)
  }

  const pass = async (socket: Socket, done: Dialed) => {
    const holdBack = (cause: unknown) => {
      thrown = { cause }
      hold(socket, 'held back before the first byte', done)
    }
    let lastWord: LastWord
    try {
      lastWord = await hooks.beforeFirstByte()
    } catch (cause) {
      return holdBack(cause)
    }
    afterOnePoll(() => {
      const flaw = flawOf(socket)
      if (flaw !== undefined) return hold(socket, flaw, done)
      try {
        lastWord()
      } catch (cause) {
        return holdBack(cause)
      }
      state = 'handed'
      hooks.onHanded(socket)
      done(null, socket)
    })
  }

  return {
    dial(options, done) {
      if (dials++ > 0) return done(new Error('a second connection for one request was refused'), null)
      dial(options, (error, socket) => (error ? done(error, null) : void pass(socket, done)))
    },
    state: () => state,
    thrown: () => thrown,
  }
}

/** Why a connection is not worth a request: nothing a service says before it was asked is an answer. */
function flawOf(socket: Socket): string | undefined {
  if (socket.destroyed || socket.readableEnded || !socket.writable) {
    return 'the service closed the connection at once'
  }
  if (socket.readableLength > 0) return 'the service spoke before it was asked'
  return undefined
}

/**
 * What the other side did while the journal was synced is known to the kernel and not yet to the socket. The first turn
 * ends the poll we may be in; before the second, everything that had arrived is read.
 */
function afterOnePoll(then: () => void): void {
  setImmediate(() => setImmediate(then))
}
