import type { JobAddress, Json, JsonObject } from '../../src/base/names.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { inlineBytes } from '../../src/wire/transfer/files.ts'
import { readFileBytes, readLink } from './service.ts'

/** What an order is about, whoever orders it under whatever name; in whatever number, which may take several orders. */
export interface Asked {
  /** Model, parameters, inputs by content, take. */
  readonly what: string
  /** The same without the contents of its inputs. */
  readonly sort: string
}

/** As a request says it. */
export function askedBy(model: string, params: JsonObject, take: number): Asked {
  const inputs: string[] = []
  const plain: [string, Json][] = []
  for (const [name, value] of Object.entries(params)) {
    if (name === 'count') continue
    const input = typeof value === 'string' ? contentOf(value) : undefined
    if (input === undefined) plain.push([name, value])
    else inputs.push(input)
  }
  const sort = sortOf(model, plain, inputs.length, take)
  return { sort, what: `${sort} ${inputs.join()}` }
}

/** As a job says it; `take` where another of it is meant. */
export function sortOfJob({ model, params, files, take }: Job, other = take): string {
  const plain = Object.entries(params).filter(([name]) => name !== 'count')
  return sortOf(model.id, plain, Object.values(files).flat().length, other)
}

/** What an order is about by words alone: instead of each file that it is made from, what that was made as. */
export function wordsOf(what: string, whatOf: (serial: string) => string | undefined): string {
  const end = what.lastIndexOf('] ') + 1
  const inputs = what
    .slice(end + 1)
    .split(',')
    .filter(input => input !== '')
  const words = inputs.map(input => {
    const made = whatOf(input.split(' ')[0] ?? '')
    return made === undefined ? input : wordsOf(made, whatOf)
  })
  return JSON.stringify([what.slice(0, end), ...words])
}

/** The same as jobs say it. */
export function wordsOfJob(job: Job, jobOf: (address: JobAddress) => Job): string {
  const refs = Object.values(job.files).flat()
  const words = refs.flatMap(ref => (ref.from === 'job' ? [wordsOfJob(jobOf(ref.address), jobOf)] : []))
  return JSON.stringify([sortOfJob(job), ...words])
}

/** `hero#2` is 2, and so is `hero#2+3`. */
export function takeIn(address: JobAddress): number {
  return Number(/#(\d+)(\+\d+)?$/.exec(address)?.[1] ?? 1)
}

function sortOf(model: string, plain: readonly (readonly [string, Json])[], inputs: number, take: number) {
  return JSON.stringify([model, plain.toSorted(([a], [b]) => (a < b ? -1 : 1)), inputs, take])
}

export function takeOfSort(sort: string): number {
  return Number(JSON.parse(sort).at(-1))
}

/** What an order is about, whichever take it is. */
export function withoutTake(what: string | undefined): string | undefined {
  const end = what === undefined ? -1 : what.lastIndexOf('] ')
  if (what === undefined || end < 0) return undefined
  return JSON.stringify(JSON.parse(what.slice(0, end + 1)).slice(0, -1)) + what.slice(end + 1)
}

/** Which file of which order a link or a data URI is; undefined for text. */
function contentOf(value: string): string | undefined {
  if (value.startsWith('https://')) {
    const { id, nth } = readLink(value)
    return `${id} ${nth}`
  }
  const bytes = value.startsWith('data:') ? inlineBytes(value) : undefined
  const made = bytes && readFileBytes(bytes)
  return made && `${made.id} ${made.nth}`
}
