import { type Checked, type Diagnostic, error, hasErrors, sortProblems } from '../base/diagnostic.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import { entryOf, type TextMap, type TextNode } from '../text/tree.ts'
import { readYaml } from '../text/yaml.ts'
import { fillUnused, noDefaults, readDefaults, tellUnusedDefaults } from './defaults.ts'
import { type Draft, readDrafts } from './draft.ts'
import { type Cell, expandDraft, producerOf } from './expand.ts'
import { referencesIn } from './filled.ts'
import type { Manifest, Project } from './job.ts'
import { jobsOf, type Settled, settle, tooManyJobs } from './jobs.ts'
import { castParams, checkWithoutModel } from './params.ts'
import type { Producers } from './references.ts'
import { circularNeeds, type Need } from './rules/cycles.ts'
import { duplicateIds } from './rules/duplicate-ids.ts'
import { checkInputs } from './rules/inputs.ts'
import { readNeed, unknownNeeds } from './rules/needs.ts'
import { collidingOutputs } from './rules/outputs.ts'
import { readLimits, readMapping, readName, readOutputFolder } from './settings.ts'
import { checkTopKeys } from './shape.ts'
import type { Tell } from './tell.ts'
import { fill, fillEntry, type Scope } from './template.ts'
import { readText, readTexts } from './values.ts'
import { fillVars, tellUnusedVars, varsOf } from './vars.ts'

/**
 * Reads and checks a manifest in one pass: all problems together, in order of place. There is no value where there is
 * an error. Looks at local inputs through `project`, and at nothing else.
 */
export function checkManifest(file: SourceFile, project: Project): Checked<Manifest> {
  const read = readYaml(file)
  if (!read.value) return { value: undefined, problems: read.problems.map(withExample) }
  const problems = [...read.problems]
  const tell: Tell = problem => problems.push(problem)
  if (read.value.kind !== 'map') {
    tell(notAManifest(read.value))
    return { value: undefined, problems: sortProblems(problems) }
  }
  const lint = topTexts(read.value, 'lint', tell)
  const { settled, ...rest } = checkTree(read.value, file, project, tell)
  const shown = sortProblems(problems).filter(
    ({ severity, code }) => severity === 'error' || !lint.includes(code),
  )
  return { value: hasErrors(shown) ? undefined : { ...rest, jobs: jobsOf(settled) }, problems: shown }
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

function checkTree(tree: TextMap, file: SourceFile, project: Project, tell: Tell): Outline {
  const areKeysKnown = checkTopKeys(tree, tell)
  const vars = varsOf(readMapping(entryOf(tree, 'vars'), tell))
  const scope: Scope = { vars, tell }
  fillVars(vars, value => fill(value, scope))
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
  if (areKeysKnown && !entryOf(tree, 'jobs'))
    tell(error('no-jobs', headOf(file), 'there are no jobs', example))
  const settled = checkJobs(tree, scope, project)
  tellUnusedVars(vars, tell)
  return { name, file, output, limits, settled }
}

function checkJobs(tree: TextMap, scope: Scope, project: Project): Settled[] {
  const { tell } = scope
  const entry = entryOf(tree, 'jobs')
  const drafts = entry ? readDrafts(entry, tell) : []
  duplicateIds(drafts).forEach(tell)
  const defaultsEntry = entryOf(tree, 'defaults')
  const defaults = defaultsEntry ? readDefaults(defaultsEntry, tell) : noDefaults()
  const cells = firstOfEach(drafts).flatMap(draft => expandDraft(draft, defaults, scope))
  fillUnused(defaults, value => fill(value, scope))
  // Without its model it is not known what a job takes, and so not what nobody takes.
  if (cells.every(cell => cell.model)) tellUnusedDefaults(defaults, tell)

  const producers: Producers = new Map(cells.map(cell => [cell.draft.id, producerOf(cell)]))
  const settled = cells.flatMap(cell => settleCell(cell, producers, tell) ?? [])
  unknownNeeds(cells, producers).forEach(tell)
  circularNeeds([...producers.keys()], cells.flatMap(needsIn)).forEach(tell)
  const excess = tooManyJobs(cells)
  if (excess) tell(excess)
  else collidingOutputs(settled.map(one => one.destination)).forEach(tell)
  checkInputs(
    settled.flatMap(one => one.cast.locals),
    project,
  ).forEach(tell)
  return settled
}

/** Further jobs of one name are told and left aside. */
function firstOfEach(drafts: readonly Draft[]): Draft[] {
  const seen = new Set<string>()
  return drafts.filter(({ id }) => !seen.has(id) && seen.add(id))
}

function settleCell(cell: Cell, producers: Producers, tell: Tell): Settled | undefined {
  const { model, own } = cell
  if (!model) {
    checkWithoutModel(cell, producers, tell)
    return undefined
  }
  const tellUnlinted: Tell = problem => {
    if (problem.severity === 'error' || !own.lint.includes(problem.code)) tell(problem)
  }
  return settle(cell, model, castParams(cell, model, producers, tellUnlinted), tell)
}

/** Every need of a cell between jobs, for the search for circles. */
function needsIn({ draft, own, given }: Cell): Need[] {
  const named = own.needs.map(({ text, at }) => ({ from: draft.id, to: readNeed(text).id, at }))
  const refs = [...given.values()].flatMap(({ value }) => referencesIn(value))
  return [...refs.map(ref => ({ from: draft.id, to: ref.job, at: ref })), ...named]
}
