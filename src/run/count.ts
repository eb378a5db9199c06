import type { Wire } from '../wire/http/wire.ts'

/** A wire that counts: paid requests are those whose first byte was let go. */
export function countRequests(wire: Wire): {
  readonly wire: Wire
  readonly counts: () => { paid: number; requests: number }
} {
  let paid = 0
  let free = 0
  return {
    counts: () => ({ paid, requests: paid + free }),
    wire: {
      ...wire,
      order: (order, beforeFirstByte) =>
        wire.order(order, async () => {
          const lastWord = await beforeFirstByte()
          return () => {
            lastWord()
            paid++
          }
        }),
      read(run, signal) {
        free++
        return wire.read(run, signal)
      },
      download(file, to, watch) {
        free++
        return wire.download(file, to, watch)
      },
      ...(wire.upload && { upload: counted(wire.upload) }),
    },
  }

  function counted(upload: NonNullable<Wire['upload']>): NonNullable<Wire['upload']> {
    return (file, watch) => {
      free++
      return upload(file, watch)
    }
  }
}
