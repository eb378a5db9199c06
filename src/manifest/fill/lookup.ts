import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import { axisValue } from '../shapes/coordinates.ts'
import type { Filled } from '../shapes/filled.ts'
import {
  absent,
  type CellNames,
  literalOf,
  type Names,
  type PathStep,
  placeText,
  type Yield,
} from './names.ts'
import { rawIn, rawTemplate } from './raw-template.ts'

/** `vars.name`, and places inside its value. */
export function readVariable(steps: readonly PathStep[], names: Names): Yield | undefined {
  const [first, ...deeper] = steps
  if (first?.by !== 'name') {
    if (first)
      names.report(error('unknown-name', first.at, 'a variable is read by its name', 'write vars.<name>'))
    return undefined
  }
  let value = names.variable(first.name, first.at)
  let walked = `vars.${first.name}`
  for (const step of deeper) {
    if (!value || value.kind === 'unfilled') return value
    const found = memberOf(value, step)
    if (!found) {
      names.report(missingMember(value, walked, step))
      return undefined
    }
    walked = `${walked}.${placeText(step)}`
    value = found
  }
  return value
}

/** Where a value comes from a table its columns ignore case. */
function memberOf(value: Filled, step: PathStep): Filled | undefined {
  if (value.kind === 'map') return entryLike(value, placeText(step))?.value
  if (value.kind === 'list' && step.by === 'index') return value.items[step.index]
  return undefined
}

export function entryLike(map: Extract<Filled, { kind: 'map' }>, name: string) {
  const exact = map.entries.find(({ key }) => key.source === name)
  if (exact || !map.isRow) return exact
  return map.entries.find(({ key }) => key.source.toLowerCase() === name.toLowerCase())
}

function missingMember(value: Filled, walked: string, step: PathStep): Diagnostic {
  const wanted = placeText(step)
  const { at } = step
  if (value.kind === 'map') {
    const known = value.entries.map(entry => entry.key.source)
    const near = nearest(wanted, known)
    const hint = near ? `did you mean ${near}` : known.length > 0 ? `it has ${listed(known)}` : 'it is empty'
    return error('unknown-name', at, `${walked} has no ${wanted}`, hint)
  }
  if (value.kind === 'list') {
    const hint = `it has ${value.items.length} values, counted from 0`
    return error('unknown-name', at, `${walked} has no value at ${wanted}`, hint)
  }
  return error(
    'unknown-name',
    at,
    `${walked} is a single value, there is no ${wanted} in it`,
    `write ${walked}`,
  )
}

/** `matrix.axis`, and places inside its value. */
export function readCellMatrix(steps: readonly PathStep[], at: Span, names: Names): Yield | undefined {
  return readCell(steps, 'matrix', at, names)
}

/** `item` is the axis of `forEach`. */
export function readCellItem(steps: readonly PathStep[], at: Span, names: Names): Yield | undefined {
  return readCell([{ by: 'name', name: 'item', at }, ...steps], 'item', at, names)
}

type Word = 'matrix' | 'item'

function readCell(steps: readonly PathStep[], word: Word, at: Span, names: Names): Yield | undefined {
  const cell = names.cell()
  if (cell === 'later') return undefined
  if (!cell || cell.known([]).length === 0 || (word === 'item' && !cell.isKnown(['item']))) {
    names.report(noAxes(word, at, cell))
    return undefined
  }
  const path: string[] = []
  let value: Filled | undefined
  for (const [index, step] of steps.entries()) {
    const found = index === 0 ? axisValue(cell.place, placeText(step)) : value && memberOf(value, step)
    if (found) path.push(stepName(value, step))
    else return missingInCell(cell, { path: [...path, placeText(step)], word, step }, names)
    value = found
  }
  const raw = value && rawIn(value)
  if (!raw) return value
  names.report(rawTemplate(raw, at))
  return undefined
}

/** The column as the table writes it. */
function stepName(within: Filled | undefined, step: PathStep): string {
  const name = placeText(step)
  return within?.kind === 'map' ? (entryLike(within, name)?.key.source ?? name) : name
}

function noAxes(word: Word, at: Span, cell: CellNames | undefined): Diagnostic {
  if (!cell) {
    const message = `\`${word}\` is known inside a job only`
    return error('unknown-name', at, message, 'each cell of a job has its own')
  }
  if (word === 'item') {
    const axes = cell.known([])
    const hint = axes.length > 0 ? `there is matrix.${axes[0]}` : 'write `forEach: lines.csv` into the job'
    return error('unknown-name', at, `the job ${cell.id} has no \`forEach\`, so there is no item`, hint)
  }
  const hint = 'write axes into the job, for instance `matrix: { colour: [red, blue] }`'
  return error('unknown-name', at, `the job ${cell.id} has no \`matrix\``, hint)
}

interface MissedStep {
  readonly path: readonly string[]
  readonly word: Word
  readonly step: PathStep
}

function missingInCell(cell: CellNames, { path, word, step }: MissedStep, names: Names): Yield | undefined {
  if (cell.isKnown(path)) return absent
  const above = path.slice(0, -1)
  const known = cell.known(above)
  const wanted = path.at(-1) ?? ''
  const near = nearest(wanted, known)
  const shown = (word === 'item' ? ['item', ...above.slice(1)] : ['matrix', ...above]).join('.')
  const hint = near
    ? `did you mean ${near}`
    : known.length > 0
      ? `there ${known.length === 1 ? 'is' : 'are'} ${listed(known.slice(0, 12))}`
      : `${shown} is a single value`
  const message =
    above.length === 0 ? `the job ${cell.id} has no axis ${wanted}` : `no ${shown} has ${article(wanted)}`
  names.report(error('unknown-name', step.at, message, hint))
  return undefined
}

function article(name: string): string {
  return `a ${name}`
}

/** `job.id`, `job.key` and `job.address`. */
export function readCellJob(steps: readonly PathStep[], names: Names): Yield | undefined {
  const [first, beyond] = steps
  const cell = names.cell()
  if (cell === 'later' || !first) return undefined
  if (!cell) {
    names.report(
      error(
        'unknown-name',
        first.at,
        '`job` is known inside a job only',
        'here write vars.<name>, or the words themselves',
      ),
    )
    return undefined
  }
  const words: { readonly [name: string]: string } = { id: cell.id, key: cell.key, address: cell.address }
  const name = placeText(first)
  const text = Object.hasOwn(words, name) ? words[name] : undefined
  if (text !== undefined && !beyond) return literalOf(text)
  const near = nearest(name, Object.keys(words))
  const hint = names.jobs.has(name)
    ? `did you mean jobs.${name}`
    : near && near !== name
      ? `did you mean ${near}`
      : 'there are job.id, job.key and job.address'
  const at = text === undefined ? first.at : (beyond?.at ?? first.at)
  const message =
    text === undefined ? `\`job\` has no ${name}` : `job.${name} is a single value, nothing is in it`
  names.report(error('unknown-name', at, message, hint))
  return undefined
}
