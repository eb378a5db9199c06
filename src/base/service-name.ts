/** Names of services: words of the person's own settings that manifests and catalogs use. */
export function isServiceName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)
}

/** What such a name is, in words. */
export const serviceNameForm = 'one word of lower case letters, digits, `-` and `_`'
