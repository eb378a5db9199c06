import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../../base/names.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { fitsStars } from '../../base/wildcard.ts'
import { keyText } from '../fill/keys.ts'
import type { Coordinates } from '../shapes/coordinates.ts'
import type { Selector } from '../shapes/filled.ts'
import type { Cell } from './expand.ts'
import { unknownAxis } from './patterns.ts'

/** A job whose cells are chosen from. */
interface Choice {
  readonly draft: { readonly id: string }
  readonly axes: readonly string[]
  readonly cells: readonly Cell[]
}

/** A cell and, where a take was chosen, the address of that take. */
export interface Chosen {
  readonly cell: Cell
  readonly address: JobAddress
}

/**
 * The cells that a reference means, in the order of the matrix: on the axes that `from`, the cell that refers, has as well
 * keys are equal, a selector decides its axes itself, and all other axes are free.
 */
export function selectCells(
  choice: Choice,
  selector: Selector | undefined,
  from: Coordinates | undefined,
): readonly Chosen[] | Diagnostic {
  const wanted = wantedKeys(choice, selector, from)
  if ('code' in wanted) return wanted
  const cells = cellsWith(choice, wanted)
  const take = selector?.take
  if (take === undefined) return cells.map(cell => ({ cell, address: cell.address }))
  const short = cells.find(cell => take < 1 || take > cell.own.takes)
  if (selector && short) {
    const has = short.own.takes === 1 ? 'one take' : `${short.own.takes} takes`
    const hint =
      take > 1
        ? `write takes: ${take} into ${choice.draft.id}, or name a take that is there`
        : 'takes count from 1'
    return error('unknown-job', selector.at, `${short.address} has ${has}, there is no #${take}`, hint)
  }
  return cells.map(cell => ({ cell, address: takeAddress(cell.address, take) }))
}

/** `hero`, `hero#2`. */
export function takeAddress(address: JobAddress, take: number): JobAddress {
  return take === 1 ? address : jobAddress(`${address}#${take}`)
}

/** By axis: its key, a glob of keys, or nothing where the axis is free. */
type Wanted = readonly (string | undefined)[]

function wantedKeys(
  choice: Choice,
  selector: Selector | undefined,
  from: Coordinates | undefined,
): Wanted | Diagnostic {
  const shared = choice.axes.map(axis => {
    const index = from?.axes.indexOf(axis) ?? -1
    return from?.at[index]?.key
  })
  if (!selector || selector.words.length === 0) return shared
  const { words, at } = selector
  if (words.length === 1 && words[0] === '*') return choice.axes.map(() => undefined)
  if (choice.axes.length === 0)
    return error(
      'bad-selector',
      at,
      `the job ${choice.draft.id} has no cells to choose from`,
      'leave the brackets out',
    )
  return words.some(word => word.includes('='))
    ? byAxis(choice, words, at, shared)
    : byPlace(choice, words, at)
}

function byAxis(
  choice: Choice,
  words: readonly string[],
  at: Diagnostic['at'],
  shared: Wanted,
): Wanted | Diagnostic {
  const wanted = [...shared]
  for (const word of words) {
    const axis = word.slice(0, Math.max(0, word.indexOf('='))).trim()
    const index = choice.axes.indexOf(axis)
    if (index < 0) return unknownAxis(axis || word, at, choice.axes)
    const key = readKey(choice, index, word.slice(word.indexOf('=') + 1).trim(), at)
    if (typeof key === 'object') return key
    wanted[index] = key
  }
  return wanted
}

function byPlace(choice: Choice, words: readonly string[], at: Diagnostic['at']): Wanted | Diagnostic {
  if (words.length !== choice.axes.length) {
    const hint = `write a key for each, or only some with their names: ['${choice.axes[0]}=…']`
    const axes = choice.axes.length === 1 ? 'one axis' : `${choice.axes.length} axes`
    return error('bad-selector', at, `${choice.draft.id} has ${axes}: ${listed(choice.axes)}`, hint)
  }
  const keys: (string | undefined)[] = []
  for (const [index, word] of words.entries()) {
    const key = readKey(choice, index, word, at)
    if (typeof key === 'object') return key
    keys.push(key)
  }
  return keys
}

function readKey(
  choice: Choice,
  index: number,
  word: string,
  at: Diagnostic['at'],
): string | undefined | Diagnostic {
  if (word === '*') return undefined
  if (word.includes('*')) return word
  const key = keyText(word)
  const keys = keysOn(choice, index)
  if (keys.has(key)) return key
  const near = nearest(key, keys)
  const some = listed([...keys].slice(0, 8))
  const hint = near ? `did you mean ${near}` : `it has ${some}`
  return error('unknown-job', at, `the axis ${choice.axes[index]} of ${choice.draft.id} has no ${word}`, hint)
}

interface Index {
  readonly keys: Map<number, ReadonlySet<string>>
  /** By which axes are asked for, then by their keys. */
  readonly cells: Map<string, Map<string, Cell[]>>
}

// Every cell of a large job asks the same of another large job.
const indexes = new WeakMap<readonly Cell[], Index>()

function indexOf({ cells }: Choice): Index {
  const known = indexes.get(cells) ?? { keys: new Map(), cells: new Map() }
  indexes.set(cells, known)
  return known
}

function keysOn(choice: Choice, axis: number): ReadonlySet<string> {
  const index = indexOf(choice)
  const known = index.keys.get(axis) ?? new Set(choice.cells.map(({ place }) => place.at[axis]?.key ?? ''))
  index.keys.set(axis, known)
  return known
}

function cellsWith(choice: Choice, wanted: Wanted): readonly Cell[] {
  if (wanted.every(key => key === undefined)) return choice.cells
  const asked = wanted.flatMap((key, axis) => (key === undefined || key.includes('*') ? [] : [axis]))
  const byKeys = indexOf(choice).cells
  const known = byKeys.get(asked.join()) ?? grouped(choice.cells, asked)
  byKeys.set(asked.join(), known)
  const found = known.get(asked.map(axis => wanted[axis]).join('\0')) ?? []
  const globs = wanted.flatMap((key, axis) => (key?.includes('*') ? [{ axis, pattern: key }] : []))
  if (globs.length === 0) return found
  return found.filter(({ place }) =>
    globs.every(({ axis, pattern }) => fitsStars(pattern, place.at[axis]?.key ?? '')),
  )
}

function grouped(cells: readonly Cell[], axes: readonly number[]): Map<string, Cell[]> {
  const groups = new Map<string, Cell[]>()
  for (const cell of cells) {
    const key = axes.map(axis => cell.place.at[axis]?.key).join('\0')
    const group = groups.get(key)
    if (group) group.push(cell)
    else groups.set(key, [cell])
  }
  return groups
}
