/**
 * One call at a time for each thing, shared by all who ask for it: who asks while one is under way waits for the next,
 * because what he wants done may have come too late for this one. A call that fails fails for all who share it.
 */
export function coalesce(call: (thing: string) => Promise<void>): (thing: string) => Promise<void> {
  const present = new Map<string, Promise<void>>()
  const next = new Map<string, Promise<void>>()

  async function begin(thing: string): Promise<void> {
    const called = call(thing)
    present.set(thing, called)
    try {
      await called
    } finally {
      if (present.get(thing) === called) present.delete(thing)
    }
  }

  async function after(earlier: Promise<void>, thing: string): Promise<void> {
    // How it ended is for those who asked for it.
    await earlier.catch(() => undefined)
    next.delete(thing)
    await begin(thing)
  }

  return thing => {
    const earlier = present.get(thing)
    if (!earlier) return begin(thing)
    const shared = next.get(thing) ?? after(earlier, thing)
    next.set(thing, shared)
    return shared
  }
}
