import { error, warning } from '../base/diagnostic.ts'
import { nearest } from '../base/nearest.ts'
import type { Span } from '../base/source.ts'
import type { TextEntry, TextMap, TextNode } from '../text/tree.ts'
import type { Filled } from './filled.ts'
import { isFree } from './shape.ts'
import type { Tell } from './tell.ts'

/** The variables of a manifest. A value is looked up where it is used, and its text is a template too. */
export interface Vars {
  readonly entries: ReadonlyMap<string, TextEntry>
  /** Names that something read, for the warning about the others. */
  readonly used: Set<string>
  readonly filled: Map<string, Filled>
  /** Names that are being filled right now, outermost first. */
  readonly open: string[]
  /** How many characters templates have made so far. */
  made: number
}

export function varsOf(map: TextMap | undefined): Vars {
  const entries = (map?.entries ?? []).filter(entry => !isFree(entry.key.source))
  return {
    entries: new Map(entries.map(entry => [entry.key.source, entry])),
    used: new Set(),
    filled: new Map(),
    open: [],
    made: 0,
  }
}

/** Longest chain of variables that read each other. */
const deepest = 50

/** The value of a variable, filled in by `fill`; undefined when there is none, which is told at `at`. */
export function lookUp(
  vars: Vars,
  name: string,
  at: Span,
  fill: (node: TextNode) => Filled,
  tell: Tell,
): Filled | undefined {
  const entry = vars.entries.get(name)
  if (!entry) {
    const near = nearest(name, vars.entries.keys())
    if (near) vars.used.add(near)
    const hint = near ? `did you mean vars.${near}` : `write it under \`vars\`: \`${name}: …\``
    tell(error('unknown-name', at, `there is no variable ${name}`, hint))
    return undefined
  }
  vars.used.add(name)
  const known = vars.filled.get(name)
  if (known) return known
  if (vars.open.includes(name) || vars.open.length >= deepest) {
    const circle = [...vars.open.slice(Math.max(0, vars.open.indexOf(name))), name].slice(-6)
    tell(error('circular-vars', at, `the variables read each other in a circle: ${circle.join(' → ')}`))
    return undefined
  }
  vars.open.push(name)
  const filled = fill(entry.value)
  vars.open.pop()
  vars.filled.set(name, filled)
  return filled
}

/** Fills the variables that nothing read, for the problems in them. */
export function fillUnread(vars: Vars, fill: (node: TextNode) => Filled): void {
  for (const [name, entry] of vars.entries) if (!vars.used.has(name)) fill(entry.value)
}

/** Warns about variables that nothing reads. */
export function tellUnusedVars(vars: Vars, tell: Tell): void {
  for (const [name, { key }] of vars.entries) {
    if (!vars.used.has(name))
      tell(warning('unused-var', key, `nothing reads the variable ${name}`, 'use it or remove it'))
  }
}
