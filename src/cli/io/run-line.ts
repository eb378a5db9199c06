/** The manifest of a line that asks for a run, as far as that is seen without reading the line: it may be a flag's value. */
export function manifestOfRun(words: readonly string[]): string | undefined {
  const named = words.find((word, nth) => !word.startsWith('-') && !(nth === 0 && word === 'run'))
  return named !== undefined && /\.(ya?ml|json)$/.test(named) ? named : undefined
}
