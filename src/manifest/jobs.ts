import { type Diagnostic, error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import { type Model, outputKind, usualMode } from '../catalog/index.ts'
import { expectOf } from '../forms/expect.ts'
import type { Cell } from './expand.ts'
import type { FilledEntry } from './filled.ts'
import type { FileRef, Job, Locate } from './job.ts'
import { outputOfTake, readOutput } from './output.ts'
import type { Cast } from './params.ts'
import { descend, keyOf } from './placing.ts'
import { readNeed } from './rules/needs.ts'
import type { Destination } from './rules/outputs.ts'
import type { Tell } from './tell.ts'
import { isNothing } from './values.ts'

/** A cell that is right by itself: with its parameters and the place of its files. */
export interface Settled {
  readonly cell: Cell
  readonly model: Model
  readonly cast: Cast
  readonly destination: Destination
}

export function settle(cell: Cell, model: Model, cast: Cast, tell: Tell): Settled {
  const { draft, own } = cell
  const kind = outputKind(model)
  const at = own.output?.at ?? draft.at
  const output = readOutput(own.output?.text ?? draft.id, at, kind)
  if (typeof output !== 'string') tell(output)
  const destination = {
    id: draft.id,
    output: typeof output === 'string' ? output : draft.id,
    kind,
    count: expectOf(model, cast.params).count,
    takes: own.takes,
    at,
  }
  return { cell, model, cast, destination }
}

/** The most jobs that a manifest may come to. */
export const mostJobs = 100_000

/** All takes of all cells, in written order. The manifest has no errors. */
export function jobsOf(settled: readonly Settled[]): Job[] {
  const takes = new Map(settled.map(({ cell }) => [cell.draft.id, cell.own.takes]))
  return settled.flatMap(one => {
    const needs = needsOf(one, takes)
    const locate = locator(one.cell)
    return Array.from({ length: one.cell.own.takes }, (_, index) => jobOf(one, index + 1, needs, locate))
  })
}

export function tooManyJobs(cells: readonly Cell[]): Diagnostic | undefined {
  let count = 0
  for (const { own, ownEntries, draft } of cells) {
    count += own.takes
    if (count <= mostJobs) continue
    const at = ownEntries.get('takes')?.value ?? draft.at
    const message = `up to here there are ${count} jobs; a manifest comes to ${mostJobs} at most`
    return error('too-many-jobs', at, message, 'split the manifest')
  }
  return undefined
}

function jobOf(
  { cell, model, cast, destination }: Settled,
  take: number,
  needs: readonly JobAddress[],
  locate: Locate,
): Job {
  const { draft, own } = cell
  return {
    address: takeAddress(cell.address, take),
    model,
    mode: own.mode ?? usualMode(model),
    params: cast.params,
    files: cast.files,
    needs,
    output: outputOfTake(destination.output, take),
    count: destination.count,
    take,
    tags: own.tags,
    ...(own.workflow !== undefined && { workflow: own.workflow }),
    ...(own.timeoutMs !== undefined && { timeoutMs: own.timeoutMs }),
    retries: own.retries,
    at: draft.at,
    locate,
  }
}

/** `hero`, `hero#2`. */
function takeAddress(address: JobAddress, take: number): JobAddress {
  return take === 1 ? address : jobAddress(`${address}#${take}`)
}

function needsOf({ cell, cast }: Settled, takes: ReadonlyMap<string, number>): JobAddress[] {
  const refs: FileRef[] = Object.values(cast.files).flat()
  const forFiles = refs.flatMap(ref => (ref.from === 'job' ? [ref.address] : []))
  const named = cell.own.needs.flatMap(({ text }) => {
    const { id, take } = readNeed(text)
    if (take !== undefined) return [takeAddress(jobAddress(id), take)]
    return Array.from({ length: takes.get(id) ?? 0 }, (_, index) => takeAddress(jobAddress(id), index + 1))
  })
  return [...new Set([...forFiles, ...named])]
}

/** Finds the text of parameters and of the job's own keys, defaults included. */
function locator(cell: Cell): Locate {
  const entries = new Map<string, FilledEntry>([...cell.given, ...cell.ownEntries])
  return (path, part = 'value') => {
    const entry = entries.get(String(path[0]))
    if (!entry) return cell.draft.at
    if (part === 'key') return keyOf(entry, path)
    const node = descend(entry.value, path.slice(1))
    return isNothing(node) ? keyOf(entry, path) : node
  }
}
