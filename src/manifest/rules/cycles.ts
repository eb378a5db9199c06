import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import type { CellFamily } from '../expand/families.ts'
import { readNeed } from '../resolve/needs.ts'
import { referencesIn } from '../shapes/filled.ts'
import { orderByNeeds } from '../shapes/order.ts'
import type { RuleJobs } from './rule.ts'

/** One job needs another: for a file, or because `needs` says so. */
interface Need {
  readonly from: string
  readonly to: string
  readonly at: Span
}

/** By jobs, and only where cells are in a circle of jobs, by cells: one cell may well need another of its job. */
export function circles({ families, settled }: RuleJobs): readonly Diagnostic[] {
  const byJob = [...families.values()].flatMap(family => needsBetween(family))
  if (byJob.length === 0) return []
  const ofJobs = circularNeeds([...families.keys()], byJob)
  const hasCells = [...families.values()].some(family => family.axes.length > 0)
  if (ofJobs.length === 0 || !hasCells) return ofJobs
  const needs = settled.flatMap(({ cell, needs: own }) =>
    own.map(({ address, at }): Need => ({ from: cell.address, to: firstTakeOf(address), at })),
  )
  // One circle of jobs is as many circles as it has cells.
  const seen = new Set<number>()
  const ofCells = circularNeeds(
    settled.map(one => one.cell.address),
    needs,
  )
  return ofCells.filter(({ at }) => !seen.has(at.start) && seen.add(at.start))
}

function firstTakeOf(address: string): string {
  return address.replace(/#\d+$/, '')
}

const noNeeds: readonly Need[] = []

/** Every need of a job's cells between jobs, each once. */
function needsBetween({ draft, cells }: CellFamily): readonly Need[] {
  let needs: Map<string, Need> | undefined
  const add = (to: string, at: Span) => {
    needs ??= new Map()
    if (!needs.has(to)) needs.set(to, { from: draft.id, to, at })
  }
  for (const { given, own } of cells) {
    for (const { value } of given)
      if (value.kind !== 'scalar') for (const ref of referencesIn(value)) add(ref.job, ref)
    for (const word of own.needs) add(readNeed(word).id, word.at)
  }
  return needs ? [...needs.values()] : noNeeds
}

/** Jobs that wait for each other, each circle once, told at its first need in the text. */
function circularNeeds(ids: readonly string[], needs: readonly Need[]): Diagnostic[] {
  const byJob = new Map<string, Need[]>()
  for (const need of needs) {
    const known = byJob.get(need.from)
    if (known) known.push(need)
    else byJob.set(need.from, [need])
  }
  const { circles } = orderByNeeds(ids, id => byJob.get(id)?.map(need => need.to) ?? [])
  const place = new Map(ids.map((id, index) => [id, index]))
  return circles.map(circle => circleProblem(fromFirst(circle, place), byJob))
}

function fromFirst(circle: readonly string[], place: ReadonlyMap<string, number>): string[] {
  const order = (id: string) => place.get(id) ?? 0
  const first = circle.reduce((best, id) => (order(id) < order(best) ? id : best))
  const at = circle.indexOf(first)
  return [...circle.slice(at), ...circle.slice(0, at)]
}

function circleProblem(circle: readonly string[], byJob: ReadonlyMap<string, readonly Need[]>): Diagnostic {
  const edges = circle.flatMap((id, index) => {
    const next = circle[(index + 1) % circle.length]
    return byJob.get(id)?.find(need => need.to === next) ?? []
  })
  const [first, ...others] = edges
  if (!first) throw new Error('a circle without needs')
  if (circle.length === 1)
    return error('circular-needs', first.at, `${first.from} needs itself`, 'remove it from here')
  const shown = circle.length > 8 ? [...circle.slice(0, 6), '…', ...circle.slice(-1)] : circle
  const message = `these jobs wait for each other: ${[...shown, circle[0]].join(' → ')}`
  const notes = others
    .slice(0, 8)
    .map(need => ({ message: `${need.from} waits for ${need.to} here`, at: need.at }))
  return withNotes(error('circular-needs', first.at, message, 'remove one of these needs'), notes)
}
