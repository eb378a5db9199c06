import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Json, JsonObject, Pointer } from '../../base/names.ts'
import { filesIn } from '../../disk/look.ts'
import { makeFolderIn } from '../../disk/made.ts'
import { DiskRefusal, readRegular } from '../../disk/open.ts'
import { writeNewFile } from '../../disk/write.ts'
import { probe } from '../../media/probe.ts'
import type { RenderedFile, RenderRequest } from '../render/order/request.ts'
import { openPlace } from './backend-place.ts'
import { type BackendCommand, type CommandEnd, runCommand } from './command.ts'
import type { Render, Unrendered } from './work.ts'

export type { BackendCommand as Command } from './command.ts'

/** Commands of the user's that make the files of models, by the model's id. */
export type Backend = ReadonlyMap<string, BackendCommand>

export interface BackendRules {
  readonly commands: Backend
  /** Where they are run. */
  readonly folder: string
  /** A command that takes longer is ended; default 600. */
  readonly seconds?: number | undefined
}

/** Hands the models of a backend to their commands, and all others on. */
export function backedBy(rules: BackendRules, closing: AbortSignal, otherwise: Render): Render {
  return request => {
    const command = rules.commands.get(request.model)
    return command ? renderBy(command, rules, closing, request) : otherwise(request)
  }
}

const usualSeconds = 600

/**
 * Runs a command with the order as JSON on its standard input, and takes what it leaves in the folder that `outputs`
 * names, in the order of the names (`2.png` before `10.png`; names with a dot in front do not count).
 */
async function renderBy(
  command: BackendCommand,
  { folder, seconds = usualSeconds }: BackendRules,
  closing: AbortSignal,
  request: RenderRequest,
): Promise<RenderedFile[] | Unrendered> {
  const place = await openPlace()
  try {
    const outputs = join(place.path, 'outputs')
    makeFolderIn(place.path, 'outputs')
    const input = await orderFor(request, place.path, outputs)
    const trouble = troubleOf(
      await runCommand(command, { cwd: folder, input, stop: closing, seconds }),
      seconds,
    )
    return trouble ?? (await takenFrom(outputs, request))
  } finally {
    await place.remove()
  }
}

/**
 * The request as JSON. Its files become files in the folder: their paths stand in the parameters where the files were
 * given, and in `inputs`. Links to elsewhere stay links.
 */
async function orderFor(request: RenderRequest, place: string, outputs: string): Promise<string> {
  const { inputs, params, ...rest } = request
  const files = await Promise.all(
    inputs.map(async ({ param, kind, bytes, at }, nth) => {
      const path = join(place, `input-${nth + 1}`)
      writeNewFile(path, bytes)
      return { param, kind, path, ...defined({ at }) }
    }),
  )
  const paths = new Map(files.flatMap(({ at, path }) => (at === undefined ? [] : [[at, path] as const])))
  return JSON.stringify({ ...rest, params: withPaths(params, paths), inputs: files, outputs })
}

function withPaths(params: JsonObject, paths: ReadonlyMap<Pointer, string>): Json {
  const put = (value: Json, at: string): Json => {
    const path = paths.get(at as Pointer) // built from names and indexes, as pointers are
    // One file may stand for a list of one.
    if (path !== undefined) return Array.isArray(value) ? [path] : path
    if (Array.isArray(value)) return value.map((item: Json, index) => put(item, `${at}/${index}`))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, put(each, `${at}/${name}`)]))
  }
  return put(params, '')
}

function troubleOf(end: CommandEnd, seconds: number): Unrendered | undefined {
  switch (end.is) {
    case 'done':
      return undefined
    case 'failed': {
      const message = [`the backend ended with ${end.with}`, end.said].filter(part => part !== '').join(': ')
      return { code: 'backend_failed', message }
    }
    case 'unstarted':
      return { code: 'backend_failed', message: `the backend did not run: ${end.why}` }
    case 'late':
      return { code: 'backend_timeout', message: `the backend was ended after ${seconds} s` }
    case 'stopped':
      return { code: 'backend_failed', message: 'the gateway was closed before the backend was done' }
  }
}

const byNumber = new Intl.Collator('en', { numeric: true })

async function takenFrom(outputs: string, request: RenderRequest): Promise<RenderedFile[] | Unrendered> {
  const names = filesIn(outputs).filter(name => !name.startsWith('.'))
  if (names.length === 0) return unusable(`the backend of ${request.model} left no file`)
  const files: RenderedFile[] = []
  for (const name of names.toSorted(byNumber.compare)) {
    const taken = await fileFrom(join(outputs, name), request.kind)
    if (typeof taken === 'string') return unusable(`the backend of ${request.model} left ${name}: ${taken}`)
    files.push(taken)
  }
  return files
}

function unusable(message: string): Unrendered {
  return { code: 'backend_output', message }
}

const longestFile = 1024 * 1024 * 1024

/** A text says what is wrong with it. */
async function fileFrom(path: string, kind: RenderRequest['kind']): Promise<RenderedFile | string> {
  let bytes: Uint8Array
  try {
    bytes = readRegular(path, { mostBytes: longestFile })
  } catch (refusal) {
    if (!(refusal instanceof DiskRefusal)) throw refusal
    return refusal.message
  }
  const probed = await probe(bytes)
  if (probed.got === 'broken') return probed.why
  const { media } = probed
  if (media.kind !== kind) return `it is ${media.type}`
  const { type, extension, width, height, seconds } = media
  return { bytes, type, extension, width, height, seconds }
}
