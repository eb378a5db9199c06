import { type Diagnostic, error, withNotes } from '../../base/diagnostic.ts'
import { foldPath, outputName, outputOfTake } from '../../base/output-name.ts'
import type { Span } from '../../base/source.ts'
import type { OutputKind } from '../../catalog/index.ts'
import { mediaEndings } from './output.ts'

/** Where a job's files go, all takes together. */
export interface Destination {
  /** The job's id. */
  readonly id: string
  /** What its files are called by in messages: the cell. */
  readonly name: string
  readonly output: string
  readonly kind: OutputKind
  readonly count: number
  readonly takes: number
  /** Its output when it wrote one, else its name. */
  readonly at: Span
}

/** Who writes which file, by kind of media and then by folded path. */
type Claims = { readonly [kind in OutputKind]: Map<string, Claim> }

interface Claim {
  readonly path: string
  readonly by: Destination
}

/**
 * Two files of one name, told at the later one. Names that differ by case or by the form of their accents are one, as
 * they are on many disks. Different kinds of media have different endings and do not collide.
 */
export function collidingOutputs(destinations: readonly Destination[]): Diagnostic[] {
  const claims: Claims = { image: new Map(), video: new Map(), audio: new Map(), file: new Map() }
  const told = new Set<Destination | string>()
  const problems: Diagnostic[] = []
  for (const by of destinations) {
    const known = claims[by.kind]
    for (const path of filesOf(by)) {
      const folded = foldPath(path)
      const first = known.get(folded)
      if (!first) known.set(folded, { path, by })
      else if (first.by !== by && !told.has(by) && !told.has(oneJob(by, first))) {
        told.add(by).add(oneJob(by, first))
        problems.push(collision(path, by, first))
      }
    }
  }
  const inFolders = destinations.filter(({ output }) => namesDottedFolder(output))
  return [...problems, ...inFolders.flatMap(by => folderCollision(by, claims) ?? [])]
}

/** Cells of one job that write one file are told once. */
function oneJob(by: Destination, first: Claim): Destination | string {
  return by.id === first.by.id ? by.id : by
}

/** Without ending. One file has the bare name, several are numbered. */
function filesOf({ output, count, takes }: Destination): string[] {
  if (takes === 1 && count === 1) return [outputName(outputOfTake(output, 1), 0, 1)]
  return Array.from({ length: takes }, (_, index) => outputOfTake(output, index + 1)).flatMap(name =>
    Array.from({ length: count }, (_, index) => outputName(name, index, count)),
  )
}

function collision(path: string, by: Destination, first: Claim): Diagnostic {
  const isOneJob = by.id === first.by.id
  const notes = isOneJob ? undefined : [{ message: `the output of ${first.by.name}`, at: first.by.at }]
  const hint = isOneJob
    ? 'write what sets the cells apart into `output`, for instance ${{ job.key }}'
    : 'give one of the jobs another `output`'
  if (path === first.path) {
    return withNotes(
      error(
        'same-output',
        by.at,
        `${isOneJob ? first.by.name : by.name} and ${isOneJob ? by.name : first.by.name} would both write ${path}`,
        hint,
      ),
      notes,
    )
  }
  const difference =
    path.toLowerCase() === first.path.toLowerCase() ? 'only by case' : 'only by how letters are encoded'
  const message = `${path} and ${first.path} differ ${difference}; many disks take them for one file`
  return withNotes(error('same-output', by.at, message, hint), notes)
}

function namesDottedFolder(output: string): boolean {
  const dot = output.indexOf('.')
  return dot >= 0 && dot < output.lastIndexOf('/')
}

/** `hero.png/a` needs a folder where another job puts the file hero.png. */
function folderCollision(by: Destination, claims: Claims): Diagnostic | undefined {
  const folders = by.output.split('/').slice(0, -1)
  for (const [index] of folders.entries()) {
    const folder = folders.slice(0, index + 1).join('/')
    const ending = /\.([^./]+)$/.exec(folder)?.[1]
    const kinds = Object.keys(mediaEndings) as OutputKind[] // The keys of a record of kinds.
    const kind = kinds.find(candidate => ending && mediaEndings[candidate].includes(ending.toLowerCase()))
    const first = kind && ending && claims[kind].get(foldPath(folder.slice(0, -ending.length - 1)))
    if (!first) continue
    const notes = [{ message: `the output of ${first.by.name}`, at: first.by.at }]
    return withNotes(
      error(
        'same-output',
        by.at,
        `${folder} is a folder here and a file of ${first.by.name}`,
        'rename the folder',
      ),
      notes,
    )
  }
  return undefined
}
