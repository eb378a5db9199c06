/** The connection a body comes from. */
interface Tap {
  pause(): void
  resume(): void
  /** The rest is not wanted. */
  close(): void
}

/**
 * A body on its way from a connection to its reader. What has come is never lost: when the connection breaks, the reader
 * gets everything before the error. The connection is paused while the reader is far behind.
 */
export interface BodyStream {
  push(chunk: Uint8Array): void
  end(): void
  fail(error: unknown): void
  /** To be read once. Leaving it early closes the connection. */
  readonly chunks: AsyncIterable<Uint8Array>
}

const farBehind = 262_144

export function bodyStream(tap: Tap): BodyStream {
  const waiting: Uint8Array[] = []
  let behind = 0
  let over: { readonly error?: unknown } | undefined
  let wake = () => {}
  const finish = (how: { readonly error?: unknown }) => {
    over ??= how
    wake()
  }
  return {
    push(chunk) {
      waiting.push(chunk)
      behind += chunk.byteLength
      if (behind > farBehind) tap.pause()
      wake()
    },
    end: () => finish({}),
    fail: error => finish({ error }),
    chunks: read(),
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = waiting.shift()
        if (chunk !== undefined) {
          behind -= chunk.byteLength
          if (behind <= farBehind) tap.resume()
          yield chunk
        } else if (over === undefined) {
          await new Promise<void>(resolve => {
            wake = resolve
          })
        } else if ('error' in over) {
          throw over.error
        } else {
          return
        }
      }
    } finally {
      if (over === undefined) tap.close()
    }
  }
}
