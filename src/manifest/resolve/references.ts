import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { JobAddress } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import type { OutputKind } from '../../catalog/index.ts'
import type { Cell } from '../expand/expand.ts'
import type { CellFamily, Families } from '../expand/families.ts'
import { countJoin, isJoinedOut } from '../expand/joins.ts'
import { type Chosen, selectCells } from '../expand/select-cells.ts'
import { cellsPath, jobPath } from '../fill/job-path.ts'
import type { Reference } from '../shapes/filled.ts'
import { type Intake, mediaWord } from '../shapes/intake.ts'
import type { FileRef } from '../shapes/job.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'

/** Who wants a file, and where it goes. */
interface Wanting {
  readonly cell: Cell
  readonly intake: Intake
}

/**
 * The files that a reference means, where one is wanted or several. Undefined when it means none, which is told: the cell
 * or the file is not there, is of another kind, or cannot be one file.
 */
export function resolveReference(
  ref: Reference,
  wanting: Wanting,
  families: Families,
  report: ReportProblem,
): FileRef[] | undefined {
  const family = families.get(ref.job)
  if (!family?.isWhole || isJoinedOut(families)) return undefined
  const files = filesOf(ref, family, wanting, families)
  if (!files) return undefined
  if (!('code' in files)) return files
  report(files)
  return undefined
}

function filesOf(
  ref: Reference,
  family: CellFamily,
  wanting: Wanting,
  families: Families,
): FileRef[] | Diagnostic | undefined {
  const { files } = ref
  const { intake, cell } = wanting
  if (files.which === 'cell') {
    const kind = family.cells[0]?.makes?.kind
    const mismatch = kind && mediaMismatch(ref, intake, ref.job, kind)
    return mismatch ?? [{ from: 'job', address: files.address, nth: files.nth }]
  }
  const chosen = selectCells(family, ref.selector, cell.place)
  if ('code' in chosen) return chosen
  if (chosen.length === 0) return noCell(ref, family, cell)
  const excess = countJoin(families, chosen.length, ref)
  // Where one file is wanted it is the number of cells that is wrong, and told.
  if (excess && (files.which === 'all' || files.which === 'nth')) return excess
  if (chosen.some(each => !each.cell.makes)) return undefined
  for (const { cell: producer } of chosen) {
    const mismatch = producer.makes && mediaMismatch(ref, intake, ref.job, producer.makes.kind)
    if (mismatch) return mismatch
  }
  return chosenFiles(ref, family, chosen, intake)
}

function chosenFiles(
  ref: Reference,
  family: CellFamily,
  chosen: readonly Chosen[],
  intake: Intake,
): FileRef[] | Diagnostic {
  const [first] = chosen
  const { files } = ref
  switch (files.which) {
    case 'output':
    case 'pick':
      if (!first || chosen.length > 1) return severalCells(ref, { family, chosen, takesAll: intake.isList })
      if (countOf(first.cell) > 1)
        return notOneFile(ref, {
          address: first.cell.address,
          count: countOf(first.cell),
          takesAll: intake.isList,
        })
      return [{ from: 'job', address: first.address, nth: files.which === 'pick' ? 'pick' : 0 }]
    case 'all': {
      const all = allFiles(chosen)
      if (intake.isList || all.length === 1) return all
      if (!first || chosen.length > 1) return severalCells(ref, { family, chosen, takesAll: false }, intake)
      return notOneFile(ref, { address: first.cell.address, count: all.length, takesAll: false }, intake)
    }
    case 'nth': {
      const all = allFiles(chosen)
      const file = all[files.nth]
      return file ? [file] : beyondCount(files.at, ref, files.nth, all.length)
    }
    case 'cell':
    case 'matrix':
      throw new Error(`a reference to ${files.which} is no choice of files`)
  }
}

function allFiles(chosen: readonly Chosen[]): FileRef[] {
  return chosen.flatMap(({ cell, address }) =>
    Array.from({ length: countOf(cell) }, (_, nth): FileRef => ({ from: 'job', address, nth })),
  )
}

function countOf(cell: Cell): number {
  return cell.makes?.count ?? 0
}

