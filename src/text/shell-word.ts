/** A word as a POSIX shell takes it: as it is where no shell would divide or read it, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
