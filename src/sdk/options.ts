import { readFileSync } from 'node:fs'
import { settingProblem } from '../desk/obstacles.ts'
import type { Service } from '../desk/service.ts'
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
}

/** A service of your own: its address and key. */
export interface ServiceOptions extends Pick<Service, 'uploadOrigins'> {
  /** With the path that ends in `gw-v2`. */
  readonly baseUrl: string
  readonly key: string
  readonly rehearse?: false
}

/** The embedded gateway makes placeholders of the right size and length: offline, and nothing is paid. */
export interface RehearsalOptions {
  readonly rehearse: true
}

/**
 * The service that the environment names: `GENRUN_BASE_URL` with `GENRUN_API_KEY` or `GENRUN_API_KEY_FILE`. Nothing
 * else of genrun reads the environment. Throws GenrunError where one of them is missing.
 */
export function fromEnv(env: { readonly [name: string]: string | undefined } = process.env): ServiceOptions {
  const baseUrl = env.GENRUN_BASE_URL
  if (!baseUrl) throw missing('GENRUN_BASE_URL')
  const { GENRUN_API_KEY: key, GENRUN_API_KEY_FILE: file } = env
  if (key) return { baseUrl, key }
  if (!file) throw missing('GENRUN_API_KEY')
  return { baseUrl, key: readKey(file) }
}

function missing(name: string): Error {
  const hint = 'set GENRUN_BASE_URL and GENRUN_API_KEY, or rehearse with { rehearse: true }'
  return refusal([settingProblem(name, '', 'no-service', `${name} is not set`, hint)])
}

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw refusal([
      settingProblem('GENRUN_API_KEY_FILE', path, 'bad-key-file', 'the key file cannot be read'),
    ])
  }
}
