import type { Diagnostic } from '../base/diagnostic.ts'
import type { SourceFile } from '../base/source.ts'
import type { ModelSet } from '../catalog/model-set.ts'
import type { Cell } from './expand/expand.ts'
import { expandAll, type Families } from './expand/families.ts'
import { type FillScope, fillNode } from './fill/template.ts'
import { type Defaults, fillUnused, tellUnusedDefaults } from './read/defaults.ts'
import type { Draft } from './read/draft.ts'
import { type SettledJob, settle, tooManyJobs } from './resolve/jobs.ts'
import { namedNeeds } from './resolve/needs.ts'
import { castParams, checkWithoutModel } from './resolve/params.ts'
import { rules } from './rules/rules.ts'
import type { Project } from './shapes/job.ts'
import type { ReportProblem } from './shapes/report-problem.ts'

/** What the jobs of a manifest are checked with. */
interface JobsGiven {
  readonly drafts: ReadonlyMap<string, Draft>
  readonly defaults: Defaults
  readonly modelSet: ModelSet
  readonly scope: FillScope
  readonly file: SourceFile
  readonly project: Project
  /** What was told so far, by whoever. */
  readonly problems: readonly Diagnostic[]
}

export interface JobsChecked {
  /** The cells that came through, in written order. */
  readonly settled: readonly SettledJob[]
  /** All takes of all cells, also of those that something is wrong with. */
  readonly count: number
}

/** Expands the jobs and holds all rules against them. */
export function checkJobs(given: JobsGiven): JobsChecked {
  const { drafts, defaults, modelSet, scope, file } = given
  const { report } = scope
  const families = expandAll({ drafts, defaults, modelSet, scope })
  const cells = [...families.values()].flatMap(family => family.cells)
  fillUnused(defaults, value => fillNode(value, { ...scope, cell: 'later' }))
  // Without its model it is not known what a job takes, and so not what nobody takes.
  const areJobsKnown =
    cells.every(cell => cell.model) && [...families.values()].every(family => family.isWhole)
  tellUnusedDefaults(defaults, { file, modelSet, areJobsKnown }, report)
  const faults = faultsOf(given.problems, drafts)
  const settled: SettledJob[] = []
  for (const cell of cells) {
    const report: ReportProblem = problem => {
      if (problem.severity === 'error') faults.jobs.add(cell.draft.id)
      scope.report(problem)
    }
    const one = settleCell(cell, families, report, modelSet)
    if (one) settled.push(one)
  }
  const excess = tooManyJobs(cells)
  if (excess) report(excess)
  const comparable = excess ? [] : settled
  const sound = faults.isEverywhere ? [] : comparable.filter(one => !faults.jobs.has(one.cell.draft.id))
  for (const rule of rules)
    rule({ families, settled, comparable, sound, project: given.project }).forEach(report)
  return { settled, count: cells.reduce((sum, { own }) => sum + own.takes, 0) }
}

/** Which jobs something is wrong with. */
interface Faults {
  readonly jobs: Set<string>
  /** There is a slip that stands in no job, and may concern any. */
  readonly isEverywhere: boolean
}

/** So many slips are enough to read, and to look for. */
const mostSlips = 100

function faultsOf(problems: readonly Diagnostic[], drafts: JobsGiven['drafts']): Faults {
  const errors = problems.filter(problem => problem.severity === 'error')
  if (errors.length > mostSlips) return { jobs: new Set(), isEverywhere: true }
  const owners = errors.map(each => jobsAt(each, drafts))
  return { jobs: new Set(owners.flat()), isEverywhere: owners.some(owner => owner.length === 0) }
}

/** The jobs in whose text a problem or one of its notes stands. */
function jobsAt({ at, notes = [] }: Diagnostic, drafts: JobsGiven['drafts']): string[] {
  const spans = [at, ...notes.map(note => note.at)]
  const holds = ({ at: name, body }: Draft) =>
    spans.some(
      ({ file, start }) =>
        file === body.file && start >= Math.min(name.start, body.start) && start <= body.end,
    )
  return [...drafts.values()].filter(holds).map(draft => draft.id)
}

function settleCell(
  cell: Cell,
  families: Families,
  report: ReportProblem,
  modelSet: ModelSet,
): SettledJob | undefined {
  const { model, own } = cell
  const named = namedNeeds(cell, families, report)
  if (!model) {
    checkWithoutModel(cell, modelSet, report)
    return undefined
  }
  const heard: ReportProblem =
    own.lint.length === 0
      ? report
      : problem => {
          if (problem.severity === 'error' || !own.lint.includes(problem.code)) report(problem)
        }
  return settle(
    { cell, model, cast: castParams(cell, model, { families, modelSet, report: heard }) },
    named,
    report,
  )
}
