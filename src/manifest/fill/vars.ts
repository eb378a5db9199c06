import { error, warning } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import type { TextEntry, TextNode } from '../../text/tree.ts'
import type { Filled } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** The variables of a manifest. A value is looked up where it is used, and its text is a template too. */
export interface Vars {
  readonly entries: ReadonlyMap<string, TextEntry>
  /** Names that something read, for the warning about the others. */
  readonly used: Set<string>
  /** Values that are the same in every cell. */
  readonly filled: Map<string, Filled>
  /** Names that are being filled right now, outermost first. */
  readonly open: string[]
  /** How many characters templates have made so far. */
  made: number
  /** Whether what is being filled right now reads something of its cell. */
  readsCell: boolean
  /** What was probably meant by names that are not there. */
  readonly guesses: Map<string, string | undefined>
}

/** Where a cell keeps the values of variables that differ from cell to cell. */
export interface CellVars {
  vars?: Map<string, Filled>
}

export function varsOf(entries: ReadonlyMap<string, TextEntry>): Vars {
  return {
    entries,
    used: new Set(),
    filled: new Map(),
    open: [],
    made: 0,
    readsCell: false,
    guesses: new Map(),
  }
}

/** Longest chain of variables that read others further down. */
const deepest = 50

/** Fills all variables in written order, so that each is filled once and problems in unread ones are told. */
export function fillVars(vars: Vars, fill: (node: TextNode) => Filled): void {
  for (const [name, entry] of vars.entries) fillVar({ vars, cell: undefined, fill }, name, entry)
}

interface VarReading {
  readonly vars: Vars
  readonly cell: CellVars | undefined
  readonly fill: (node: TextNode) => Filled
}

function fillVar({ vars, cell, fill }: VarReading, name: string, entry: TextEntry): Filled {
  const known = vars.filled.get(name)
  if (known) return known
  const here = cell?.vars?.get(name)
  if (here) {
    vars.readsCell = true
    return here
  }
  const before = vars.readsCell
  vars.readsCell = false
  vars.open.push(name)
  const filled = fill(entry.value)
  vars.open.pop()
  if (!vars.readsCell) vars.filled.set(name, filled)
  else if (cell) {
    cell.vars ??= new Map()
    cell.vars.set(name, filled)
  }
  vars.readsCell ||= before
  return filled
}

interface VarLookup {
  readonly vars: Vars
  readonly cell: CellVars | undefined
  readonly fill: (node: TextNode) => Filled
  readonly report: ReportProblem
}

/** The value of a variable, filled in by `fill`; undefined when there is none, which is told at `at`. */
export function lookUp({ vars, cell, fill, report }: VarLookup, name: string, at: Span): Filled | undefined {
  const entry = vars.entries.get(name)
  if (!entry) {
    const near = variableLike(vars, name)
    if (near) vars.used.add(near)
    const hint = near ? `did you mean vars.${near}` : `write it under \`vars\`: \`${name}: …\``
    report(error('unknown-name', at, `there is no variable ${name}`, hint))
    return undefined
  }
  vars.used.add(name)
  if (vars.open.includes(name)) {
    const circle = [...vars.open.slice(vars.open.indexOf(name)), name].join(' → ')
    report(
      error(
        'circular-vars',
        at,
        `the variables read each other in a circle: ${circle}`,
        'write one of them out',
      ),
    )
    return undefined
  }
  if (vars.open.length >= deepest && !vars.filled.has(name)) {
    const message = `more than ${deepest} variables read each other here, each the next further down`
    report(error('circular-vars', at, message, 'write variables above those that read them'))
    return undefined
  }
  return fillVar({ vars, cell, fill }, name, entry)
}

/** The variable that was probably meant. Each name is looked for once, and only so many names at all. */
export function variableLike(vars: Vars, name: string): string | undefined {
  if (!vars.guesses.has(name) && vars.guesses.size < 50)
    vars.guesses.set(name, nearest(name, vars.entries.keys()))
  return vars.guesses.get(name)
}

/** Warns about variables of a file that nothing reads. A shared file serves other manifests too. */
export function tellUnusedVars(vars: Vars, file: SourceFile, report: ReportProblem): void {
  for (const [name, { key }] of vars.entries) {
    if (!vars.used.has(name) && key.file === file)
      report(warning('unused-var', key, `nothing reads the variable ${name}`, 'use it or remove it'))
  }
}
