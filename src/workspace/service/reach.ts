import { X509Certificate } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import type { Code } from '../../base/diagnostic.ts'
import { type ReadText, readTextFile } from '../read/named-file.ts'
import { proxyOf } from './proxy.ts'
import type { Service } from './service.ts'

/** How a service is reached, where files and links may lead (said outside the checkout, never by it), and how often it is asked. */
export type ServiceReach = Pick<
  Service,
  'proxy' | 'ca' | 'uploadOrigins' | 'keyInQuery' | 'allowHosts' | 'pollsPerSecond' | 'trust'
>

/** What is wrong with the surroundings, which no line of a manifest is to blame for. */
interface ReachTrouble {
  /** Kebab case, as in a Diagnostic. */
  readonly code: Code
  readonly message: string
  readonly hint: string
}

type Env = { readonly [name: string]: string | undefined }

/** What the environment says about the way to the service; `caFile` is the one of the command line, which wins. */
export function reachFrom(
  env: Env,
  caFile: string | undefined,
  cwd: string,
  read: ReadText = readTextFile,
): ServiceReach | ReachTrouble {
  const proxy = proxyOf(env)
  if (proxy && 'problem' in proxy) {
    const hint = 'HTTPS_PROXY or ALL_PROXY names it; NO_PROXY lists hosts that are reached without it'
    return { code: 'bad-proxy', message: proxy.problem, hint }
  }
  const ca = authorities(env, caFile, path => read(path, cwd))
  if (ca !== undefined && 'code' in ca) return ca
  const uploadOrigins = originsIn(env.GENRUN_UPLOAD_ORIGINS ?? '')
  if ('code' in uploadOrigins) return uploadOrigins
  const allowHosts = wordsIn(env.GENRUN_ALLOW_HOSTS ?? '')
  const polls = env.GENRUN_POLLS_PER_SECOND || undefined
  if (polls !== undefined && !isPollRate(polls)) return badPolls(polls)
  return {
    ...defined({ proxy }),
    ...(ca && { ca: ca.pem }),
    ...(uploadOrigins.length > 0 && { uploadOrigins }),
    ...(isOn(env.GENRUN_KEY_IN_QUERY) && { keyInQuery: true }),
    ...(allowHosts.length > 0 && { allowHosts }),
    ...(polls !== undefined && { pollsPerSecond: Number(polls) }),
  }
}

/** Node itself heeds NODE_EXTRA_CA_CERTS, but not beside authorities that a program names: then they come along. */
function authorities(
  env: Env,
  caFile: string | undefined,
  read: (path: string) => ReturnType<ReadText>,
): { readonly pem: string } | ReachTrouble | undefined {
  const path = caFile ?? env.GENRUN_CA
  if (!path) return undefined
  const bad = (what: string): ReachTrouble => ({
    code: 'bad-ca',
    message: `${path}, named by ${caFile === undefined ? 'GENRUN_CA' : '--ca'}, ${what}`,
    hint: 'it is a text file of certificates, each between BEGIN CERTIFICATE and END CERTIFICATE',
  })
  const file = read(path)
  if (file.got === 'trouble') return bad(`cannot be read: ${file.reason}`)
  const found = file.text.match(certificate) ?? []
  if (found.length === 0) return bad('holds no certificate')
  if (!found.every(isCertificate)) return bad('holds a certificate that is broken')
  const extra = env.NODE_EXTRA_CA_CERTS
  const more = extra ? read(extra) : undefined
  const others = more?.got === 'text' ? (more.text.match(certificate) ?? []).filter(isCertificate) : []
  return { pem: `${[...found, ...others].join('\n')}\n` }
}

const certificate = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}

/** Only the plain word: what is not understood allows nothing. */
export function isOn(word: string | undefined): boolean {
  return word?.trim() === 'true'
}

/** As the settings have it. */
function isPollRate(text: string): boolean {
  return /^[1-9]\d?$/.test(text.trim()) && Number(text) <= 50
}

function badPolls(text: string): ReachTrouble {
  const message = `GENRUN_POLLS_PER_SECOND holds ${text}, which is no rate`
  return { code: 'bad-setting', message, hint: 'it is a whole number from 1 to 50' }
}

/** `https://files.example, https://cdn.example:8443`. */
function originsIn(text: string): readonly string[] | ReachTrouble {
  const words = wordsIn(text)
  const wrong = words.find(word => !isOrigin(word))
  if (wrong === undefined) return words
  const message = `GENRUN_UPLOAD_ORIGINS holds ${wrong}, which is no origin`
  return { code: 'bad-origin', message, hint: 'an origin looks like https://files.example' }
}

function isOrigin(word: string): boolean {
  if (!URL.canParse(word)) return false
  const { protocol, pathname, search, hash, username } = new URL(word)
  return /^https?:$/.test(protocol) && pathname === '/' && `${search}${hash}${username}` === ''
}

/** Words between blanks or commas. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(word => word !== '')
}
