/**
 * The known word that was probably meant, or undefined when none is close. Case, `-` and `_` count for nothing;
 * beside that, up to a third of the letters may be wrong, missing, added or swapped.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  const wanted = fold(word)
  for (const candidate of known) {
    const folded = fold(candidate)
    if (folded === wanted) return candidate
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, folded.length) / 3))
    if (Math.abs(folded.length - wanted.length) > allowed) continue
    const far = distance(wanted, folded)
    if (far <= allowed && far < bestDistance) {
      best = candidate
      bestDistance = far
    }
  }
  return best
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], joiner = 'and'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${joiner} ${words.at(-1)}`
}

const mostOffered = 8

/** `there is a`, `there are a, b and c`; of many words the first, `and others`. */
export function offered(words: readonly string[]): string {
  const shown = [...words.slice(0, mostOffered), ...(words.length > mostOffered ? ['others'] : [])]
  return `there ${words.length === 1 ? 'is' : 'are'} ${listed(shown)}`
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '')
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
function distance(a: string, b: string): number {
  let twoBack: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      let least = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + change,
      )
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) least = Math.min(least, at(twoBack, column - 2) + 1)
      current.push(least)
    }
    twoBack = previous
    previous = current
  }
  return at(previous, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
