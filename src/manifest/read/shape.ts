import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { wordTable } from '../../base/word-table.ts'
import { builtIn, type ModelSet } from '../../catalog/model-set.ts'
import { entryIn, entryOf, type TextMap, type TextNode, type TextScalar } from '../../text/tree.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** What a key's value looks like. Numbers are inclusive. */
export type KeyForm =
  | { readonly is: 'text' | 'texts' | 'mapping' | 'jobs' | 'seconds' }
  | { readonly is: 'whole'; readonly minimum: number; readonly maximum: number }
  | { readonly is: 'amount' | 'gate' }
  | { readonly is: 'choice'; readonly of: readonly string[] }

interface Key {
  /** For readers, editors and `explain`; no full stop. */
  readonly about: string
  readonly form: KeyForm
}

const text = { is: 'text' } as const
const texts = { is: 'texts' } as const
const mapping = { is: 'mapping' } as const

/** Keys of a manifest. */
export const topKeys = {
  $schema: { about: 'the schema, for editors', form: text },
  name: { about: "the manifest's name; by default that of its file", form: text },
  description: { about: 'for readers; it changes nothing', form: text },
  output: { about: 'the output folder, beside the manifest; by default out/<name>', form: text },
  include: {
    about: 'files that bring vars, defaults and jobs',
    form: texts,
  },
  catalog: {
    about: 'files that declare further models',
    form: texts,
  },
  vars: { about: 'values for expressions: vars.<name>', form: mapping },
  defaults: { about: 'given to every job whose model has the parameter', form: mapping },
  limits: { about: 'bounds of a run', form: mapping },
  jobs: { about: 'the jobs, by id or as a list of jobs with an id', form: { is: 'jobs' } },
  lint: { about: 'codes of warnings to leave out', form: texts },
} as const satisfies Record<string, Key>

/** Keys of `limits`. */
export const limitKeys = {
  execute: { about: 'paid requests in flight at once', form: { is: 'whole', minimum: 1, maximum: 1000 } },
  submit: { about: 'runs alive at the service at once', form: { is: 'whole', minimum: 1, maximum: 100_000 } },
  total: { about: 'both together', form: { is: 'whole', minimum: 1, maximum: 100_000 } },
  families: { about: 'jobs of a family at the service at once', form: mapping },
  models: { about: 'jobs of a model at the service at once', form: mapping },
  perMinute: { about: 'orders within any minute', form: { is: 'whole', minimum: 1, maximum: 100_000 } },
  maxCost: { about: 'what a run may cost at most', form: { is: 'amount' } },
  maxPaid: { about: 'paid requests of a run at most', form: { is: 'whole', minimum: 0, maximum: 1_000_000 } },
  maxUseless: {
    about: 'paid orders in a row without a usable file, before there was any, that end the buying',
    form: { is: 'whole', minimum: 1, maximum: 10_000 },
  },
  maxFailures: {
    about: 'jobs that failed, after which a run buys nothing more',
    form: { is: 'whole', minimum: 1, maximum: 10_000 },
  },
  tags: { about: 'what the jobs of a tag may cost together', form: mapping },
} as const satisfies Record<string, Key>

/** A job's own keys; everything else in a job is a parameter of its model. */
export const ownKeys = {
  model: { about: 'the model that does the job', form: text },
  description: { about: 'for readers; it changes nothing', form: text },
  matrix: { about: 'axes by name; one job per combination', form: mapping },
  forEach: { about: 'short for one axis named item', form: text },
  if: {
    about: 'false: the job does not exist',
    form: text,
  },
  takes: { about: 'how many independent results', form: { is: 'whole', minimum: 1, maximum: 1000 } },
  needs: { about: 'jobs that must be done first, beside those whose files are used', form: texts },
  output: { about: 'the path of its file in the output folder, without extension', form: text },
  tags: { about: 'words to select jobs by', form: texts },
  mode: {
    about: 'one exchange (execute), or submit and poll',
    form: { is: 'choice', of: ['execute', 'submit'] },
  },
  service: { about: 'the service that does it, by its name in your own settings', form: text },
  workflow: { about: 'the name of the workflow, where it is not the model id', form: text },
  timeout: { about: 'how long to wait for the result: seconds, or 90s, 15m, 1h', form: { is: 'seconds' } },
  retries: {
    about: 'how often a run that failed at the service is ordered again; each may cost money',
    form: { is: 'whole', minimum: 0, maximum: 100 },
  },
  shortDelivery: {
    about:
      'when fewer files come than were ordered: take them, count the job as failed, or order what is missing',
    form: { is: 'choice', of: ['fail', 'accept', 'top-up'] },
  },
  require: {
    about: 'approved: what is made from it waits until somebody has approved it',
    form: { is: 'choice', of: ['approved'] },
  },
  gate: {
    about: 'what it means that what came looks broken: warn, fail or off, of all looks or by look',
    form: { is: 'gate' },
  },
  override: {
    about: 'other values for the cells that match',
    form: mapping,
  },
  lint: { about: 'codes of warnings to leave out', form: texts },
} as const satisfies Record<string, Key>

