import { type Diagnostic, error } from '../base/diagnostic.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import type { WireMode } from '../base/state.ts'
import { readLiteral } from '../text/literal.ts'
import { type FoundAll, type FoundJob, modeIn, valueIn } from './found.ts'

/**
 * Calls of the SDK in a program: `genrun.generate('famc-v3', { prompt: '…' })`, and `submit`. The program is read and
 * not carried out: what is not written out in the call is a problem.
 */
export function readProgram(file: SourceFile): FoundAll {
  const found: FoundJob[] = []
  const problems: Diagnostic[] = []
  for (const call of file.text.matchAll(/\.(?:generate|submit)\s*(?:<[^<>()]*>\s*)?\(/g)) {
    const read = readCall(file, call.index + call[0].length)
    if ('code' in read) problems.push(read)
    else found.push(read)
  }
  if (found.length + problems.length === 0)
    problems.push(
      error(
        'no-jobs',
        headOf(file),
        'no call of generate or submit is in it',
        'calls read `genrun.generate("famc-v3", { prompt: "…" })`',
      ),
    )
  return { found, problems }
}

function readCall(file: SourceFile, start: number): FoundJob | Diagnostic {
  const model = readLiteral(file, start)
  if (model.got === 'code') return notData(model.at)
  if (model.value.kind !== 'scalar') return notData(model.value)
  const comma = /\s*,/y
  comma.lastIndex = model.end
  const between = comma.exec(file.text)
  if (!between) return error('missing-param', model.value, 'this call gives no parameters')
  const params = readLiteral(file, model.end + between[0].length)
  if (params.got === 'code') return notData(params.at)
  if (params.value.kind !== 'map') return notData(params.value)
  const { entries } = params.value
  const mode = modeBehind(file, params.end)
  const ask = {
    model: { id: model.value.source, at: model.value },
    params: entries,
    at: model.value,
    inline: new Map(),
  }
  return { ask, own: mode ? { mode } : {} }
}

/** The `mode` of the call's options; what else stands in them concerns how a job is carried out. */
function modeBehind(file: SourceFile, end: number): WireMode | undefined {
  const comma = /\s*,\s*(?=\{)/y
  comma.lastIndex = end
  const between = comma.exec(file.text)
  const options = between && readLiteral(file, end + between[0].length)
  if (options?.got !== 'value' || options.value.kind !== 'map') return undefined
  const mode = valueIn(options.value, 'mode')
  return mode?.kind === 'scalar' ? modeIn(mode.source) : undefined
}

function notData(at: Diagnostic['at']): Diagnostic {
  const hint = 'write the value out, or import the job as a tool call'
  return error('not-data', at, 'only values that are written out can be read from a program', hint)
}
