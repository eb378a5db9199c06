import type { JobAddress, Json } from '../../base/names.ts'
import type { Span } from '../../base/source.ts'
import type { TextScalar } from '../../text/tree.ts'

/**
 * A value whose templates are filled in. Nodes still are the spans they were written at, so a tree without templates
 * is filled as it is.
 */
export type Filled = FilledMap | FilledList | FilledScalar | Reference | Unfilled

export interface FilledMap extends Span {
  readonly kind: 'map'
  readonly entries: readonly FilledEntry[]
  /** A row of a table: its columns ignore case. */
  readonly isRow?: true
}

export interface FilledEntry {
  readonly key: TextScalar
  readonly value: Filled
}

interface FilledList extends Span {
  readonly kind: 'list'
  readonly items: readonly Filled[]
}

export interface FilledScalar extends TextScalar {
  /** Where the value really stands, when it came from elsewhere as a whole: the variable's value, a cell of a table. */
  readonly origin?: Span | undefined
  /** The origin is data of this one cell: what is wrong is wrong there. */
  readonly isData?: true | undefined
  /** Text that was never given a type: from a table or the command line. The catalog says what it is. */
  readonly isUntyped?: true | undefined
  /** Data with a `${{` in it. Nothing is filled in there, so nobody may read it: the braces would be sent. */
  readonly isRaw?: true | undefined
  /** Put together from parts. */
  readonly isMade?: true | undefined
  /** Other cells have a value here and this one has none: as if the key were not written. */
  readonly isAbsent?: true | undefined
}

/** Files of another job: `${{ jobs.hero.output }}`. */
export interface Reference extends Span {
  readonly kind: 'reference'
  readonly job: string
  /** The job's name inside the expression. */
  readonly jobAt: Span
  readonly files: ReferencedFiles
  readonly selector?: Selector
}

/** A cell or take of a job, chosen in brackets: keys in the order of the axes, `axis=key`, `*`. */
export interface Selector {
  readonly at: Span
  readonly words: readonly string[]
  readonly take?: number
}

export type ReferencedFiles =
  /** Exactly one file. */
  | { readonly which: 'output' }
  | { readonly which: 'all' }
  /** Counted from 0. */
  | { readonly which: 'nth'; readonly nth: number; readonly at: Span }
  /** The file that a person marked. */
  | { readonly which: 'pick' }
  /** One file of one cell, as an axis over files has it. */
  | { readonly which: 'cell'; readonly address: JobAddress; readonly nth: number }
  /** No file: the cells of the job, as axes of another. */
  | { readonly which: 'matrix' }

/** A template that could not be filled; why is already told. */
interface Unfilled extends Span {
  readonly kind: 'unfilled'
}

/** Whether something is missing somewhere inside, about which nothing more can be said. */
export function isUnfilled(node: Filled): boolean {
  switch (node.kind) {
    case 'unfilled':
      return true
    case 'map':
      return node.entries.some(entry => isUnfilled(entry.value))
    case 'list':
      return node.items.some(isUnfilled)
    case 'scalar':
    case 'reference':
      return false
  }
}

/** The plain value. `fileText` gives a stand-in for what is a file and not a value. */
export function filledJson(node: Filled, fileText: (node: Reference | Unfilled) => Json): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(item => filledJson(item, fileText))
    case 'map':
      return Object.fromEntries(
        node.entries.map(({ key, value }) => [key.source, filledJson(value, fileText)]),
      )
    case 'reference':
    case 'unfilled':
      return fileText(node)
  }
}

/** All references inside, in order. */
export function referencesIn(node: Filled): Reference[] {
  switch (node.kind) {
    case 'reference':
      return [node]
    case 'list':
      return node.items.flatMap(referencesIn)
    case 'map':
      return node.entries.flatMap(entry => referencesIn(entry.value))
    case 'scalar':
    case 'unfilled':
      return []
  }
}
