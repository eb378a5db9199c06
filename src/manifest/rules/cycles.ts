import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import { orderByNeeds } from '../shapes/order.ts'

/** One job needs another: for a file, or because `needs` says so. */
export interface Need {
  readonly from: string
  readonly to: string
  readonly at: Span
}

/** Jobs that wait for each other, each circle once, told at its first need in the text. */
export function circularNeeds(ids: readonly string[], needs: readonly Need[]): Diagnostic[] {
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
