import { isLoopbackHost } from '../http/networks.ts'

/** Where uploads may go: under the base address's origin, or to an origin the user names outside the checkout. */
interface UploadReach {
  readonly baseUrl: string
  /** `https://files.example`; from the environment or the command line, never from a file of the project. */
  readonly uploadOrigins?: readonly string[]
}

/** The address of an upload, relative to the base address. */
export function uploadUrl(url: string, { baseUrl }: UploadReach): URL | undefined {
  const base = `${baseUrl.replace(/\/+$/, '')}/`
  return URL.canParse(url, base) ? new URL(url, base) : undefined
}

/** Why a profile may not send files there. */
export function uploadProblem(
  url: string,
  reach: UploadReach,
): { readonly message: string; readonly hint?: string } | undefined {
  const found = uploadUrl(url, reach)
  if (!found) return { message: `the upload address ${url} is no address` }
  if (found.username !== '' || found.password !== '')
    return { message: 'the upload address holds a user name or password' }
  if (isUnder(found, reach.baseUrl)) return undefined
  if (found.protocol !== 'https:' && !isLoopbackHost(found.hostname))
    return {
      message: `the upload address must begin with https://, because ${found.host} is not this machine`,
    }
  if (reach.uploadOrigins?.some(origin => URL.canParse(origin) && new URL(origin).origin === found.origin))
    return undefined
  return {
    message: `the profile sends files to ${found.origin}, which is not the service`,
    hint: `if that is right, say so outside of the project: GENRUN_UPLOAD_ORIGINS=${found.origin}`,
  }
}

function isUnder(url: URL, baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).origin === url.origin
}
