import type { Clock } from '../../base/clock.ts'
import type { Watch } from '../../wire/http/wire.ts'

const everyMs = 200

/** Progress for people: five times a second is enough, however small the pieces are. */
export function throttle(clock: Clock, emit: NonNullable<Watch['progress']>): NonNullable<Watch['progress']> {
  let next = 0
  return (bytes, total) => {
    const now = clock.now()
    if (now < next) return
    next = now + everyMs
    emit(bytes, total)
  }
}
