import { isLoopbackHost } from './networks.ts'

/** A base address that can be worked with, or what is wrong with it, said about a subject that the caller names. */
type BaseUrl =
  | { readonly url: URL; readonly warning?: string }
  | { readonly problem: string; readonly hint: string }

/**
 * Checks a base address. The result's path has no slash at its end. Plain http is for this machine only, because the
 * key travels with every request.
 */
export function checkBaseUrl(text: string): BaseUrl {
  const none = (problem: string, hint = 'it looks like https://host/path/gw-v2'): BaseUrl => ({
    problem,
    hint,
  })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return none('is not an http or https address')
  if (url.username !== '' || url.password !== '')
    return none('holds a user name or a password', 'the key goes in GENRUN_API_KEY')
  if (url.search !== '' || url.hash !== '') return none('has a query or a fragment')
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    const hint = 'plain http is for this machine only: the key travels with every request'
    return none(`must begin with https://, because ${url.host} is not this machine`, hint)
  }
  url.pathname = url.pathname.replace(/\/+$/, '')
  if (url.pathname.split('/').at(-1) === 'gw-v2') return { url }
  return { url, warning: 'does not end in gw-v2, as the specification has it' }
}
