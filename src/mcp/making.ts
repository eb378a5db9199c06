import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../base/names.ts'
import { collect } from '../desk/collect.ts'
import { type Generation, generate } from '../desk/generate.ts'
import { placeUnder } from '../desk/ground/place-under.ts'
import { askOf } from '../desk/once/ask.ts'
import { runManifest } from '../desk/run.ts'
import { type Call, type Content, refused, type Session, said, type ToolResult, wrong } from './tool.ts'

/** `service_generate`: one job, its files as links, and small pictures as they are. */
export async function generateTool(
  { model, ...params }: JsonObject,
  session: Session,
  call: Call,
): Promise<ToolResult> {
  if (typeof model !== 'string') return wrong('no model is given; service_models lists them')
  const { ask, problems } = askOf(model, params, 'arguments')
  if (!ask) return refused(problems)
  const { purse, cwd } = session
  const result = await generate({ ask, purse, within: cwd, ...meansOf(session), ...call })
  switch (result.got) {
    case 'refused':
      return refused(result.problems)
    case 'damaged':
      return wrong(`${result.message}; ${result.hint}`)
    case 'generation': {
      const made = generated(result.generation)
      const warnings = result.problems.map(
        ({ message, hint }) => `warning: ${message}${hint ? `; ${hint}` : ''}`,
      )
      if (warnings.length === 0) return made
      return { ...made, content: [...made.content, { type: 'text', text: warnings.join('\n') }] }
    }
  }
}

/** `service_result`: what earlier calls had paid for. */
export async function resultTool({ run }: JsonObject, session: Session, call: Call): Promise<ToolResult> {
  const { prices: _, ...means } = meansOf(session)
  const result = await collect({ ...means, ...(run !== undefined && { run: String(run) }), ...call })
  if (result.got === 'refused') return refused(result.problems)
  if (result.got === 'damaged') return wrong(`${result.message}; ${result.hint}`)
  const { generations, open, problems } = result
  const made = generations.map(generated)
  const troubles = [
    ...open.map(({ name, message }) => `${name}: ${message}`),
    ...problems.map(({ message, hint }) => (hint ? `${message}; ${hint}` : message)),
  ]
  if (made.length + troubles.length === 0)
    return run === undefined
      ? said('nothing was left behind')
      : wrong(`nothing is known here of the run ${String(run)}`)
  const content = [
    ...made.flatMap(each => each.content),
    ...(troubles.length > 0 ? [{ type: 'text', text: troubles.join('\n') } as const] : []),
  ]
  const isError = troubles.length > 0 || made.some(each => each.isError)
  return { content, ...(isError && { isError }) }
}

/** `service_run`: a manifest, with its lock and journal. */
export async function runTool({ manifest }: JsonObject, session: Session, call: Call): Promise<ToolResult> {
  const path = placeUnder(session.cwd, String(manifest))
  if (path.got === 'outside') return wrong(path.message)
  const { purse } = session
  // What is left is the run's alone while it lasts: another call cannot spend it a second time.
  const caps = purse.left()
  const [maxPaid, maxCost] = [caps.maxPaid ?? 0, caps.maxCost ?? 0]
  purse.spend(maxPaid, maxCost)
  const result = await runManifest({ manifest: String(manifest), caps, ...meansOf(session), ...call })
  const spent = result.got === 'report' ? result.report : undefined
  purse.spend((spent?.paid ?? 0) - maxPaid, (spent?.cost?.estimated ?? 0) - maxCost)
  if (result.got === 'refused') return refused(result.problems)
  if (result.got !== 'report') return wrong(`${result.message}; ${result.hint}`)
  const { counts, paid, jobs, exit, output } = result.report
  const trouble = jobs.flatMap(({ address, message, hint }) => (message ? [{ address, message, hint }] : []))
  const report = said({ counts, paid, output, trouble })
  return exit === 0 ? report : { ...report, isError: true }
}

function meansOf({ cwd, service, output, profile, prices, catalog, shelf }: Session) {
  return {
    cwd,
    service,
    ...(shelf && { shelf }),
    ...(catalog && { catalog }),
    ...(output !== undefined && { output }),
    ...(profile !== undefined && { profile }),
    ...(prices !== undefined && { prices }),
  }
}

// What is larger fills the context of whoever asked.
const largestInline = 512 * 1024

function generated(generation: Generation): ToolResult {
  const { files, ending, message, hint, run, rehearsal, model } = generation
  const told = [message, hint, run && `run ${run.id} of ${run.workflow}`].filter(Boolean).join('; ')
  if (ending === 'detached')
    return wrong(`${model}: it goes on at the service (${told}); service_result fetches it`)
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
