/**
 * What counts as a link, in a manifest, an answer or a header: written whole, with a host behind two slashes, as a browser
 * shows it. `https:/host` reads as one to `URL`, and to no service.
 */
export function isLink(text: string): boolean {
  return /^https?:\/\/[^\s/?#]\S*$/i.test(text) && URL.canParse(text)
}
