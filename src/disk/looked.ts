/** What is wanted of a path: something about what is there, or the names in a folder. */
export type LookFor = 'it' | 'names'

type Listener = (path: string, wanted: LookFor) => void

let listener: Listener | undefined

/**
 * From now on somebody hears of every path that is looked at or opened through this room, right before it is. Another one who asks
 * takes the place of the one before; the returned function ends it.
 */
export function hearLooks(hear: Listener): () => void {
  listener = hear
  return () => {
    if (listener === hear) listener = undefined
  }
}

/** Tells whoever listens that a path is about to be looked at. */
export function looksAt(path: string, wanted: LookFor = 'it'): void {
  listener?.(path, wanted)
}
