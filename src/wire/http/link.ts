import { bareLink } from '../../base/redact.ts'
import { isLoopbackHost } from './networks.ts'

/**
 * Where a link or a redirect leads, if it may be followed: https only, plain http when the service itself is on this
 * machine, and never from https down to http.
 */
export function nextHop(
  link: string,
  base: URL,
  from?: URL,
): { readonly url: URL } | { readonly problem: string } {
  if (!URL.canParse(link, from?.href))
    return { problem: `the link is no address: ${bareLink(link).slice(0, 200)}` }
  const url = new URL(link, from?.href)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { problem: `the link is not https: ${url.protocol}` }
  if (url.username !== '' || url.password !== '') return { problem: 'the link holds a user name' }
  if (url.protocol === 'https:') return { url }
  if (from?.protocol === 'https:')
    return { problem: `a redirect leads from https to http: ${bareLink(url.href)}` }
  return isLoopbackHost(base.hostname) ? { url } : { problem: `the link is not https: ${bareLink(url.href)}` }
}
