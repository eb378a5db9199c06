import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Stamp } from '../../workspace/read/stamp.ts'

/** That a run found nothing to do, with everything that this stood on. */
export interface Memory {
  /** What was asked for, and of which genrun: see `requestDigest`. */
  readonly key: string
  /** As ProjectPlace has it. */
  readonly root: string
  /** The output folder, absolute. */
  readonly output: string
  readonly jobs: number
  /** Of the costs, where prices are given. */
  readonly currency?: string
  readonly files: readonly RememberedFile[]
  /** Of results and state: see `folderStampOf`. */
  readonly folders: readonly (Stamp & { readonly path: string })[]
  /** Each with the digest of what it found. */
  readonly globs: readonly { readonly pattern: string; readonly found: string }[]
}

export interface RememberedFile extends Stamp {
  readonly path: string
  /** Of its contents; absent where the stamp alone counts. */
  readonly digest?: string
}

export interface RememberedOutput {
  /** Relative to the output folder, forward slashes; empty for that folder itself. */
  readonly folder: string
  readonly name: string
  readonly bytes: number
}

/** Where it lies among the state of a manifest. */
export function memoryPath(state: string): string {
  return join(state, 'nothing-to-do')
}

/**
 * The memory as text: one line of JSON, a line `bytes name` for each output below a line `/folder`, and at the end the
 * digest of all before it. No name holds a line feed: `isInside` sees to that.
 */
export function writeMemory(memory: Memory, outputs: readonly RememberedOutput[]): string {
  const lines = [JSON.stringify({ format, ...memory })]
  let here: string | undefined
  for (const { folder, name, bytes } of outputs) {
    if (folder !== here) lines.push(`/${folder}`)
    here = folder
    lines.push(`${bytes} ${name}`)
  }
  const text = [...lines, ''].join('\n')
  return `${text}${digestOfText(text)}\n`
}

/** A memory as it is read. `outputs` are read as they are walked through. */
export interface ReadMemory {
  readonly memory: Memory
  readonly outputs: Iterable<RememberedOutput>
}

/** Undefined for everything but a whole text of this very format. */
export function readMemory(text: string): ReadMemory | undefined {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  if (end === 0 || digestOfText(text.slice(0, end)) !== text.slice(end, -1)) return undefined
  const head = text.indexOf('\n')
  const memory: Memory & { readonly format?: unknown } = JSON.parse(text.slice(0, head))
  return memory.format === format ? { memory, outputs: outputsIn(text, head + 1, end) } : undefined
}

const format = 2

/** Without a list of all lines: there may be a hundred thousand. */
function* outputsIn(text: string, start: number, end: number): Generator<RememberedOutput> {
  let folder = ''
  for (let at = start; at < end; ) {
    const next = text.indexOf('\n', at)
    if (text[at] === '/') folder = text.slice(at + 1, next)
    else {
      const blank = text.indexOf(' ', at)
      yield { folder, name: text.slice(blank + 1, next), bytes: Number(text.slice(at, blank)) }
    }
    at = next + 1
  }
}

function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
