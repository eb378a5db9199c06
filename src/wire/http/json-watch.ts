/** What JSON of the service may be made of, however few bytes it has. No honest answer comes near. */
export const jsonBounds = {
  /** Lists and objects inside each other. */
  depth: 64,
  /** Values of all kinds together. */
  values: 100_000,
} as const

/** Looks at JSON while it comes in, and keeps no more of it than what is open. */
export interface JsonWatch {
  take(chunk: Uint8Array): void
  /** Which bound it is past, as a sentence; then nothing more is looked at. */
  readonly flaw: () => string | undefined
  /** Up to which byte its values are whole, and what closes the lists and objects that are open there. */
  readonly sound: () => { readonly bytes: number; readonly closing: string }
}

/**
 * Counts brackets and commas outside of texts. Whether it is JSON at all is for `JSON.parse` to say, which is asked only for what
 * stays within the bounds: it would unfold brackets of 60 MiB to gigabytes. What cannot be JSON by its first character is media
 * most often, and is not looked through byte by byte.
 */
export function watchJson(): JsonWatch {
  let begins: 'not yet' | 'as JSON' | 'otherwise' = 'not yet'
  const open: number[] = []
  let seen = 0
  let values = 0
  let isText = false
  let isEscaped = false
  let flaw: string | undefined
  let sound = 0
  const closing = () => String.fromCharCode(...open.toReversed().map(byte => byte + 2))
  return { take, flaw: () => flaw, sound: () => ({ bytes: sound, closing: closing() }) }

  function take(chunk: Uint8Array): void {
    if (begins === 'not yet') begins = beginningOf(chunk)
    if (begins === 'otherwise') return
    for (let at = 0; at < chunk.length && flaw === undefined; at++) {
      const byte = chunk[at]
      if (isEscaped) isEscaped = false
      else if (byte === quote) isText = !isText
      else if (isText) isEscaped = byte === backslash
      else if (byte === comma) next(seen + at)
      else if (byte === bracket || byte === brace) enter(byte, seen + at + 1)
      else if (byte === bracket + 2 || byte === brace + 2) leave(seen + at + 1)
    }
    seen += chunk.length
  }

  /** At a comma, all that stands before it is whole. */
  function next(at: number): void {
    sound = at
    count()
  }

  function enter(byte: number, at: number): void {
    if (open.length === jsonBounds.depth)
      flaw = `the answer has more than ${jsonBounds.depth} lists and objects in each other`
    else count()
    if (flaw !== undefined) return
    open.push(byte)
    sound = at
  }

  function leave(at: number): void {
    open.pop()
    sound = at
  }

  function count(): void {
    values++
    if (values > jsonBounds.values) flaw = `the answer has more than ${jsonBounds.values} values`
  }
}

/** Blanks, and the marks of UTF-8 and UTF-16, stand before the first character. */
function beginningOf(chunk: Uint8Array): 'not yet' | 'as JSON' | 'otherwise' {
  const first = chunk.find(byte => !before.has(byte))
  if (first === undefined) return 'not yet'
  return first === brace || first === bracket || first === quote ? 'as JSON' : 'otherwise'
}

const before = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf, 0xfe, 0xff, 0])

const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]
