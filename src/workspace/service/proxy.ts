import { defined } from '../../base/defined.ts'
import { type ProxyRules, proxyProblem } from '../../wire/http/proxy.ts'

/**
 * The proxy of an environment: HTTPS_PROXY, else ALL_PROXY, with the exceptions of NO_PROXY; small letters go before
 * capital ones, as in other tools.
 */
export function proxyOf(env: {
  readonly [name: string]: string | undefined
}): ProxyRules | { readonly problem: string } | undefined {
  const first = (...names: string[]) => names.map(name => env[name]?.trim()).find(value => value)
  const https = first('https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY')
  if (https === undefined) return undefined
  const problem = proxyProblem(https)
  if (problem !== undefined) return { problem }
  const no = first('no_proxy', 'NO_PROXY')
  return { https, ...defined({ no }) }
}
