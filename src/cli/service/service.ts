import type { Code } from '../../base/codes.ts'
import type { NamedFile } from '../../workspace/read/named-file.ts'
import type { ServiceReach } from '../../workspace/service/reach.ts'
import { checkBaseUrl, keysOf, type NamedServices, nowhere } from '../../workspace/service/service.ts'
import { type Env, isCi, variable } from '../io/surroundings.ts'

/** What the environment says about the service to work with. */
export type ServiceChoice =
  | {
      readonly use: 'service'
      readonly baseUrl: string
      readonly key: string
      readonly warnings: readonly string[]
      readonly reach: ServiceReach
      /** Those that jobs may name. */
      readonly others?: NamedServices
      /** There is no usual one: every job has to name its own. */
      readonly isNone?: true
      /** The one of the others that was asked for by its name. */
      readonly name?: string
      /** The file of its profile, which counts for no other. */
      readonly profile?: string
    }
  /** The embedded gateway stands in: nothing is paid. */
  | { readonly use: 'rehearsal'; readonly because: string }
  | { readonly use: 'nothing'; readonly trouble: Trouble }

/** Something wrong with the settings or the surroundings, which no line of a manifest is to blame for. */
export interface Trouble {
  /** Kebab case, as in a Diagnostic. */
  readonly code: Code
  readonly message: string
  readonly hint?: string | undefined
}

type ReadKeyFile = (path: string) => NamedFile

/** What lies around the usual service: the way out, and the services that jobs may name. */
interface Around {
  readonly readReach: () => ServiceReach | Trouble
  readonly others?: NamedServices
}

/** Decides between the configured service and a rehearsal. No message holds a key. */
export function chooseService(
  env: Env,
  isLocal: boolean,
  readKeyFile: ReadKeyFile,
  { readReach, others = {} }: Around,
): ServiceChoice {
  if (isLocal) return { use: 'rehearsal', because: '--local is given' }
  const base = variable(env, 'GENRUN_BASE_URL')
  const hasKey = keyVariables.some(name => variable(env, name))
  const named = Object.keys(others).length > 0 && { others }
  if (!base && !hasKey) {
    if (!named) return withoutService(env)
    return { use: 'service', baseUrl: nowhere, key: '', warnings: [], reach: {}, ...named, isNone: true }
  }
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
  const url = readBaseUrl(base, env, 'GENRUN_BASE_URL')
  if ('code' in url) return { use: 'nothing', trouble: url }
  const key = usualKey(env, readKeyFile)
  if ('code' in key) return { use: 'nothing', trouble: key }
  // A rehearsal never leaves this machine: what is wrong with the way out is no trouble of its.
  const reach = readReach()
  if ('code' in reach) return { use: 'nothing', trouble: reach }
  return { use: 'service', baseUrl: url.baseUrl, key: key.key, warnings: key.warnings, reach, ...named }
}

/** What of services must never be shown: the keys, and what the proxy is told. */
export function secretsOf({ reach, ...keyed }: ServiceChoice & { use: 'service' }): readonly string[] {
  const word = /^[a-z][a-z\d+.-]*:\/\/[^/@]*?:([^/]*)@/i.exec(reach.proxy?.https ?? '')?.[1]
  return word === undefined ? keysOf(keyed) : [...keysOf(keyed), word, decoded(word)]
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/** The key of the environment or of its file; undefined when neither is set. */
export function chosenKey(env: Env, readKeyFile: ReadKeyFile): Key | Trouble | undefined {
  return keyVariables.some(name => variable(env, name)) ? usualKey(env, readKeyFile) : undefined
}

interface Key {
  readonly key: string
  readonly warnings: readonly string[]
}

const keyVariables = ['GENRUN_API_KEY', 'GENRUN_API_KEY_FILE'] as const

const setBoth =
  'set both to use the service, or neither to rehearse with placeholders; `--local` always rehearses'

function nothing(code: Code, message: string, hint?: string): ServiceChoice {
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

/** `name` is what the user knows it by. */
export function readBaseUrl(text: string, env: Env, name: string): { readonly baseUrl: string } | Trouble {
  const checked = checkBaseUrl(text)
  if ('problem' in checked)
    return { code: 'bad-base-url', message: `${name} ${checked.problem}`, hint: checked.hint }
  if (checked.url.protocol === 'https:' && env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return {
      code: 'unchecked-certificates',
      message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the key to anyone who answers',
      hint: 'unset it; --ca or GENRUN_CA names a certificate authority of your own',
    }
  }
  return { baseUrl: checked.url.href }
}

function usualKey(env: Env, readKeyFile: ReadKeyFile): Key | Trouble {
  const [given, path] = keyVariables.map(name => variable(env, name))
  if (given && path) {
    return {
      code: 'two-keys',
      message: 'GENRUN_API_KEY and GENRUN_API_KEY_FILE are both set',
      hint: 'unset one of them, so that it is clear who pays',
    }
  }
  return readKey(
    env,
    given ? { variable: 'GENRUN_API_KEY' } : { file: path ?? '', of: 'GENRUN_API_KEY_FILE' },
    readKeyFile,
  )
}

/** Where a key is kept: in a variable, or in a file; `of` says who names the file. */
interface KeySource {
  readonly variable?: string
  readonly file?: string
  readonly of?: string
}

export function readKey(
  env: Env,
  { variable: name, file: path = '', of = '' }: KeySource,
  readKeyFile: ReadKeyFile,
): Key | Trouble {
  if (name !== undefined) {
    const given = variable(env, name)
    return given === undefined ? { code: 'no-key', message: `${name} is not set` } : checkKey(name, given, [])
  }
  const file = readKeyFile(path)
  const called = `the file ${path} of ${of}`
  if (file.got === 'trouble')
    return { code: 'bad-key-file', message: `${called} cannot be read: ${file.reason}` }
  const warnings = file.isPrivate
    ? []
    : [`${called} can be read by other users of this machine; chmod 600 mends that`]
  return checkKey(called, file.text, warnings)
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
