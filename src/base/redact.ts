/**
 * Takes secrets out of text at the one writing point of a sink. A secret is found as it is, percent-encoded, in
 * base64 (any alignment is not promised) and as JSON text; the query of every URL is cut, because links are signed.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const shapes = secrets
    .filter(secret => secret.length >= 4)
    .flatMap(secret => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ])
    .toSorted((a, b) => b.length - a.length)
  return text =>
    shapes.reduce((left, shape) => left.replaceAll(shape, '[secret]'), text).replace(urlQuery, '$1?…')
}

/** A link as it may be stored or shown: without query and fragment, which can carry a signature. */
export function bareLink(link: string): string {
  return link.replace(/[?#].*$/s, '')
}

const urlQuery = /(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]+/g
