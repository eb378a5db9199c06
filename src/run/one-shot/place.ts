import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Diagnostic } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import { type Model, outputKind } from '../../catalog/index.ts'
import { builtIn, type ModelSet } from '../../catalog/model-set.ts'
import { mediaEndings, readOutput } from '../../manifest/resolve/output.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { typesOf } from '../../media/other-kinds.ts'
import { finalPath } from '../../store/files/outputs.ts'
import type { Machine } from '../../workspace/machine.ts'
import type { Service } from '../../workspace/service/service.ts'
import type { JobAsk } from './ask.ts'
import type { Generation } from './generation.ts'

/** Where the files of one generation go. */
export interface FilesPlace {
  /** The folder, absolute. */
  readonly output: string
  /** Where the user stands, absolute. */
  readonly cwd: string
  /** Without ending. */
  readonly name: string
  /** What stands where a file would go, in words. Nothing is ever overwritten. */
  readonly inTheWay: (job: Job) => string | undefined
}

interface Placing {
  readonly ask: JobAsk
  readonly cwd: string
  readonly output?: string
  readonly name?: string
  readonly service: Pick<Service, 'rehearsal'>
  /** The models there are; the built-in ones when it is absent. */
  readonly modelSet?: ModelSet
  /** Where the call itself names none. */
  readonly model?: Model
}

/** Files of a rehearsal carry `.preview` in their name: no placeholder can be taken for a result. */
export function placeFor(
  request: Placing,
  { disk, random }: Pick<Machine, 'disk' | 'random'>,
): FilesPlace | Diagnostic {
  const { ask, cwd, name, service, modelSet = builtIn } = request
  const output = resolve(cwd, request.output ?? '.')
  const model = request.model ?? (ask.model && modelSet.find(ask.model.id))
  const at = headOf({ name: 'the name of the output', text: name ?? '' })
  const read =
    name === undefined
      ? `${slugOf(ask)}-${random.token().slice(0, 6)}`
      : readOutput(name, at, model && outputKind(model))
  if (typeof read !== 'string') return read
  const full = service.rehearsal ? `${read}.preview` : read
  return { output, cwd, name: full, inTheWay: job => firstInTheWay(job, output, disk) }
}

/** `media/hero.png` is the name `hero.png` in the folder `media`; `media/` is a folder, and the name is found. */
export function outputPath(path: string): { readonly output: string; readonly name?: string } {
  if (/[/\\]$/.test(path) || path === '.' || path === '..') return { output: path }
  return { output: dirname(path), name: basename(path) }
}

/** The name that `-o` asked for, where the file that came has another ending: a file is never called what it is not. */
export function otherName(
  { kind, files }: Pick<Generation, 'kind' | 'files'>,
  output: string | undefined,
): string | undefined {
  const [first] = files
  if (output === undefined || first === undefined) return undefined
  const ending = extname(output).slice(1).toLowerCase()
  if (!mediaEndings[kind].includes(ending) || extname(first.path) === `.${ending}`) return undefined
  return output
}

function firstInTheWay(job: Job, output: string, disk: Machine['disk']): string | undefined {
  const types = typesOf(outputKind(job.model))
  const paths = types.flatMap(type =>
    Array.from({ length: job.count }, (_, nth) => finalPath(job.output, nth, job.count, type)),
  )
  const there = paths.find(path => disk.look(join(output, path)))
  return there === undefined ? undefined : `${there} is there already, and nothing is overwritten`
}

/** The first words of the prompt as a file name, or the model's. */
function slugOf({ params, model }: JobAsk): string {
  const prompt = params.find(({ key }) => key.source === 'prompt')?.value
  const words = prompt?.kind === 'scalar' ? prompt.source : ''
  const plain = words
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const short = plain.length > 40 ? plain.slice(0, 40).replace(/-[^-]*$/, '') : plain
  return short || (model?.id ?? 'job')
}
