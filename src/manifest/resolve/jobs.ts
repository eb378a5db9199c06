import { defined } from '../../base/defined.ts'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { namesTakes, outputOfTake } from '../../base/output-name.ts'
import type { Span } from '../../base/source.ts'
import { type Model, outputKind, usualMode } from '../../catalog/index.ts'
import { outputCount } from '../../forms/expect.ts'
import { entryIn } from '../../text/tree.ts'
import type { Cell } from '../expand/expand.ts'
import { takeAddress } from '../expand/select-cells.ts'
import { ownEntry } from '../read/shape.ts'
import { isNothing } from '../read/values.ts'
import { keysAt, mostJobs } from '../shapes/coordinates.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { Job, Manifest, Origin, Path, WrittenJob } from '../shapes/job.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import type { NamedNeed } from './needs.ts'
import { type ValueSources, valueOrigin, type WrittenCell } from './origin.ts'
import { readOutput } from './output.ts'
import type { Destination } from './outputs.ts'
import type { CastParams } from './params.ts'
import { descend, keySpan } from './placing.ts'

/** A cell that is right by itself: with its parameters and the place of its files. */
export interface SettledJob {
  readonly cell: Cell
  readonly model: Model
  readonly cast: CastParams
  readonly destination: Destination
  /** Jobs that must be done first: those whose files it uses, then those that `needs` names. */
  readonly needs: readonly NamedNeed[]
}

interface CastCell {
  readonly cell: Cell
  readonly model: Model
  readonly cast: CastParams
}

export function settle(
  { cell, model, cast }: CastCell,
  named: readonly NamedNeed[],
  report: ReportProblem,
): SettledJob {
  const { draft, address } = cell
  const kind = outputKind(model)
  const written = cell.output === undefined ? undefined : ownEntry(cell.ownEntries, 'output')
  const at = written?.value ?? draft.at
  const keys = keysAt(cell.place)
  const usual = keys.length === 0 ? draft.id : `${draft.id}/${keys.join('_')}`
  const output = readOutput(cell.output ?? usual, at, kind)
  if (typeof output !== 'string') report(output)
  const destination = {
    id: draft.id,
    name: address,
    output: typeof output === 'string' ? output : usual,
    kind,
    count: outputCount(model, cast.params),
    takes: cell.own.takes,
    at,
  }
  const needs = named.length === 0 ? cast.waits : [...cast.waits, ...named]
  return { cell, model, cast, destination, needs }
}

/** As a manifest has them. */
export type JobsMade = Required<Pick<Manifest, 'jobs' | 'letGo'>>

/** All takes of all cells, in written order. The manifest has no errors. */
export function jobsOf(settled: readonly SettledJob[], valueSources: ValueSources): JobsMade {
  const jobs: Job[] = []
  const cells: WrittenCell[] = []
  const all = { cells, valueSources }
  for (const one of settled) {
    const needs = one.needs.length === 0 ? noNeeds : [...new Set(one.needs.map(need => need.address))]
    const { draft, place, ownEntries, given } = one.cell
    const written = new WrittenCellJob(all, cells.length, draft.at)
    // No more is kept of what a job was settled from, as there may be a hundred thousand.
    cells.push({ draft, place, ownEntries, given })
    const shared = { needs, written }
    for (let take = 1; take <= one.cell.own.takes; take++) jobs.push(jobOf(one, take, shared))
  }
  return {
    jobs,
    letGo() {
      cells.length = 0
    },
  }
}

const noNeeds: Job['needs'] = []

export function tooManyJobs(cells: readonly Cell[]): Diagnostic | undefined {
  let count = 0
  for (const { own, ownEntries, draft } of cells) {
    count += own.takes
    if (count <= mostJobs) continue
    const at = ownEntry(ownEntries, 'takes')?.value ?? draft.at
    const message = `up to here there are ${count} jobs; a manifest comes to ${mostJobs} at most`
    return error('too-many-jobs', at, message, 'split the manifest')
  }
  return undefined
}

function jobOf(
  { cell, model, cast, destination }: SettledJob,
  take: number,
  shared: Pick<Job, 'needs' | 'written'>,
): Job {
  const { draft, own } = cell
  const { axes } = cell.place
  const service = own.service ?? model.service
  return {
    address: takeAddress(cell.address, take),
    ...(axes.length > 0 && { axes }),
    model,
    mode: own.mode ?? usualMode(model),
    params: cast.params,
    files: cast.files,
    ...shared,
    output: outputOfTake(destination.output, take),
    ...(namesTakes(destination.output) && { outputPattern: destination.output }),
    count: destination.count,
    take,
    tags: own.tags,
    ...defined({ workflow: own.workflow, service, timeoutMs: own.timeoutMs }),
    retries: own.retries,
    ...(own.isApprovalRequired && { isApprovalRequired: true as const }),
    ...defined({ shortDelivery: own.shortDelivery, gate: own.gate, retakes: own.retakes }),
    at: draft.at,
  }
}

interface WrittenCells {
  readonly cells: readonly WrittenCell[]
  readonly valueSources: ValueSources
}

/** A job of a cell, as long as its cell is kept. */
class WrittenCellJob implements WrittenJob {
  readonly #all: WrittenCells
  readonly #nth: number
  readonly #at: Span

  constructor(all: WrittenCells, nth: number, at: Span) {
    this.#all = all
    this.#nth = nth
    this.#at = at
  }

  locate(path: Path, part?: 'key' | 'value'): Span {
    const cell = this.#all.cells[this.#nth]
    return cell ? located(cell, path, part) : this.#at
  }

  originOf(name: string): Origin | undefined {
    const { cells, valueSources } = this.#all
    const cell = cells[this.#nth]
    return cell && valueOrigin(cell, valueSources, name)
  }
}

/** Finds the text of parameters and of the job's own keys, defaults included. */
function located(cell: WrittenCell, path: Path, part: 'key' | 'value' = 'value'): Span {
  const name = String(path[0])
  // The names of own keys are no others.
  const entry: FilledEntry | undefined = entryIn(cell.ownEntries, name) ?? entryIn(cell.given, name)
  if (!entry) return cell.draft.at
  if (part === 'key') return keySpan(entry, path)
  const node = descend(entry.value, path.slice(1))
  return isNothing(node) ? keySpan(entry, path) : node
}
