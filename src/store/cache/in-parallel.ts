/** Does the same for all, so many at a time and in their order. After the first that rejects none is begun; it rejects when all have ended. */
export async function inParallel<T>(
  all: Iterable<T>,
  width: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const left = all[Symbol.iterator]()
  let isOver = false
  const worker = async () => {
    for (let next = left.next(); !next.done && !isOver; next = left.next()) {
      try {
        await work(next.value)
      } catch (error) {
        isOver = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
