import { isLoopback } from '../gateway/auth.ts'
import { type Env, isCi, variable } from './surroundings.ts'

/** A file that holds a key, as far as it matters here. */
export type KeyFile =
  | { readonly got: 'text'; readonly text: string; readonly isPrivate: boolean }
  | { readonly got: 'trouble'; readonly reason: string }

/** What the environment says about the service to work with. */
export type ServiceChoice =
  | {
      readonly use: 'service'
      readonly baseUrl: string
      readonly key: string
      readonly warnings: readonly string[]
    }
  /** The embedded gateway stands in: nothing is paid. */
  | { readonly use: 'rehearsal'; readonly because: string }
  | { readonly use: 'nothing'; readonly trouble: Trouble }

/** Something wrong with the settings or the surroundings, which no line of a manifest is to blame for. */
export interface Trouble {
  /** Kebab case, as in a Diagnostic. */
  readonly code: string
  readonly message: string
  readonly hint?: string
}

export type ReadKeyFile = (path: string) => KeyFile

/** Decides between the configured service and a rehearsal, DESIGN.md section 9. No message holds a key. */
export function chooseService(env: Env, isLocal: boolean, readKeyFile: ReadKeyFile): ServiceChoice {
  if (isLocal) return { use: 'rehearsal', because: '--local is given' }
  const base = variable(env, 'GENRUN_BASE_URL')
  const hasKey = keyVariables.some(name => variable(env, name))
  if (!base && !hasKey) return withoutService(env)
  if (!base)
    return nothing(
      'no-base-url',
      `${keyVariables.find(name => variable(env, name))} is set and GENRUN_BASE_URL is not`,
      setBoth,
    )
  if (!hasKey)
    return nothing(
      'no-key',
      'GENRUN_BASE_URL is set and neither GENRUN_API_KEY nor GENRUN_API_KEY_FILE is',
      setBoth,
    )
  const url = readBaseUrl(base, env)
  if ('code' in url) return { use: 'nothing', trouble: url }
  const key = readKey(env, readKeyFile)
  if ('code' in key) return { use: 'nothing', trouble: key }
  return { use: 'service', baseUrl: url.baseUrl, key: key.key, warnings: [...url.warnings, ...key.warnings] }
}

/** The key of the environment or of its file; undefined when neither is set. */
export function chosenKey(env: Env, readKeyFile: ReadKeyFile): Key | Trouble | undefined {
  return keyVariables.some(name => variable(env, name)) ? readKey(env, readKeyFile) : undefined
}

export interface Key {
  readonly key: string
  readonly warnings: readonly string[]
}

const keyVariables = ['GENRUN_API_KEY', 'GENRUN_API_KEY_FILE'] as const

const setBoth =
  'set both to use the service, or neither to rehearse with placeholders; `--local` always rehearses'

function nothing(code: string, message: string, hint?: string): ServiceChoice {
  return { use: 'nothing', trouble: { code, message, hint } }
}

function withoutService(env: Env): ServiceChoice {
  if (!isCi(env)) return { use: 'rehearsal', because: 'no service is configured' }
  return nothing(
    'no-service',
    'no service is configured, and in CI nothing is rehearsed unasked',
    'set GENRUN_BASE_URL and GENRUN_API_KEY to make the real files, or give --local to rehearse',
  )
}

function readBaseUrl(text: string, env: Env): { baseUrl: string; warnings: string[] } | Trouble {
  const bad = (what: string, hint = 'it looks like https://host/path/gw-v2'): Trouble => ({
    code: 'bad-base-url',
    message: `GENRUN_BASE_URL ${what}`,
    hint,
  })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return bad('is not an http or https address')
  if (url.username || url.password)
    return bad('holds a user name or a password', 'the key goes in GENRUN_API_KEY')
  if (url.search || url.hash) return bad('has a query or a fragment')
  const path = url.pathname.replace(/\/+$/, '')
  if (!path.endsWith('/gw-v2')) return bad('does not end in /gw-v2')
  if (url.protocol === 'https:' && env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return {
      code: 'unchecked-certificates',
      message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the key to anyone who answers',
      hint: 'unset it; NODE_EXTRA_CA_CERTS makes Node trust a certificate authority of your own',
    }
  }
  const isOpen = url.protocol === 'http:' && !isLoopback(url.hostname)
  const warnings = isOpen ? ['GENRUN_BASE_URL is http: the key and all data travel unencrypted'] : []
  return { baseUrl: `${url.origin}${path}`, warnings }
}

function readKey(env: Env, readKeyFile: ReadKeyFile): Key | Trouble {
  const [given, path] = keyVariables.map(name => variable(env, name))
  if (given && path) {
    return {
      code: 'two-keys',
      message: 'GENRUN_API_KEY and GENRUN_API_KEY_FILE are both set',
      hint: 'unset one of them, so that it is clear who pays',
    }
  }
  if (given) return checkKey('GENRUN_API_KEY', given, [])
  const file = readKeyFile(path ?? '')
  const name = `the file ${path} of GENRUN_API_KEY_FILE`
  if (file.got === 'trouble')
    return { code: 'bad-key-file', message: `${name} cannot be read: ${file.reason}` }
  const warnings = file.isPrivate
    ? []
    : [`${name} can be read by other users of this machine; chmod 600 mends that`]
  return checkKey(name, file.text, warnings)
}

/** A key stands in a header: printable ASCII without blanks. */
function checkKey(name: string, text: string, warnings: readonly string[]): Key | Trouble {
  const key = text.trim()
  if (key === '') return { code: 'bad-key', message: `${name} holds no key` }
  if (/^[\x21-\x7e]+$/.test(key)) return { key, warnings }
  return {
    code: 'bad-key',
    message: `${name} holds characters that no key can have`,
    hint: 'a key is one word of printable ASCII; look for quotes, blanks or several lines',
  }
}
