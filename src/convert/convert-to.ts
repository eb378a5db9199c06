import { jsonText } from '../base/display.ts'
import type { Json, JsonObject } from '../base/names.ts'
import type { WireMode } from '../base/state.ts'
import { type Param, paramOf, usualMode } from '../catalog/index.ts'
import { builtIn } from '../catalog/model-set.ts'
import { type Flag, flagsOf } from '../forms/flags.ts'
import type { FileRef, Job, Manifest } from '../manifest/shapes/job.ts'
import { wireParams } from '../run/inputs/prepare-inputs.ts'
import { shellWord } from '../text/shell-word.ts'
import { type Converted, type ConvertRequest, convertToCurl, convertWith } from './convert.ts'

/** What a job can be written as. */
export const conversions = ['cli', 'tool', 'curl', 'sdk'] as const

export type Conversion = (typeof conversions)[number]

/** A job as the command line, the tool call, the HTTP request or the program that orders the same. Sends nothing. */
export function convertTo(to: Conversion, request: ConvertRequest): Converted {
  switch (to) {
    case 'curl':
      return convertToCurl(request)
    case 'cli':
      return convertWith(request, (job, { manifest }) => cliOf(job, catalogOf(job, manifest, request)))
    case 'tool':
      return convertWith(request, job => toolOf(job))
    case 'sdk':
      return convertWith(request, (job, { manifest }) => sdkOf(job, catalogOf(job, manifest, request)))
  }
}

/** The files that the reader must name as well, for a model of their own. */
function catalogOf(
  { model }: Job,
  { catalogs = [] }: Manifest,
  { catalog = [] }: ConvertRequest,
): readonly string[] {
  if (builtIn.find(model.id)) return []
  return [...new Set([...catalog, ...catalogs.map(file => file.name)])]
}

/** A job's parameters as a person writes them: files by path, link, or the name of the job that makes them. */
export function statedParams(job: Job): JsonObject {
  return wireParams(job, nameOf)
}

function nameOf(ref: FileRef): string {
  switch (ref.from) {
    case 'url':
      return ref.url
    case 'path':
      return ref.path
    case 'job':
      return `<file ${ref.nth === 'pick' ? 'picked' : ref.nth + 1} of ${ref.address}>`
  }
}

/** `genrun generate -m famc-v3 -p 'A teapot' -d 5`, quoted for a POSIX shell. */
function cliOf(job: Job, catalog: readonly string[] = []): string {
  const params = statedParams(job)
  const words = flagsOf(job.model).flatMap(flag => {
    const param = paramOf(job.model, flag.name)
    const value = params[flag.name]
    return param && value !== undefined ? flagWords(param, flag, value) : []
  })
  const mode = modeOf(job)
  const files = catalog.map(path => `--catalog ${shellWord(path)}`)
  const isMoved = job.service !== undefined && job.service !== job.model.service
  const at = isMoved ? [`--service ${job.service}`] : []
  return [
    'genrun generate -m',
    job.model.id,
    ...words,
    ...(mode ? [`--mode ${mode}`] : []),
    ...files,
    ...at,
  ].join(' ')
}

/** Undefined where it is how the model goes by itself. */
function modeOf({ mode, model }: Job): WireMode | undefined {
  return mode === usualMode(model) ? undefined : mode
}

function flagWords(param: Param, flag: Flag, value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => flagWords(param, flag, item))
  switch (param.type) {
    case 'boolean':
      return value === true ? [flag.flag] : [flag.flag, 'false']
    case 'object[]':
    case 'object':
      return flagWord(flag, JSON.stringify(value))
    case 'text':
      // An @ at the head would name a file, and a dash alone what is piped in; a blank at the end counts for nothing.
      return flagWord(flag, String(value).replace(/^@/, '@@').replace(/^-$/, '- '))
    case 'enum':
    case 'integer':
    case 'number':
    case 'file':
    case 'text[]':
      return flagWord(flag, String(value))
  }
}

/** What begins like a flag is joined to its own: alone it could be taken for one. */
function flagWord({ flag, longFlag }: Flag, value: string): string[] {
  return value.startsWith('-') ? [`${longFlag}=${shellWord(value)}`] : [flag, shellWord(value)]
}

/** The call of the specification's tool. */
function toolOf(job: Job): string {
  const call = { name: 'service_generate', arguments: { model: job.model.id, ...statedParams(job) } }
  return jsonText(call, 2)
}

/** A program that makes the job. */
function sdkOf(job: Job, catalog: readonly string[] = []): string {
  const params = jsonText(statedParams(job), 2).replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
  const mode = modeOf(job)
  const options = mode ? `, { mode: ${JSON.stringify(mode)} }` : ''
  return [
    "import { createGenrun, fromEnv } from 'genrun'",
    '',
    catalog.length === 0
      ? 'const genrun = createGenrun(fromEnv())'
      : `const genrun = createGenrun({ ...fromEnv(), catalog: ${JSON.stringify(catalog)} })`,
    `const { files } = await genrun.generate(${JSON.stringify(job.model.id)}, ${params}${options})`,
    'console.log(files.map(file => file.path))',
  ].join('\n')
}
