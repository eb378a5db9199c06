import { resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import type { OwnGate } from '../looks/own-gate.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { readKeyFile } from '../workspace/read/named-file.ts'
import { readOwnGate } from '../workspace/read/own-gate.ts'
import { gateSecretIn } from '../workspace/read/user-folder.ts'
import { reachFrom } from '../workspace/service/reach.ts'
import { keysOf, type NamedService, type Service } from '../workspace/service/service.ts'
import { refusal } from './error.ts'

/** The service to work with, and what counts for all calls. */
export type GenrunOptions = (ServiceOptions | RehearsalOptions) & {
  /** What relative paths count from; the process's folder when it is absent. */
  readonly cwd?: string
  /** The folder for files; `cwd` when it is absent. */
  readonly output?: string
  /** The path of a file with the service's profile. */
  readonly profile?: string
  /** The path of a file with prices. */
  readonly prices?: string
  /** Paths of files that declare models of your own. */
  readonly catalog?: readonly string[]
  /**
   * Looks of your own, by which jobs of a manifest name them (`gate: { brand: fail }`): the path of a program, or an address (https, or http
   * of this machine), that is given each file and answers `{ verdict, score, why }`. Nothing of a person's settings is read.
   */
  readonly gates?: { readonly [name: string]: string }
  /** What everything together may come to that is ordered here; what would pass it is not sent. Caps of a call or a manifest hold besides. */
  readonly caps?: SpendingCaps
}

/** A cap on the cost needs `prices`: what has none breaks it. */
export interface SpendingCaps {
  /** Paid requests that may be on their way, taken or in doubt. */
  readonly maxPaid?: number
  readonly maxCost?: number
}

/** A service of your own: its address and key, and how it is reached. */
export interface ServiceOptions
  extends Pick<Service, 'uploadOrigins' | 'keyInQuery' | 'allowHosts' | 'proxy' | 'ca' | 'pollsPerSecond'> {
  /** With the path that ends in `gw-v2`. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer` to that origin alone; never written down or printed. */
  readonly key: string
  readonly rehearse?: false
  /** Those that jobs of a manifest may name (`service:`), by their names: nothing of a person's settings is read. */
  readonly services?: { readonly [name: string]: OtherService }
}

/** A service that jobs name, with a key, a profile and caps of its own. */
export type OtherService = Omit<ServiceOptions, 'rehearse' | 'services'> &
  Pick<NamedService, 'profile' | 'limits'>

/** The embedded gateway makes placeholders of the right size and length: offline, and nothing is paid. */
export interface RehearsalOptions {
  readonly rehearse: true
}

/**
 * The service that the environment names: `GENRUN_BASE_URL` with `GENRUN_API_KEY` or `GENRUN_API_KEY_FILE`; the way to it
 * by `HTTPS_PROXY` or `ALL_PROXY` with `NO_PROXY`, `GENRUN_CA`, `GENRUN_UPLOAD_ORIGINS` and `GENRUN_ALLOW_HOSTS`;
 * `GENRUN_POLLS_PER_SECOND`; and the caps, `GENRUN_MAX_PAID` and `GENRUN_MAX_COST`. Nothing else of genrun reads the environment, and nothing
 * reads a file of settings. Throws GenrunError where something is missing or wrong.
 */
export function fromEnv(
  env: { readonly [name: string]: string | undefined } = process.env,
): ServiceOptions & Pick<GenrunOptions, 'caps'> {
  const baseUrl = env.GENRUN_BASE_URL
  if (!baseUrl) throw missing('GENRUN_BASE_URL')
  const { GENRUN_API_KEY: key, GENRUN_API_KEY_FILE: file } = env
  if (!key && !file) throw missing('GENRUN_API_KEY')
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0' && !baseUrl.startsWith('http:')) throw unchecked()
  const reach = reachFrom(env, undefined, process.cwd())
  if ('code' in reach)
    throw refusal([settingProblem({ name: 'environment', value: '' }, reach.code, reach.message, reach.hint)])
  const caps = defined({ maxPaid: capIn(env, 'GENRUN_MAX_PAID'), maxCost: capIn(env, 'GENRUN_MAX_COST') })
  return {
    baseUrl,
    key: key || readKey(file ?? ''),
    ...reach,
    ...(Object.keys(caps).length > 0 && { caps }),
  }
}

/** A cap that cannot be read lets nothing through: nobody shall believe in it. */
function capIn(env: { readonly [name: string]: string | undefined }, name: string): number | undefined {
  const text = env[name]
  if (!text) return undefined
  const form = name === 'GENRUN_MAX_PAID' ? /^\d+$/ : /^\d+(\.\d+)?$/
  if (form.test(text)) return Number(text)
  const message = `${name} is a number from 0, not ${text}`
  throw refusal([settingProblem({ name, value: text }, 'bad-setting', message)])
}

/** The service that a program names, as the verbs take it. Throws GenrunError where it names none, before a request. */
export function serviceOf(options: GenrunOptions & { rehearse?: false }): Service {
  const { uploadOrigins, keyInQuery, allowHosts, proxy, ca, pollsPerSecond, cwd = process.cwd() } = options
  const [baseUrl, key] = [named(options, 'baseUrl'), named(options, 'key')]
  return {
    baseUrl,
    key,
    rehearsal: false,
    ...defined({ uploadOrigins, keyInQuery, allowHosts, proxy, ca, pollsPerSecond }),
    ...(options.services && { others: othersIn(options.services, cwd) }),
  }
}

/** Throws GenrunError where one of them is none. */
export function gatesOf({ gates = {}, cwd = process.cwd() }: GenrunOptions): readonly OwnGate[] {
  return Object.entries(gates).map(([name, said]) => {
    const read = readOwnGate(name, said, { folder: cwd })
    if (!('problem' in read)) return { ...read, ...defined({ secret: gateSecretIn(process.env) }) }
    throw refusal([settingProblem({ name: 'gates', value: name }, read.code, read.problem, read.hint)])
  })
}

type Others = NonNullable<Service['others']>

/** One that lacks something is told by the job that names it: programs in JavaScript have no compiler that asks. */
function othersIn(services: { readonly [name: string]: OtherService }, cwd: string): Others {
  return Object.fromEntries(
    Object.entries(services).map(([name, { profile, ...each }]): [string, Others[string]] => {
      const lack = (['baseUrl', 'key'] as const).find(option => !each[option])
      if (lack) return [name, { problem: `has no \`${lack}\`` }]
      return [name, { ...each, ...(profile !== undefined && { profile: resolve(cwd, profile) }) }]
    }),
  )
}

/** Every key that a program gave: none of them is said in what it hears. */
export function keysGiven(options: GenrunOptions): readonly string[] {
  return options.rehearse ? [] : keysOf({ key: options.key, others: othersIn(options.services ?? {}, '') })
}

/** Programs in JavaScript have no compiler that asks for it, and know it by other names. */
function named(options: GenrunOptions, option: 'baseUrl' | 'key'): string {
  // Whatever a program without types gives.
  const given = options as unknown as { readonly [name: string]: unknown }
  const value = given[option]
  if (typeof value === 'string' && value.trim() !== '') return value
  const other = otherNames[option].find(name => given[name] !== undefined)
  const hint = other
    ? `it is called \`${option}\`, not \`${other}\``
    : 'give { baseUrl, key }, or fromEnv(), or { rehearse: true }'
  const message =
    value === undefined ? `createGenrun was given no ${option}` : `${option} must be a text that is not empty`
  throw refusal([settingProblem({ name: option, value: '' }, 'no-service', message, hint)])
}

const otherNames = {
  baseUrl: ['baseURL', 'base_url', 'url', 'endpoint'],
  key: ['apiKey', 'api_key', 'token', 'apiToken'],
} as const

function unchecked(): Error {
  const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the key to anyone who answers'
  const hint = 'unset it; GENRUN_CA names a certificate authority of your own'
  return refusal([
    settingProblem({ name: 'environment', value: '' }, 'unchecked-certificates', message, hint),
  ])
}

function missing(name: string): Error {
  const hint = 'set GENRUN_BASE_URL and GENRUN_API_KEY, or rehearse with { rehearse: true }'
  return refusal([settingProblem({ name, value: '' }, 'no-service', `${name} is not set`, hint)])
}

function readKey(path: string): string {
  const file = readKeyFile(path, process.cwd())
  if (file.got === 'text') return file.text.trim()
  const message = `the key file cannot be read: ${file.reason}`
  throw refusal([settingProblem({ name: 'GENRUN_API_KEY_FILE', value: path }, 'bad-key-file', message)])
}