export type OwnKey = keyof typeof ownKeys

export function isOwnKey(name: string): name is OwnKey {
  return Object.hasOwn(ownKeys, name)
}

/** Own keys that stand among the defaults as well: they say how, and not what. */
export function isOwnDefault(name: string): boolean {
  return name === 'shortDelivery' || name === 'service' || name === 'gate'
}

/** What a job says under one of its own keys. */
export function ownEntry<Entry extends { readonly key: TextScalar }>(
  entries: readonly Entry[],
  key: OwnKey,
): Entry | undefined {
  return entryIn(entries, key)
}

/** Keys that begin with `x-` belong to the user: anchors, notes, other tools. */
export function isFree(name: string): boolean {
  return name.startsWith('x-')
}

/** Tells keys at the top of a manifest that are none of ours, or not read yet. Says whether all are ours. */
export function checkTopKeys(tree: TextMap, report: ReportProblem): boolean {
  const known: Readonly<Record<string, Key>> = topKeys
  let areKnown = true
  for (const { key, value } of tree.entries) {
    const name = key.source
    if (isFree(name)) continue
    if (Object.hasOwn(known, name)) continue
    areKnown = false
    report(error('unknown-key', key, `\`${name}\` is no key of a manifest`, topHint(name, value)))
  }
  return areKnown
}

function topHint(name: string, value: TextNode): string {
  const near = nearest(name, Object.keys(topKeys))
  if (near) return `did you mean ${near}`
  if (isOwnKey(name) || builtIn.paramNames.has(name))
    return 'it belongs to a job, or to all of them under `defaults`'
  if (value.kind === 'map' && (entryOf(value, 'model') || entryOf(value, 'prompt')))
    return 'a job stands under `jobs:`'
  return (
    foreignHint(name) ??
    'there are jobs, defaults, vars, name, output and limits; keys of your own begin with x-'
  )
}

/** A key of a job that is neither ours nor a parameter, when it is a word of another tool or nearly one of ours. */
export function foreignJobKey(
  key: TextScalar,
  params: Iterable<string>,
  modelSet: ModelSet,
): Diagnostic | undefined {
  const name = key.source
  const foreign = foreignHint(name)
  if (foreign) return error('unknown-key', key, `\`${name}\` is no key of a job`, foreign)
  if (modelSet.paramNames.has(name)) return undefined
  const near = nearest(name, [...params, ...Object.keys(ownKeys)])
  if (!near || !isOwnKey(near)) return undefined
  return error('unknown-key', key, `\`${name}\` is no key of a job`, `did you mean ${near}`)
}

/** Whether a word that is no key and no parameter was probably meant to be one of a job's own keys. */
export function isMeant(name: string, own: OwnKey, modelSet: ModelSet): boolean {
  return !modelSet.paramNames.has(name) && nearest(name, Object.keys(ownKeys)) === own
}

/** A key of a job whose model is not known, when no model could have it. */
export function hopelessJobKey(key: TextScalar, modelSet: ModelSet): Diagnostic | undefined {
  const name = key.source
  if (modelSet.paramNames.has(name)) return undefined
  const near = nearest(name, modelSet.paramNames)
  const hint = near ? `did you mean ${near}` : undefined
  return (
    foreignJobKey(key, modelSet.paramNames, modelSet) ??
    error('unknown-param', key, `no model has a parameter ${name}`, hint)
  )
}

function foreignHint(name: string): string | undefined {
  return foreignWords[name.toLowerCase().replaceAll(/[-_]/g, '')]
}

const besideModel = 'parameters stand directly in the job, beside `model`'
const noSecrets = 'a manifest holds no secrets; the key comes from GENRUN_API_KEY'
const noEnvironment = 'a manifest reads no environment; its values stand under `vars`'

/** How other tools call it, without case and dashes, and what is written here. */
const foreignWords: { readonly [word: string]: string } = wordTable({
  retakes: 'it stands in `gate`: `gate: { all: fail, retakes: 2 }`',
  strategy: 'axes stand under `matrix`, directly in the job',
  with: besideModel,
  params: besideModel,
  parameters: besideModel,
  inputs: besideModel,
  args: besideModel,
  name: 'a job is named by its key; for words about it there is `description`',
  id: 'in a mapping of jobs the key is the id; `id` is for jobs in a list',
  extends: 'share values through `defaults`, or an anchor and `<<: *anchor`',
  dependson: 'write `needs`',
  after: 'write `needs`',
  secrets: noSecrets,
  apikey: noSecrets,
  env: noEnvironment,
  environment: noEnvironment,
  variables: 'write `vars`',
  steps: 'a manifest has `jobs`, and each job is one generation',
  tasks: 'write `jobs`',
  version: 'a manifest has no version; remove it',
  outputs: 'write `output`, a path without extension; several files are numbered',
})
