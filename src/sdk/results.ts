import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { type Diagnostic, type ProblemRecord, problemRecord } from '../base/diagnostic.ts'
import { readMedia, streamMedia } from '../disk/media.ts'
import type { GenerateResult, Generation, MadeFile } from '../run/one-shot/generation.ts'
import type { CollectResult, ListedOpen, OpenOrder } from '../verbs/collect.ts'
import { callTrouble, GenrunError, refusal } from './error.ts'

/** Bytes in pieces: the global `ReadableStream`, where the program has a type of it (Node's or the DOM's). */
export type ByteStream = AsyncIterable<Uint8Array> &
  (typeof globalThis extends { ReadableStream: { prototype: infer Stream } } ? Stream : unknown)

/** A saved file: where it is, its media type, bytes, pixels and seconds. Its methods do not travel with copies of it. */
export interface GeneratedFile extends MadeFile {
  /** As a link: `file:///media/out/tea.png`. */
  readonly url: string
  /** Reads it from the disk, piece by piece. */
  stream(): ByteStream
  /** Reads it as a whole. */
  read(): Promise<Uint8Array>
}

/** A result: its files are saved and measured. `failure` is a flaw of what was delivered. */
export interface Generated extends Generation {
  readonly ending: 'made'
  /** In the service's order. Where fewer came than were asked for, `failure` says so. */
  readonly files: readonly GeneratedFile[]
  /** What the checks found odd about the call, and what earlier calls have to fetch. */
  readonly warnings: readonly ProblemRecord[]
}

/** What calls had paid for that were killed or stopped. */
export interface Collected {
  /** The files that are there now. */
  readonly made: readonly Generated[]
  /** What did not come: it failed at the service, or is not done yet and can be collected later. */
  readonly failed: readonly Generation[]
  /** Sent, and nobody knows what became of it: look for it at the service. */
  readonly open: readonly OpenOrder[]
  /** Orders that were given to another service, and whatever else stands against it. */
  readonly problems: readonly ProblemRecord[]
}

export function generatedOf(result: GenerateResult): Generated {
  const { generation, problems } = generationIn(result)
  const made = madeOf(generation, problems)
  if (made) return made
  throw new GenrunError(generation.message ?? generation.ending, { code: 'failed', generation })
}

export function submittedOf(result: GenerateResult): NonNullable<Generation['run']> {
  const { generation } = generationIn(result)
  const { run } = generation
  if (run && (generation.ending === 'detached' || generation.ending === 'made')) return run
  throw new GenrunError(generation.message ?? generation.ending, { code: 'failed', generation })
}

export function openIn(listed: ListedOpen): readonly OpenOrder[] {
  switch (listed.got) {
    case 'refused':
      throw refusal(listed.problems)
    case 'damaged':
      throw callTrouble(listed)
    case 'open':
      return listed.orders
  }
}

export function collectedOf(result: CollectResult): Collected {
  switch (result.got) {
    case 'refused':
      throw refusal(result.problems)
    case 'damaged':
      throw callTrouble(result)
    case 'collected': {
      const { generations, open, problems, told } = result
      told()
      return {
        made: generations.flatMap(each => madeOf(each, []) ?? []),
        failed: generations.filter(each => each.ending !== 'made'),
        open,
        problems: problems.map(problemRecord),
      }
    }
  }
}

function madeOf(generation: Generation, problems: readonly Diagnostic[]): Generated | undefined {
  if (generation.ending !== 'made') return undefined
  const files = generation.files.map(withContents)
  return { ...generation, ending: 'made', files, warnings: problems.map(problemRecord) }
}

/** The methods are hidden, so that a result is still plain data to whatever copies or compares it. */
function withContents(file: MadeFile): GeneratedFile {
  const { path } = file
  const plain = { ...file, url: pathToFileURL(path).href }
  return Object.defineProperties(plain, {
    stream: { value: () => Readable.toWeb(streamMedia(path)) },
    read: { value: () => readMedia(path) },
  }) as GeneratedFile // what was defined right above
}

function generationIn(result: GenerateResult): { generation: Generation; problems: readonly Diagnostic[] } {
  switch (result.got) {
    case 'refused':
      throw refusal(result.problems)
    case 'damaged':
      throw callTrouble(result)
    case 'generation':
      result.told?.()
      return result
  }
}
