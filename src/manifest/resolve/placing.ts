import type { Diagnostic, Note } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import { type Model, paramOf } from '../../catalog/index.ts'
import type { ParamProblem } from '../../forms/validate.ts'
import { quotesHint } from '../../forms/words.ts'
import { entryIn } from '../../text/tree.ts'
import type { Cell } from '../expand/expand.ts'
import { cellsPath } from '../fill/job-path.ts'
import { isBareExpression, isNothing } from '../read/values.ts'
import { type Filled, type FilledEntry, referencesIn } from '../shapes/filled.ts'
import type { Path } from '../shapes/job.ts'

/** Which text or reference gave each item of a list of files: one reference may give several. */
export type ItemPlaces = ReadonlyMap<string, readonly Filled[]>

/** A problem of a cell's parameters at its place in the text. */
export function placeProblem(cell: Cell, model: Model, found: ParamProblem, items: ItemPlaces): Diagnostic {
  const { code, severity, message, path, part } = found
  const given = entryIn(cell.given, String(path[0]))
  if (!given) return { code, severity, message, at: cell.draft.at, ...(found.hint && { hint: found.hint }) }
  const problem = asWritten(model, found, nodeOf(given, path, items))
  const usual = cell.usual?.get(String(path[0]))
  // Filling leaves keys as they are.
  const isByDefault = usual?.entry.key === given.key
  if (isByDefault)
    return usual.isItsOwn ? placeOwnDefault(cell, given, problem) : placeDefault(cell, model, given, problem)
  const node = part === 'key' ? undefined : nodeOf(given, path, items)
  const written = node && !isNothing(node) ? node : keySpan(given, path)
  const data = dataOf(node)
  const at = data ?? written
  const notes = data ? [{ message: 'it is used here', at: written }] : originNotes(cell, at, node)
  const hint = (node ? betterHint(model, problem, node) : cutHint(problem, given)) ?? problem.hint
  return { code, severity, message, at, ...(notes.length > 0 && { notes }), ...(hint && { hint }) }
}

/** Where a text is wanted, `1.10` is quoted as it stands there: the number that it is by itself has lost its last digit. */
function asWritten(model: Model, problem: ParamProblem, node: Filled): ParamProblem {
  const { code, path, hint } = problem
  if (code !== 'wrong-type' || hint === undefined || path.length > 1) return problem
  if (paramOf(model, String(path[0]))?.type !== 'text' || node.kind !== 'scalar') return problem
  const isTyped = typeof node.value === 'number' || typeof node.value === 'boolean'
  return isTyped ? { ...problem, hint: quotesHint(node.source) } : problem
}

/** A default for this model alone is wrong where it stands. */
function placeOwnDefault({ draft }: Cell, { key, value }: FilledEntry, problem: ParamProblem): Diagnostic {
  const { code, severity, message, hint } = problem
  const at = isNothing(value) ? key : value
  const notes = [{ message: `it is a default of the job ${draft.id}`, at: draft.at }]
  return { code, severity, message, at, notes, ...(hint && { hint }) }
}

/** A default that is wrong for one model: the job is where it matters, the default is where it stands. */
function placeDefault(cell: Cell, model: Model, given: FilledEntry, problem: ParamProblem): Diagnostic {
  const { code, severity, message } = problem
  const name = given.key.source
  const advice = `set it in the job, or under defaults with models: { ${model.id}: { ${name}: … } }`
  const at = isNothing(given.value) ? given.key : given.value
  return {
    code,
    severity,
    message,
    at: cell.draft.at,
    notes: [{ message: 'the value is a default, written here', at }],
    hint: problem.hint ? `${problem.hint}; ${advice}` : advice,
  }
}

/** A value that belongs to one cell is wrong where it stands: in a table, on an axis. */
function dataOf(node: Filled | undefined): Span | undefined {
  return node?.kind === 'scalar' && node.isData ? node.origin : undefined
}

