import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Diagnostic, hasErrors } from '../base/diagnostic.ts'
import { renderProblem } from '../base/excerpt.ts'
import type { JsonObject } from '../base/names.ts'
import { askOf } from '../desk/ask.ts'
import { checkFile } from '../desk/check.ts'
import { type Generation, generate } from '../desk/generate.ts'
import { listModels } from '../desk/models.ts'
import { priceModel } from '../desk/price.ts'
import type { Told } from '../desk/report.ts'
import { runManifest } from '../desk/run.ts'
import type { Service } from '../desk/service.ts'
import type { SessionPurse } from '../desk/session-purse.ts'
import { toolSchema } from '../forms/tool.ts'

/** What a session of the tool server works with. */
export interface Session {
  readonly service: Service
  /** Paths count from here, and no input file outside is read. Absolute. */
  readonly cwd: string
  readonly output?: string
  readonly profile?: string
  readonly prices?: string
  /** What the session may spend, all calls together. */
  readonly purse: SessionPurse
  /** Nothing is made: the tools that cost are not there. */
  readonly readOnly: boolean
}

/** What one call hears and tells. */
export interface Call {
  readonly stop: AbortSignal
  readonly tell: (told: Told) => void
}

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly mimeType: string }

export interface ToolResult {
  readonly content: readonly Content[]
  readonly isError?: true
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** It makes something, and may cost. */
  readonly makes?: true
  readonly carryOut: (args: JsonObject, session: Session, call: Call) => Promise<ToolResult> | ToolResult
}

const text = { type: 'string' } as const
const oneOf = (name: string, description: string): JsonObject => ({
  type: 'object',
  properties: { [name]: { ...text, description } },
  required: [name],
})

/** The tools of the specification and those around a manifest. */
export const tools: readonly Tool[] = [
  {
    name: 'service_generate',
    description: 'Makes images, video, sound or speech and saves the files. It costs money every time.',
    inputSchema: toolSchema(),
    makes: true,
    carryOut: generateTool,
  },
  {
    name: 'service_models',
    description: 'Lists the models, or those that match all words.',
    inputSchema: { type: 'object', properties: { words: { type: 'array', items: text } } },
    carryOut: args => said(listModels(wordsIn(args)).map(({ id, name, modes }) => ({ id, name, modes }))),
  },
  {
    name: 'service_model_info',
    description: 'All parameters of one model, with their values and defaults.',
    inputSchema: oneOf('model', 'its id'),
    carryOut(args) {
      const info = listModels().find(each => each.id === args.model)
      return info ? said(info) : wrong(`there is no model ${String(args.model)}; service_models lists them`)
    },
  },
  {
    name: 'service_pricing',
    description: 'What a generation costs, by what it is counted; takes what service_generate takes.',
    inputSchema: toolSchema(),
    carryOut({ model, ...params }, { cwd, prices }) {
      const priced = priceModel({
        model: String(model),
        params,
        cwd,
        ...(prices !== undefined && { prices }),
      })
      return priced.got === 'price' ? said(priced.price) : refused(priced.problems)
    },
  },
  {
    name: 'service_validate',
    description: 'Checks a manifest (YAML): every problem with its line. Costs nothing.',
    inputSchema: oneOf('manifest', 'its path'),
    carryOut({ manifest }, { cwd }) {
      const { jobs, problems } = checkFile(String(manifest), cwd)
      return hasErrors(problems)
        ? refused(problems)
        : said({ ok: true, jobs, warnings: problems.map(each => each.message) })
    },
  },
  {
    name: 'service_run',
    description: 'Makes what a manifest describes and is not made yet. Nothing is paid for twice.',
    inputSchema: oneOf('manifest', 'its path'),
    makes: true,
    carryOut: runTool,
  },
]

async function generateTool(
  { model, ...params }: JsonObject,
  session: Session,
  call: Call,
): Promise<ToolResult> {
  if (typeof model !== 'string') return wrong('no model is given; service_models lists them')
  const { ask, problems } = askOf(model, params, 'arguments')
  if (!ask) return refused(problems)
  const { cwd, service, purse, output, profile, prices } = session
  const result = await generate({
    ask,
    cwd,
    service,
    purse,
    within: cwd,
    ...(output !== undefined && { output }),
    ...(profile !== undefined && { profile }),
    ...(prices !== undefined && { prices }),
    ...call,
  })
  switch (result.got) {
    case 'refused':
      return refused(result.problems)
    case 'damaged':
      return wrong(result.message)
    case 'generation':
      return generated(result.generation)
  }
}

// What is larger fills the context of whoever asked.
const largestInline = 512 * 1024

function generated(generation: Generation): ToolResult {
  const { files, ending, message, hint, run, rehearsal, model } = generation
  const told = [message, hint, run && `run ${run.id} of ${run.workflow}`].filter(Boolean).join('; ')
  if (ending !== 'made') return wrong(`${model}: ${ending}${told && `: ${told}`}`)
  const mark = rehearsal ? ' (a rehearsal: placeholders, nothing was paid)' : ''
  const links = files.map(({ path, type }): Content => {
    return { type: 'resource_link', uri: pathToFileURL(path).href, name: basename(path), mimeType: type }
  })
  const shown = files
    .filter(({ type, bytes }) => type.startsWith('image/') && bytes <= largestInline)
    .map(
      ({ path, type }): Content => ({
        type: 'image',
        data: readFileSync(path).toString('base64'),
        mimeType: type,
      }),
    )
  const paths = files.map(file => file.path).join('\n')
  return {
    content: [{ type: 'text', text: `${model}${mark}: ${message ?? 'made'}\n${paths}` }, ...links, ...shown],
  }
}

async function runTool(
  { manifest }: JsonObject,
  session: Session,
  { stop, tell }: Call,
): Promise<ToolResult> {
  const { cwd, service, output, profile, prices, purse } = session
  // What is left is the run's alone while it lasts: another call cannot spend it a second time.
  const caps = purse.left()
  const [maxPaid, maxCost] = [caps.maxPaid ?? 0, caps.maxCost ?? 0]
  purse.spend(maxPaid, maxCost)
  const result = await runManifest({
    manifest: String(manifest),
    cwd,
    service,
    caps,
    ...(output !== undefined && { output }),
    ...(profile !== undefined && { profile }),
    ...(prices !== undefined && { prices }),
    stop,
    tell,
  })
  const spent = result.got === 'report' ? result.report : undefined
  purse.spend((spent?.paid ?? 0) - maxPaid, (spent?.cost?.estimated ?? 0) - maxCost)
  if (result.got === 'refused') return refused(result.problems)
  if (result.got !== 'report') return wrong(result.message)
  const { counts, paid, jobs, exit, output: folder } = result.report
  const trouble = jobs.flatMap(({ address, message, hint }) => (message ? [{ address, message, hint }] : []))
  const report = said({ counts, paid, output: folder, trouble })
  return exit === 0 ? report : { ...report, isError: true }
}

function said(value: unknown): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value, undefined, 2) }] }
}

function wrong(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

function refused(problems: readonly Diagnostic[]): ToolResult {
  return wrong(problems.map(problem => renderProblem(problem)).join('\n'))
}

function wordsIn({ words }: JsonObject): string[] {
  return Array.isArray(words) ? words.map(String) : []
}
