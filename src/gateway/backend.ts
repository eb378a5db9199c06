import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probe } from '../media/probe.ts'
import type { RenderedFile, RenderRequest } from './render/request.ts'
import type { Render } from './work.ts'

/** Commands of the user's that make the files of models, by the model's id. */
export type Backend = ReadonlyMap<string, Command>
export type Command =
  | { readonly shell: string }
  | { readonly program: string; readonly words: readonly string[] }

/** Hands the models of a backend to their commands, and all others on. */
export function backedBy(backend: Backend, folder: string, closing: AbortSignal, otherwise: Render): Render {
  return request => {
    const command = backend.get(request.model)
    return command ? renderBy(command, folder, closing, request) : otherwise(request)
  }
}

/**
 * Runs a command in `folder` with the order as JSON on its standard input, and takes what it leaves in the folder that
 * `outputs` names, in the order of the names (`2.png` before `10.png`). Rejects when the command fails, leaves nothing
 * or leaves what is no media of the kind.
 */
async function renderBy(
  command: Command,
  folder: string,
  closing: AbortSignal,
  request: RenderRequest,
): Promise<RenderedFile[]> {
  const place = await mkdtemp(join(tmpdir(), 'genrun-backend-'))
  try {
    const outputs = join(place, 'outputs')
    await mkdir(outputs)
    await run(command, folder, closing, await orderFor(request, place, outputs))
    const names = (await readdir(outputs)).toSorted(byNumber.compare)
    if (names.length === 0) throw new Error(`the backend of ${request.model} left no file`)
    return await Promise.all(names.map(name => taken(join(outputs, name), name, request)))
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const byNumber = new Intl.Collator('en', { numeric: true })

/** Files of the request become files in the folder; parameters that held nothing else are left out. */
async function orderFor(request: RenderRequest, place: string, outputs: string): Promise<string> {
  const { inputs, params, ...rest } = request
  const files = await Promise.all(
    inputs.map(async ({ param, kind, bytes }, nth) => {
      const path = join(place, `input-${nth + 1}`)
      await writeFile(path, bytes)
      return { param, kind, path }
    }),
  )
  const named = new Set(inputs.map(({ param }) => param))
  const others = Object.fromEntries(Object.entries(params).filter(([name]) => !named.has(name)))
  return JSON.stringify({ ...rest, params: others, inputs: files, outputs })
}

function run(command: Command, cwd: string, signal: AbortSignal, order: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stdio: ['pipe', 'ignore', 'pipe'] = ['pipe', 'ignore', 'pipe']
    const child =
      'shell' in command
        ? spawn(command.shell, { cwd, stdio, signal, shell: true })
        : spawn(command.program, command.words, { cwd, stdio, signal })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said = (said + part).slice(-2000)
    })
    child.on('error', error => reject(new Error(`the backend did not run: ${error.message}`)))
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve()
      const last = said.trim().split('\n').at(-1)
      reject(new Error([`the backend ended with ${code ?? killedBy}`, last].filter(Boolean).join(': ')))
    })
    // A command that does not read its order is told by its code.
    child.stdin.on('error', () => {})
    child.stdin.end(order)
  })
}

async function taken(path: string, name: string, { model, kind }: RenderRequest): Promise<RenderedFile> {
  const bytes = new Uint8Array(await readFile(path))
  const probed = await probe(bytes)
  if (probed.got === 'broken') throw new Error(`the backend of ${model} left ${name}: ${probed.why}`)
  const { media } = probed
  if (media.kind !== kind) throw new Error(`the backend of ${model} left ${name}: it is ${media.type}`)
  const { type, extension, width, height, seconds } = media
  return { bytes, type, extension, width, height, seconds }
}