/** Where a value came from, when it does not stand in the job itself: a variable, an anchor. */
function originNotes(cell: Cell, at: Span, node: Filled | undefined): Note[] {
  const { body, at: job, id } = cell.draft
  const origin = node?.kind === 'scalar' ? node.origin : undefined
  const isOutside = at.file !== body.file || at.start < body.start || at.start > body.end
  return [
    ...(origin ? [{ message: 'its value is written here', at: origin }] : []),
    ...(isOutside ? [{ message: `it is used by the job ${id}`, at: job }] : []),
    ...(node?.kind === 'scalar' && node.isMade && cell.place.axes.length > 0
      ? [{ message: `it comes to that in the cell ${cell.address}`, at: job }]
      : []),
  ]
}

function betterHint(model: Model, problem: ParamProblem, node: Filled): string | undefined {
  const type = paramOf(model, String(problem.path[0]))?.type
  if (problem.code === 'too-many') {
    const all = referencesIn(node).find(ref => ref.files.which === 'all')
    const path = all && cellsPath(all)
    if (all)
      return `${path}.outputs are ${all.selector ? 'several' : 'all'} files of ${all.job}; ${path}.outputs[0] is the first`
  }
  if (problem.code === 'at-file' && node.kind === 'scalar') {
    return `for the text of a file write \${{ file('${node.source.trim().slice(1)}') }}`
  }
  if (node.kind === 'scalar' && !problem.hint) {
    const meant = meantHint(node.source)
    if (meant) return meant
  }
  const opening = node.file.text.charAt(node.start)
  if (problem.code === 'wrong-type' && type === 'text' && /[[{]/.test(opening) && node.kind !== 'scalar') {
    return `a text that begins with \`${opening}\` needs quotes`
  }
  return undefined
}

/** `{ prompt: A teapot, steam rising }`: what stands behind the comma is a key without a value. */
function cutHint({ code }: ParamProblem, { key, value }: FilledEntry): string | undefined {
  const isBehindComma = /,\s*$/.test(key.file.text.slice(Math.max(0, key.start - 80), key.start))
  if (code !== 'unknown-param' || !isNothing(value) || !isBehindComma) return undefined
  return 'a comma ends a value between { and }: if this belongs to the text before it, put all of that in quotes'
}

/** Slips that look the same whatever the parameter is. */
function meantHint(text: string): string | undefined {
  if (isBareExpression(text)) return `write \${{ ${text} }}`
  const comma = /^(-?\d+),(\d+)$/.exec(text)
  if (comma) return `write ${comma[1]}.${comma[2]}, with a point`
  const percent = /^(\d+(?:\.\d+)?)\s?%$/.exec(text)
  return percent ? `write ${Number(percent[1]) / 100}` : undefined
}

function nodeOf(given: FilledEntry, path: Path, items: ItemPlaces): Filled {
  const [name, ...steps] = path
  const [index] = steps
  const places = items.get(String(name))
  if (places && typeof index === 'number') return places[index] ?? given.value
  return descend(given.value, steps)
}

/** The node at a place inside a value, or the last that is there. */
export function descend(value: Filled, steps: Path): Filled {
  let here = value
  for (const step of steps) {
    const next = childOf(here, step)
    if (!next) return here
    here = next
  }
  return here
}

function childOf(node: Filled, step: string | number): Filled | undefined {
  if (node.kind === 'map') return node.entries.find(entry => entry.key.source === step)?.value
  return node.kind === 'list' ? node.items[Number(step)] : undefined
}

/** The key at a place inside an entry; where that is an item of a list, the entry's own. */
export function keySpan(entry: FilledEntry, path: Path): Span {
  const parent = descend(entry.value, path.slice(1, -1))
  if (path.length < 2 || parent.kind !== 'map') return entry.key
  return parent.entries.find(inner => inner.key.source === path.at(-1))?.key ?? entry.key
}
