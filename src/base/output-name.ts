/**
 * The name of a job's file, without ending: `hero-2`, or wherever `<n>` stands (`<n:3>` has three digits). `nth` counts
 * from 0 among the `of` files that were asked for, or came if more did; one alone has no number unless `<n>` asks for it.
 */
export function outputName(output: string, nth: number, of: number): string {
  const named = hasTokens(output)
    ? output.replaceAll(/<n(?::(\d+))?>/g, (_, digits = '') => numeral(nth + 1, digits))
    : output
  return named === output && of > 1 ? `${output}-${nth + 1}` : named
}

/** The output of a take: the first has the bare name and others lie aside, unless `<take>` names them all. */
export function outputOfTake(output: string, take: number): string {
  const named = hasTokens(output)
    ? output.replaceAll(/<take(?::(\d+))?>/g, (_, digits = '') => numeral(take, digits))
    : output
  return named !== output || take === 1 ? named : `takes/${output}.take${take}`
}

/** The same text for paths that are one file where letters' case or Unicode form does not count. */
export function foldPath(path: string): string {
  // Nearly all are of small letters, and there may be a hundred thousand of them.
  if (/^[a-z0-9/_.-]*$/.test(path)) return path
  return path.toUpperCase().toLowerCase().normalize('NFC')
}

/** Whether every take has a name of its own, picked or not. */
export function namesTakes(output: string): boolean {
  return hasTokens(output) && /<take(?::\d+)?>/.test(output)
}

// Nearly all have none, and there may be a hundred thousand of them.
function hasTokens(output: string): boolean {
  return output.includes('<')
}

function numeral(number: number, digits: string): string {
  return String(number).padStart(Number(digits), '0')
}
