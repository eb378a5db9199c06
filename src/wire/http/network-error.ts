/** What a network or disk error says, in one line. A failed dial to several addresses speaks by its first error. */
export function networkErrorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return networkErrorText(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (error.message === '') return code ?? error.name
  const isTold = code === undefined || code.startsWith('UND_') || error.message.includes(code)
  return isTold ? error.message : `${error.message}, ${code}`
}

/** Whether the words of `troubleText` tell that the other side could not prove who it is: they end in OpenSSL's code. */
export function isCertificateError(text: string): boolean {
  return /\b(\w+_CERT(_\w+)?|CERT_\w+|UNABLE_TO_VERIFY_\w+|ERR_TLS_CERT_\w+|HOSTNAME_MISMATCH)\b/.test(text)
}