function noCell(ref: Reference, family: CellFamily, cell: Cell): Diagnostic {
  const { id } = family.draft
  if (family.cells.length === 0)
    return error('no-cell', ref, `the job ${id} has no cells`, 'its `if` is false for all of them')
  const shared = family.axes.filter(axis => cell.place.axes.includes(axis))
  const message = `no cell of ${id} goes with ${cell.address}`
  const joined = shared.length > 0 ? `they are joined by ${listed(shared)}; ` : ''
  const free = shared[0] === undefined ? `['*']` : `['${shared[0]}=*']`
  return error('no-cell', ref, message, `${joined}${jobPath(id)}${free}.outputs leaves that free`)
}

interface CellsMeant {
  readonly family: CellFamily
  readonly chosen: readonly Chosen[]
  readonly takesAll: boolean
}

/** The ways out: all of them, one of them, or a common axis. */
function severalCells(ref: Reference, { family, chosen, takesAll }: CellsMeant, intake?: Intake): Diagnostic {
  const { id } = family.draft
  const some = chosen.slice(0, 3).map(each => each.cell.address)
  const names = chosen.length > 3 ? `${some.join(', ')} …` : listed(some)
  const message = intake
    ? `${intake.name} takes one file, and here are ${chosen.length} cells: ${names}`
    : `\`${ref.files.which}\` means one file, and here are ${chosen.length} cells: ${names}`
  const open = openAxes(ref, family, chosen)
  const word = ref.files.which === 'pick' ? 'pick' : 'output'
  const keys = open.map(axis => `${family.axes[axis]}=${chosen[0]?.cell.place.at[axis]?.key}`).join(',')
  const all = takesAll ? `${cellsPath(ref)}.outputs for all, ` : ''
  const free = varying(family, chosen).map(axis => family.axes[axis] ?? '')
  const axes = `${free.length === 1 ? 'axis' : 'axes'} ${listed(free)}`
  const hint = `write ${all}${jobPath(id)}['${keys}'].${word} for one, or give this job the ${axes} too`
  return error('not-one-file', ref, message, hint)
}

/** Axes on which the chosen cells differ. */
function varying({ axes }: CellFamily, chosen: readonly Chosen[]): number[] {
  return [...axes.keys()].filter(axis => new Set(chosen.map(({ cell }) => cell.place.at[axis]?.key)).size > 1)
}

/** Those, and the ones that the reference chooses by already. */
function openAxes(ref: Reference, family: CellFamily, chosen: readonly Chosen[]): number[] {
  const named = ref.selector?.words.map(word => family.axes.indexOf(word.split('=')[0] ?? '')) ?? []
  return [...new Set([...named.filter(axis => axis >= 0), ...varying(family, chosen)])]
}

interface FilesMade {
  readonly address: JobAddress
  readonly count: number
  readonly takesAll: boolean
}

function notOneFile(ref: Reference, { address, count, takesAll }: FilesMade, intake?: Intake): Diagnostic {
  const word = ref.files.which === 'pick' ? 'pick' : 'output'
  const message = intake
    ? `${intake.name} takes one file, and ${address} makes ${count}`
    : `\`${word}\` means one file, and ${address} makes ${count}`
  const all = takesAll ? `, ${cellsPath(ref)}.outputs for all` : ''
  return error('not-one-file', ref, message, `write ${cellsPath(ref)}.outputs[0] for the first${all}`)
}

function beyondCount(at: Span, ref: Reference, nth: number, count: number): Diagnostic {
  const files = count === 1 ? 'one file' : `${count} files`
  const path = cellsPath(ref)
  const hint = count === 1 ? `its file is ${path}.output` : `the last is ${path}.outputs[${count - 1}]`
  return error('beyond-count', at, `${ref.job} makes ${files}; counted from 0, there is no ${nth}`, hint)
}

/** A reference carries another kind of media than the parameter takes. */
function mediaMismatch(ref: Reference, intake: Intake, id: string, kind: OutputKind): Diagnostic | undefined {
  if (intake.media === 'file' || kind === intake.media) return undefined
  const message = `${intake.name} takes ${mediaWord(intake.media)}, and ${id} makes ${mediaWord(kind)}`
  return error('wrong-media', ref, message, `refer to a job that makes ${mediaWord(intake.media)}`)
}
