/** What a network or disk error says, in one line. A failed dial to several addresses speaks by its first error. */
export function troubleText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return troubleText(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (error.message === '') return code ?? error.name
  const isTold = code === undefined || code.startsWith('UND_') || error.message.includes(code)
  return isTold ? error.message : `${error.message}, ${code}`
}
