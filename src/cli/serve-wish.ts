import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Diagnostic } from '../base/diagnostic.ts'
import { readBackend } from '../gateway/backend-file.ts'
import { readRules } from '../gateway/fault-words.ts'
import type { GatewayOptions } from '../gateway/options.ts'
import type { ServeAsked } from './asked.ts'
import type { Trouble } from './service.ts'

type Wish = Pick<
  GatewayOptions,
  'outputs' | 'maxStoreBytes' | 'format' | 'linkSeconds' | 'faults' | 'ledger' | 'backend'
>

/** What `genrun serve` is to be like, from what was written; or what is wrong with that. */
export type ReadWish =
  | { readonly is: 'wish'; readonly wish: Wish; readonly problems: readonly Diagnostic[] }
  | { readonly is: 'trouble'; readonly trouble: Trouble }
  | { readonly is: 'problems'; readonly problems: readonly Diagnostic[] }

export function readWish(asked: ServeAsked, cwd: string): ReadWish {
  const format = formats.find(each => each === (asked.format ?? 'png'))
  if (!format) return trouble(`${asked.format} is no format`, `it is one of ${formats.join(', ')}`)
  const maxStoreBytes = asked.maxStore === undefined ? undefined : bytesOf(asked.maxStore)
  if (Number.isNaN(maxStoreBytes)) return trouble(`${asked.maxStore} is no size`, 'for instance 500MB or 2GB')
  const linkSeconds = asked.linkSeconds === undefined ? undefined : secondsOf(asked.linkSeconds)
  if (Number.isNaN(linkSeconds))
    return trouble(`${asked.linkSeconds} is no number of seconds`, 'for instance 60')
  const faults = asked.fault === undefined ? undefined : readRules(asked.fault)
  if (faults && 'problem' in faults) return trouble(faults.problem)
  const backend = asked.backend === undefined ? undefined : backendAt(asked.backend, cwd)
  if (backend && backend.is !== 'backend') return backend
  return {
    is: 'wish',
    wish: {
      outputs: asked.outputs === undefined ? 'memory' : { folder: resolve(cwd, asked.outputs) },
      maxStoreBytes,
      format,
      linkSeconds,
      faults,
      ledger: asked.ledger,
      backend: backend?.backend,
    },
    problems: backend?.problems ?? [],
  }
}

const formats = ['png', 'jpeg', 'webp'] as const

const units: { readonly [unit: string]: number } = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
}

function bytesOf(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmg]?i?b)?$/i.exec(text.trim()) ?? []
  return number === undefined
    ? Number.NaN
    : Math.round(Number(number) * (units[unit.toLowerCase() || 'b'] ?? Number.NaN))
}

function secondsOf(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return seconds > 0 ? seconds : Number.NaN
}

function backendAt(path: string, cwd: string) {
  const at = resolve(cwd, path)
  let text: string
  try {
    text = readFileSync(at, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return trouble(`the backend ${path} cannot be read: ${code}`)
  }
  const { value, problems } = readBackend({ name: path, text })
  if (!value) return { is: 'problems' as const, problems }
  return { is: 'backend' as const, backend: { commands: value, folder: dirname(at) }, problems }
}

function trouble(message: string, hint?: string): { readonly is: 'trouble'; readonly trouble: Trouble } {
  return { is: 'trouble', trouble: { code: 'usage', message, hint } }
}
