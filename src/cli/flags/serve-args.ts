import { dirname, resolve } from 'node:path'
import type { Checked, Diagnostic } from '../../base/diagnostic.ts'
import { readSharedPlace } from '../../base/shared-place.ts'
import type { SourceFile } from '../../base/source.ts'
import { wordTable } from '../../base/word-table.ts'
import { type Model, models } from '../../catalog/index.ts'
import { readPrices } from '../../forms/prices.ts'
import { readRules } from '../../gateway/faults/fault-words.ts'
import type { GatewayOptions } from '../../gateway/options.ts'
import { readBackend } from '../../gateway/runs/backend-file.ts'
import { readCatalog } from '../../workspace/read/own-models.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedTexts } from '../io/texts.ts'
import type { Trouble } from '../service/service.ts'
import type { Given } from './given.ts'

export type ServeArgs = Given<
  | 'served'
  | 'maxStore'
  | 'format'
  | 'linkSeconds'
  | 'resultSeconds'
  | 'fault'
  | 'ledger'
  | 'prices'
  | 'catalog'
  | 'backend'
  | 'backendSeconds'
  | 's3'
>

type ServeChoices = Pick<
  GatewayOptions,
  | 'outputs'
  | 'maxStoreBytes'
  | 'format'
  | 'linkSeconds'
  | 'resultSeconds'
  | 'faults'
  | 'ledger'
  | 'models'
  | 'backend'
  | 'prices'
  | 's3'
>

/** What `genrun serve` is to be like, from what was written; or what is wrong with that. */
type ReadServeChoices =
  | { readonly is: 'choices'; readonly choices: ServeChoices; readonly problems: readonly Diagnostic[] }
  | { readonly is: 'trouble'; readonly trouble: Trouble }
  | { readonly is: 'problems'; readonly problems: readonly Diagnostic[] }

export function readServeChoices(
  args: ServeArgs,
  around: Pick<Surroundings, 'cwd' | 'stdin'>,
): ReadServeChoices {
  const format = formats.find(each => each === (args.format ?? 'png'))
  if (!format) return trouble(`${args.format} is no format`, `it is one of ${formats.join(', ')}`)
  const maxStoreBytes = args.maxStore === undefined ? undefined : bytesOf(args.maxStore)
  if (Number.isNaN(maxStoreBytes)) return trouble(`${args.maxStore} is no size`, 'for instance 500MB or 2GB')
  const linkSeconds = secondsOf(args.linkSeconds)
  const resultSeconds = secondsOf(args.resultSeconds)
  const backendSeconds = secondsOf(args.backendSeconds)
  const odd = [
    [linkSeconds, args.linkSeconds],
    [resultSeconds, args.resultSeconds],
    [backendSeconds, args.backendSeconds],
  ].find(([seconds]) => Number.isNaN(seconds))
  if (odd) return trouble(`${odd[1]} is no number of seconds`, 'for instance 60')
  const place = args.s3 === undefined ? undefined : readSharedPlace(`s3://${args.s3}`)
  if (args.s3 !== undefined && (place?.is !== 'bucket' || place.prefix !== ''))
    return trouble(`${args.s3} is no name of a bucket`, 'for instance results')
  const faults = args.fault.length === 0 ? undefined : readRules(args.fault.join(','))
  if (faults && 'problem' in faults) return trouble(faults.problem)
  const own: Model[] = []
  const remarks: Diagnostic[] = []
  for (const path of args.catalog) {
    const read = readAt('catalog', path, around, readCatalog)
    if (read.is !== 'read') return read
    own.push(...read.value)
    remarks.push(...read.problems)
  }
  const prices = args.prices === undefined ? undefined : readAt('prices', args.prices, around, readPrices)
  if (prices && prices.is !== 'read') return prices
  const served = [...Object.values<Model>(models), ...own]
  const ids = served.map(({ id }) => id)
  const backend =
    args.backend === undefined
      ? undefined
      : readAt('backend', args.backend, around, file => readBackend(file, ids))
  if (backend && backend.is !== 'read') return backend
  return {
    is: 'choices',
    choices: {
      outputs: args.served === undefined ? 'memory' : { folder: resolve(around.cwd, args.served) },
      maxStoreBytes,
      format,
      linkSeconds,
      resultSeconds,
      faults,
      ledger: args.ledger || undefined,
      s3: args.s3,
      models: served,
      prices: prices?.value,
      backend: backend && {
        commands: backend.value,
        folder: dirname(resolve(around.cwd, args.backend ?? '')),
        seconds: backendSeconds,
      },
    },
    problems: [...remarks, ...(prices?.problems ?? []), ...(backend?.problems ?? [])],
  }
}

const formats = ['png', 'jpeg', 'webp'] as const

const units: { readonly [unit: string]: number } = wordTable({
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
})

function bytesOf(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmg]?i?b)?$/i.exec(text.trim()) ?? []
  return number === undefined
    ? Number.NaN
    : Math.round(Number(number) * (units[unit.toLowerCase() || 'b'] ?? Number.NaN))
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return seconds > 0 ? seconds : Number.NaN
}

/** A file of the command line and what it says. */
function readAt<T>(
  what: string,
  path: string,
  around: Pick<Surroundings, 'cwd' | 'stdin'>,
  read: (file: SourceFile) => Checked<T>,
) {
  const file = namedTexts(around).read(path)
  if ('problem' in file)
    return trouble(`the ${what} cannot be read: ${file.problem}`, 'give the path of a YAML file')
  const { value, problems } = read(file)
  if (value === undefined) return { is: 'problems' as const, problems }
  return { is: 'read' as const, value, problems }
}

function trouble(message: string, hint?: string): { readonly is: 'trouble'; readonly trouble: Trouble } {
  return { is: 'trouble', trouble: { code: 'usage', message, hint } }
}
