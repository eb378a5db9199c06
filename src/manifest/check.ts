import { type Checked, type Diagnostic, error, hasErrors, sortProblems } from '../base/diagnostic.ts'
import { headOf, type SourceFile, type Span } from '../base/source.ts'
import type { Shelf } from '../catalog/shelf.ts'
import { entryOf, type TextEntry, type TextMap, type TextNode } from '../text/tree.ts'
import { readYaml } from '../text/yaml.ts'
import { readShelf } from './declared.ts'
import {
  type Defaults,
  fillUnused,
  mergeDefaults,
  noDefaults,
  readDefaults,
  tellUnusedDefaults,
} from './defaults.ts'
import { type Draft, readDrafts } from './draft.ts'
import type { Cell } from './expand.ts'
import { expandAll, type Families, type Family } from './families.ts'
import { referencesIn } from './filled.ts'
import { type GivenVar, setVars } from './given-vars.ts'
import { type Layer, readLayers } from './include.ts'
import type { Manifest, Project } from './job.ts'
import { jobsOf, type Settled, settle, tooManyJobs } from './jobs.ts'
import { castParams, checkWithoutModel } from './params.ts'
import { aspectMismatches } from './rules/aspect.ts'
import { circularNeeds, type Need } from './rules/cycles.ts'
import { duplicateIds } from './rules/duplicate-ids.ts'
import { idleAxes } from './rules/idle-axes.ts'
import { checkInputs } from './rules/inputs.ts'
import { namedNeeds, readNeed } from './rules/needs.ts'
import { collidingOutputs } from './rules/outputs.ts'
import { longReferences } from './rules/reference-length.ts'
import { sameRecipes } from './rules/same-recipe.ts'
import { readLimits, readMapping, readName, readOutputFolder } from './settings.ts'
import { checkTopKeys, isFree } from './shape.ts'
import { sourcesOf, textsOf } from './sources.ts'
import type { Tell } from './tell.ts'
import { fill, fillEntry, type Scope } from './template.ts'
import { readText, readTexts } from './values.ts'
import { fillVars, tellUnusedVars, varsOf } from './vars.ts'

/**
 * Reads and checks a manifest in one pass: all problems together, in order of place. There is no value where there is
 * an error. Reads files of the project through `project`, and nothing else.
 */
export function checkManifest(
  file: SourceFile,
  project: Project,
  given: readonly GivenVar[] = [],
): Checked<Manifest> {
  const read = readYaml(file)
  if (!read.value) return { value: undefined, problems: read.problems.map(withExample) }
  const problems = [...read.problems]
  const tell = onceEach(problems)
  if (read.value.kind !== 'map') {
    tell(notAManifest(read.value))
    return { value: undefined, problems: sortProblems(problems) }
  }
  const lint = topTexts(read.value, 'lint', tell)
  const { settled, ...rest } = checkTree(read.value, { file, project, given, problems, tell })
  const shown = sortProblems(problems).filter(
    ({ severity, code }) => severity === 'error' || !lint.includes(code),
  )
  return { value: hasErrors(shown) ? undefined : { ...rest, jobs: jobsOf(settled) }, problems: shown }
}

/** A slip in a template is one problem, however many cells it is filled for. */
function onceEach(problems: Diagnostic[]): Tell {
  const known = new Map<SourceFile, Set<string>>()
  return problem => {
    const { code, message, at } = problem
    const seen = known.get(at.file) ?? new Set<string>()
    known.set(at.file, seen)
    const key = `${at.start} ${at.end} ${code} ${message}`
    if (seen.has(key)) return
    seen.add(key)
    problems.push(problem)
  }
}

const example = 'a small manifest is `jobs: { hero: { model: fama-imagine-image, prompt: A teapot } }`'

function withExample(problem: Diagnostic): Diagnostic {
  return problem.code === 'empty-file' ? { ...problem, hint: example } : problem
}

function notAManifest(node: TextNode): Diagnostic {
  if (node.kind === 'list')
    return error('not-a-manifest', node, 'a manifest is a mapping, not a list', 'put the list under `jobs:`')
  return error('not-a-manifest', node, 'this is no manifest: there is no key in it', example)
}

function topTexts(tree: TextMap, key: string, tell: Tell): string[] {
  const entry = entryOf(tree, key)
  return entry ? readTexts(entry, tell).map(word => word.text) : []
}

type Outline = Omit<Manifest, 'jobs'> & { readonly settled: readonly Settled[] }

interface Checking {
  readonly file: SourceFile
  readonly project: Project
  readonly given: readonly GivenVar[]
  readonly problems: readonly Diagnostic[]
  readonly tell: Tell
}

function checkTree(tree: TextMap, checking: Checking): Outline {
  const { file, project, given, tell } = checking
  const areKeysKnown = checkTopKeys(tree, tell)
  const sources = sourcesOf(project)
  const layers = readLayers({ tree, path: '', file }, sources, tell)
  const shelf = readShelf(layers, sources, tell)
  const drafts = layers.flatMap(layer => draftsOf(layer, tell))
  const vars = varsOf(new Map(layers.flatMap(layer => varEntries(layer, tell))))
  setVars(vars, given, tell)
  const jobs = new Set(drafts.map(draft => draft.id))
  const scope: Scope = { vars, sources, jobs, tell }
  fillVars(vars, value => fill(value, { ...scope, cell: 'later' }))
  const filled = (key: string) => {
    const entry = entryOf(tree, key)
    return entry && fillEntry(entry, scope)
  }
  const description = entryOf(tree, 'description')
  if (description) readText(description, tell)
  const name = readName(filled('name'), file, tell)
  const output = readOutputFolder(filled('output'), name, tell)
  const limits = readLimits(entryOf(tree, 'limits'), tell)
  // Where the jobs stand under another key, that key is told, and is enough.
  const hasJobs = layers.some(layer => entryOf(layer.tree, 'jobs'))
  if (areKeysKnown && !hasJobs) tell(error('no-jobs', headOf(file), 'there are no jobs', example))
  const settled = checkJobs({ layers, drafts, shelf, scope }, checking)
  tellUnusedVars(vars, file, tell)
  return { name, file, output, limits, sources: textsOf(sources), settled }
}

