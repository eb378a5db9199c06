import type { Diagnostic } from '../base/diagnostic.ts'
import type { SourceFile, Span } from '../base/source.ts'
import type { ModelSet } from '../catalog/model-set.ts'
import type { Cell } from './expand/expand.ts'
import { type CellFamily, expandAll, type Families } from './expand/families.ts'
import { type FillScope, fillNode } from './fill/template.ts'
import { type Defaults, fillUnused, tellUnusedDefaults } from './read/defaults.ts'
import type { Draft } from './read/draft.ts'
import { checkInputs } from './resolve/inputs.ts'
import { type SettledJob, settle, tooManyJobs } from './resolve/jobs.ts'
import { namedNeeds, readNeed } from './resolve/needs.ts'
import { collidingOutputs } from './resolve/outputs.ts'
import { castParams, checkWithoutModel } from './resolve/params.ts'
import { aspectMismatches } from './rules/aspect.ts'
import { circularNeeds, type Need } from './rules/cycles.ts'
import { idleAxes } from './rules/idle-axes.ts'
import { longReferences } from './rules/reference-length.ts'
import { sameRecipes } from './rules/same-recipe.ts'
import { referencesIn } from './shapes/filled.ts'
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
  tellCircles(families, settled, report)
  const excess = tooManyJobs(cells)
  if (excess) report(excess)
  else {
    collidingOutputs(settled.map(one => one.destination)).forEach(report)
    if (!faults.isEverywhere) holdAgainstEachOther(settled, families, faults, report)
  }
  holdRules(settled, given)
  return { settled, count: cells.reduce((sum, { own }) => sum + own.takes, 0) }
}

function holdRules(settled: readonly SettledJob[], { project, scope: { report } }: JobsGiven): void {
  checkInputs(
    settled.flatMap(one => one.cast.locals),
    project,
  ).forEach(report)
  longReferences(settled, project).forEach(report)
  aspectMismatches(settled, project).forEach(report)
}

/** Of the jobs that are right by themselves: what a slip leaves out may be what makes two of them differ. */
function holdAgainstEachOther(
  settled: readonly SettledJob[],
  families: Families,
  { jobs }: Faults,
  report: ReportProblem,
): void {
  const sound = settled.filter(one => !jobs.has(one.cell.draft.id))
  const idle = idleAxes(families, sound)
  for (const { problem } of idle) report(problem)
  const copied = new Set(idle.map(({ job }) => job))
  sameRecipes(sound.filter(one => !copied.has(one.cell.draft.id))).forEach(report)
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

/** By jobs, and only where cells are in a circle of jobs, by cells: one cell may well need another of its job. */
function tellCircles(families: Families, settled: readonly SettledJob[], report: ReportProblem): void {
  const byJob = [...families.values()].flatMap(family => needsBetween(family))
  if (byJob.length === 0) return
  const circles = circularNeeds([...families.keys()], byJob)
  const hasCells = [...families.values()].some(family => family.axes.length > 0)
  if (circles.length === 0 || !hasCells) return circles.forEach(report)
  const needs = settled.flatMap(({ cell, needs: own }) =>
    own.map(({ address, at }): Need => ({ from: cell.address, to: firstTakeOf(address), at })),
  )
  // One circle of jobs is as many circles as it has cells.
  const seen = new Set<number>()
  const ofCells = circularNeeds(
    settled.map(one => one.cell.address),
    needs,
  )
  for (const circle of ofCells) if (!seen.has(circle.at.start) && seen.add(circle.at.start)) report(circle)
}

function firstTakeOf(address: string): string {
  return address.replace(/#\d+$/, '')
}

const noNeeds: readonly Need[] = []

/** Every need of a job's cells between jobs, each once. */
function needsBetween({ draft, cells }: CellFamily): readonly Need[] {
  let needs: Map<string, Need> | undefined
  const add = (to: string, at: Span) => {
    needs ??= new Map()
    if (!needs.has(to)) needs.set(to, { from: draft.id, to, at })
  }
  for (const { given, own } of cells) {
    for (const { value } of given)
      if (value.kind !== 'scalar') for (const ref of referencesIn(value)) add(ref.job, ref)
    for (const word of own.needs) add(readNeed(word).id, word.at)
  }
  return needs ? [...needs.values()] : noNeeds
}
