/** What an order of things that need each other comes to. */
interface Order<T> {
  /** Everything behind what it needs, otherwise as given; without the members of circles and what needs them. */
  readonly order: readonly T[]
  /** The first twenty circles, each as a path: every member needs the next, the last needs the first. */
  readonly circles: readonly (readonly T[])[]
}

/** Sorts by need, in time proportional to things and needs. Needs that are not among the things do not count. */
export function orderByNeeds<T>(things: readonly T[], needsOf: (thing: T) => readonly T[]): Order<T> {
  const known = new Set(things)
  const state = new Map<T, 'open' | 'done' | 'circular'>()
  const order: T[] = []
  const circles: T[][] = []
  for (const root of things) {
    if (state.has(root)) continue
    // Walked with a stack of our own: chains may be as long as the manifest.
    const path: Visit<T>[] = [visit(root, needsOf, known)]
    state.set(root, 'open')
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const need = top.needs[top.next++]
      if (need === undefined) {
        path.pop()
        state.set(top.thing, top.isCircular ? 'circular' : 'done')
        if (!top.isCircular) order.push(top.thing)
        const parent = path.at(-1)
        if (parent && top.isCircular) parent.isCircular = true
        continue
      }
      const seen = state.get(need)
      if (seen === 'circular') top.isCircular = true
      if (seen === 'open') {
        top.isCircular = true
        if (circles.length < mostCircles) circles.push(circleOf(path, need))
      }
      if (!seen) {
        state.set(need, 'open')
        path.push(visit(need, needsOf, known))
      }
    }
  }
  return { order, circles }
}

const mostCircles = 20

interface Visit<T> {
  readonly thing: T
  readonly needs: readonly T[]
  next: number
  isCircular: boolean
}

function circleOf<T>(path: readonly Visit<T>[], first: T): T[] {
  return path.slice(path.findIndex(step => step.thing === first)).map(step => step.thing)
}

function visit<T>(thing: T, needsOf: (thing: T) => readonly T[], known: ReadonlySet<T>): Visit<T> {
  return { thing, needs: needsOf(thing).filter(need => known.has(need)), next: 0, isCircular: false }
}