function draftsOf({ tree }: Layer, tell: Tell): Draft[] {
  const entry = entryOf(tree, 'jobs')
  return entry ? readDrafts(entry, tell) : []
}

function varEntries({ tree }: Layer, tell: Tell): [string, TextEntry][] {
  const map = readMapping(entryOf(tree, 'vars'), tell)
  const entries = (map?.entries ?? []).filter(entry => !isFree(entry.key.source))
  return entries.map(entry => [entry.key.source, entry])
}

function readAllDefaults(layers: readonly Layer[], shelf: Shelf, tell: Tell): Defaults {
  const read = layers.map(({ tree }) => {
    const entry = entryOf(tree, 'defaults')
    return entry ? readDefaults(entry, shelf, tell) : noDefaults()
  })
  return mergeDefaults(read)
}

interface Given {
  readonly layers: readonly Layer[]
  readonly drafts: readonly Draft[]
  readonly shelf: Shelf
  readonly scope: Scope
}

function checkJobs(
  { layers, drafts, shelf, scope }: Given,
  { file, project, problems, tell }: Checking,
): Settled[] {
  duplicateIds(drafts).forEach(tell)
  const defaults = readAllDefaults(layers, shelf, tell)
  const families = expandAll({ drafts: firstOfEach(drafts), defaults, shelf, scope })
  const cells = [...families.values()].flatMap(family => family.cells)
  fillUnused(defaults, value => fill(value, { ...scope, cell: 'later' }))
  // Without its model it is not known what a job takes, and so not what nobody takes.
  const areAllKnown =
    cells.every(cell => cell.model) && [...families.values()].every(family => family.isWhole)
  if (areAllKnown) tellUnusedDefaults(defaults, file, shelf, tell)

  const settled = cells.flatMap(cell => settleCell(cell, families, scope, shelf) ?? [])
  tellCircles(families, settled, tell)
  const excess = tooManyJobs(cells)
  if (excess) tell(excess)
  else collidingOutputs(settled.map(one => one.destination)).forEach(tell)
  checkInputs(
    settled.flatMap(one => one.cast.locals),
    project,
  ).forEach(tell)
  longReferences(settled, project).forEach(tell)
  aspectMismatches(settled).forEach(tell)
  // What a slip leaves out may be what makes two jobs differ.
  if (!hasErrors(problems)) {
    const idle = idleAxes(families, settled)
    idle.forEach(tell)
    if (idle.length === 0) sameRecipes(settled).forEach(tell)
  }
  return settled
}

/** Further jobs of one name are told and left aside. */
function firstOfEach(drafts: readonly Draft[]): Map<string, Draft> {
  const first = new Map<string, Draft>()
  for (const draft of drafts) if (!first.has(draft.id)) first.set(draft.id, draft)
  return first
}

function settleCell(cell: Cell, families: Families, scope: Scope, shelf: Shelf): Settled | undefined {
  const { model, own } = cell
  const { tell } = scope
  const named = namedNeeds(cell, families, tell)
  if (!model) {
    checkWithoutModel(cell, shelf, tell)
    return undefined
  }
  const tellUnlinted: Tell = problem => {
    if (problem.severity === 'error' || !own.lint.includes(problem.code)) tell(problem)
  }
  return settle(cell, model, castParams(cell, model, families, shelf, tellUnlinted), named, tell)
}

/** By jobs, and only where cells are in a circle of jobs, by cells: one cell may well need another of its job. */
function tellCircles(families: Families, settled: readonly Settled[], tell: Tell): void {
  const byJob = [...families.values()].flatMap(family => needsBetween(family))
  const circles = circularNeeds([...families.keys()], byJob)
  const hasCells = [...families.values()].some(family => family.axes.length > 0)
  if (circles.length === 0 || !hasCells) return circles.forEach(tell)
  const needs = settled.flatMap(({ cell, needs: own }) =>
    own.map(({ address, at }): Need => ({ from: cell.address, to: firstTakeOf(address), at })),
  )
  // One circle of jobs is as many circles as it has cells.
  const seen = new Set<number>()
  const ofCells = circularNeeds(
    settled.map(one => one.cell.address),
    needs,
  )
  for (const circle of ofCells) if (!seen.has(circle.at.start) && seen.add(circle.at.start)) tell(circle)
}

function firstTakeOf(address: string): string {
  return address.replace(/#\d+$/, '')
}

/** Every need of a job's cells between jobs, each once. */
function needsBetween({ draft, cells }: Family): Need[] {
  const needs = new Map<string, Need>()
  const add = (to: string, at: Span) => {
    if (!needs.has(to)) needs.set(to, { from: draft.id, to, at })
  }
  for (const { given, own } of cells) {
    for (const { value } of given.values()) for (const ref of referencesIn(value)) add(ref.job, ref)
    for (const word of own.needs) add(readNeed(word).id, word.at)
  }
  return [...needs.values()]
}
