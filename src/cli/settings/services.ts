import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Json, JsonObject } from '../../base/names.ts'
import { isServiceName, serviceNameForm } from '../../base/names.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { type TextEntry, toJson, valueSpan } from '../../text/tree.ts'
import type { DeclaredService, ServiceLimits } from '../../workspace/service/service.ts'
import type { OptionForm, SettingValue } from '../flags/option.ts'
import { readValue } from '../flags/read-value.ts'
import { formSchema } from './form-schema.ts'

interface Word {
  readonly about: string
  readonly form: OptionForm
}

const path = { is: 'path' } as const
const texts = { is: 'words' } as const
const several = { is: 'count', least: 1, most: 10_000 } as const

const words: { readonly [key in Exclude<keyof DeclaredService, 'name' | 'limits'>]: Word } = {
  baseUrl: { about: 'its address', form: { is: 'address' } },
  apiKeyFile: { about: 'the file that holds its key', form: path },
  apiKeyVariable: { about: 'the variable of the environment that holds its key', form: { is: 'text' } },
  profile: { about: 'how it speaks, as YAML', form: path },
  uploadOrigins: { about: 'origins beside the address that its key and files may be sent to', form: texts },
  keyInQuery: { about: 'its key may stand in addresses, where its profile says so', form: { is: 'switch' } },
  allowHosts: { about: 'hosts of a private network that its results may come from', form: texts },
  ca: { about: 'certificate authorities of your own, as PEM', form: path },
  pollsPerSecond: {
    about: 'how often a second it is asked for results',
    form: { is: 'count', least: 1, most: 50 },
  },
}

const limitWords: { readonly [key in keyof ServiceLimits]-?: Word } = {
  execute: { about: 'orders of execute at a time', form: several },
  submit: { about: 'runs alive there at a time', form: several },
  total: { about: 'both together', form: several },
  perMinute: { about: 'orders within any minute', form: several },
  maxPaid: { about: 'paid requests of a run there', form: { is: 'count', least: 0, most: 999_999 } },
  maxCost: { about: 'what a run may cost there', form: { is: 'amount' } },
}

type Report = (problem: Diagnostic) => void

interface Place {
  readonly folder: string
  readonly home?: string
  readonly report: Report
}

/** Reads `services`: addresses and keys by name. What is wrong is told, and that service is left out. */
export function readServices({ key, value }: TextEntry, place: Place): readonly DeclaredService[] {
  if (value.kind !== 'map') {
    const hint = 'for instance `services: { studio: { baseUrl: https://host, apiKeyFile: ~/.studio-key } }`'
    place.report(
      error('wrong-type', valueSpan({ key, value }), '`services` is a mapping from names to services', hint),
    )
    return []
  }
  return value.entries.flatMap(entry =>
    entry.key.source.startsWith('x-') ? [] : (readService(entry, place) ?? []),
  )
}

function readService(entry: TextEntry, place: Place): DeclaredService | undefined {
  const { key, value } = entry
  let isWrong = false
  const report: Report = problem => {
    isWrong = true
    place.report(problem)
  }
  if (!isServiceName(key.source))
    report(error('bad-setting', key, `the name of a service is ${serviceNameForm}`))
  if (value.kind !== 'map') {
    report(
      error(
        'wrong-type',
        valueSpan(entry),
        `the service ${key.source} is a mapping`,
        'it needs at least `baseUrl` and a key',
      ),
    )
    return undefined
  }
  const own = { ...place, report }
  const limits = value.entries.find(each => each.key.source === 'limits')
  const said = readWords(
    value.entries.filter(each => each !== limits),
    words,
    own,
    ['limits'],
  )
  const bounds = limits && limitsIn(limits, own)
  const service = { name: key.source, ...said, ...defined({ limits: bounds }) }
  const lack = lackOf(service)
  if (!isWrong && lack) report(error('bad-setting', key, `the service ${key.source} ${lack}`, hintOf(lack)))
  return isWrong ? undefined : (service as DeclaredService) // Each word was read by its form, and the address is there.
}

function limitsIn(entry: TextEntry, own: Place): ServiceLimits | undefined {
  if (entry.value.kind === 'map') return readWords(entry.value.entries, limitWords, own)
  own.report(
    error('wrong-type', valueSpan(entry), '`limits` is a mapping', 'for instance `limits: { maxPaid: 20 }`'),
  )
  return undefined
}

function lackOf(said: { readonly [key: string]: unknown }): string | undefined {
  if (said.baseUrl === undefined) return 'has no `baseUrl`'
  if (said.apiKeyFile !== undefined && said.apiKeyVariable !== undefined) return 'has two keys'
  return said.apiKeyFile === undefined && said.apiKeyVariable === undefined ? 'has no key' : undefined
}

function hintOf(lack: string): string {
  return lack === 'has two keys'
    ? 'remove one of them, so that it is clear who pays'
    : lack === 'has no key'
      ? '`apiKeyFile` names the file that holds it, `apiKeyVariable` the variable'
      : 'for instance `baseUrl: https://host`'
}

function readWords(
  entries: readonly TextEntry[],
  known: { readonly [key: string]: Word },
  { folder, home, report }: Place,
  more: readonly string[] = [],
): { readonly [key: string]: SettingValue } {
  const read: { [key: string]: SettingValue } = {}
  for (const entry of entries) {
    const name = entry.key.source
    const word = Object.hasOwn(known, name) ? known[name] : undefined
    if (!word) {
      report(unknownWord(entry, [...Object.keys(known), ...more]))
      continue
    }
    const value = readValue(word.form, { value: atHome(toJson(entry.value), word.form, home) }, folder)
    if ('value' in value) read[name] = value.value
    else report(error('bad-setting', valueSpan(entry), `\`${name}\` ${value.problem}`, value.hint))
  }
  return read
}

/** The key itself stands in no settings, not even in one's own: they are shown, copied and kept. */
function unknownWord({ key }: TextEntry, known: readonly string[]): Diagnostic {
  const bare = key.source.toLowerCase().replaceAll(/[-_]/g, '')
  if (['key', 'apikey', 'token', 'secret', 'authorization'].includes(bare)) {
    const hint = '`apiKeyFile: key` names it; only you may be able to read it (chmod 600)'
    return error('key-in-settings', key, 'the key itself stands in a file of its own', hint)
  }
  const near = nearest(key.source, known)
  const hint = near ? `did you mean ${near}` : `there are ${listed(known)}`
  return error('unknown-key', key, `a service has no \`${key.source}\``, hint)
}

function atHome(value: Json, form: OptionForm, home: string | undefined): Json {
  const isPath = form.is === 'path' && home !== undefined && typeof value === 'string'
  return isPath && value.startsWith('~/') ? join(home, value.slice(2)) : value
}

/** For editors. */
export function servicesSchema(): JsonObject {
  const propertiesOf = (all: { readonly [key: string]: Word }) =>
    Object.fromEntries(
      Object.entries(all).map(([name, { about, form }]) => [
        name,
        { description: about, ...formSchema(form) },
      ]),
    )
  return {
    description:
      'services that jobs may name, by their names: where they are and how they speak (your own settings only)',
    type: 'object',
    propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
    additionalProperties: {
      type: 'object',
      properties: {
        ...propertiesOf(words),
        limits: {
          description: 'bounds of a run at this service, beside those of the run',
          type: 'object',
          properties: propertiesOf(limitWords),
          additionalProperties: false,
        },
      },
      required: ['baseUrl'],
      additionalProperties: false,
    },
  }
}
