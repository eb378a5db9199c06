import type { Out } from './out.ts'
import { type Surroundings, variable } from './surroundings.ts'

/** Where the environment says that the fleet's store is. From now on nothing is told that holds its password. */
export function fleetPlace(
  { env }: Pick<Surroundings, 'env'>,
  out: Out,
): { readonly url: string | undefined; readonly tell: (text: string) => void } {
  const url = variable(env, 'GENRUN_STORE')
  if (url !== undefined) {
    out.hide(url)
    for (const secret of passwordsIn(url)) out.hide(secret)
  }
  return { url, tell: text => out.talk(text) }
}

/** As it stands there, and as it is meant; what is too short to be one hides half of all that is said. */
function passwordsIn(url: string): string[] {
  const [, written] = /^[a-z]+:\/\/[^/@]*?:([^/]*)@/i.exec(url) ?? []
  if (written === undefined || written.length < 4) return []
  try {
    return [...new Set([written, decodeURIComponent(written)])]
  } catch {
    return [written]
  }
}
