/**
 * A line with which git begins, divides or ends the two sides of a merge: seven signs of a kind, eight where a file was renamed on
 * both sides, one more for each merge of its own bases.
 */
const mark = /^(?:<{7,}|={7,}|>{7,}|\|{7,})(?: |\r?$)/m

/** Where the first of these lines begins; -1 if there is none. */
export function conflictAt(text: string): number {
  return text.search(mark)
}
