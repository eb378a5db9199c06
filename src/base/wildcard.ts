/**
 * Whether a text fits letters in which `*` stands for any number of any letters. In time that grows with the lengths of both and no
 * faster: whoever wrote them may mean no good.
 */
export function fitsStars(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** A pattern against a list of items: some of its parts take any number of them, the others one. */
interface Wildcards {
  readonly items: number
  readonly parts: number
  /** Whether this part of the pattern takes any number of items. */
  isAny(part: number): boolean
  fits(item: number, part: number): boolean
}

/** The usual walk over wildcards: only the last of them is ever taken back, so that it ends after items × parts steps. */
export function fitsWildcards({ items, parts, isAny, fits }: Wildcards): boolean {
  let item = 0
  let part = 0
  let back: { part: number; item: number } | undefined
  while (item < items) {
    if (part < parts && isAny(part)) {
      back = { part, item }
      part++
    } else if (part < parts && fits(item, part)) {
      item++
      part++
    } else if (back) {
      back.item++
      item = back.item
      part = back.part + 1
    } else return false
  }
  while (part < parts && isAny(part)) part++
  return part === parts
}
