import { defined } from '../base/defined.ts'
import {
  type Checked,
  type Diagnostic,
  error,
  hasErrors,
  sortProblems,
  upToMostErrors,
} from '../base/diagnostic.ts'
import { headOf, type SourceFile } from '../base/source.ts'
import type { Model } from '../catalog/index.ts'
import { declaredOn, type ModelSet } from '../catalog/model-set.ts'
import type { OwnLooks } from '../looks/names.ts'
import { entryOf, type TextEntry, type TextMap, type TextNode, valueSpan } from '../text/tree.ts'
import { readYaml } from '../text/yaml.ts'
import { checkJobs, type JobsChecked } from './check-jobs.ts'
import { sourcesOf, textsOf } from './fill/sources.ts'
import { type FillScope, fillEntry, fillNode } from './fill/template.ts'
import { fillVars, tellUnusedVars, varsOf } from './fill/vars.ts'
import { readModelSet } from './read/declared.ts'
import { type Defaults, mergeDefaults, noDefaults, readDefaults } from './read/defaults.ts'
import { type Draft, readDrafts } from './read/draft.ts'
import { type GivenVar, setVars } from './read/given-vars.ts'
import { type Layer, readLayers } from './read/include.ts'
import { readLimits } from './read/limits.ts'
import { readMapping, readName, readOutputFolder } from './read/settings.ts'
import { checkTopKeys, isFree } from './read/shape.ts'
import { isSuppressed, type Suppressions, suppressionsOf } from './read/suppressions.ts'
import { readText, readTexts, type Word } from './read/values.ts'
import { type JobsMade, jobsOf } from './resolve/jobs.ts'
import type { ValueSources } from './resolve/origin.ts'
import { duplicateIds } from './rules/duplicate-ids.ts'
import type { Manifest, Project } from './shapes/job.ts'
import type { ReportProblem } from './shapes/report-problem.ts'

/** What a check may be told beside the text. */
interface CheckOptions {
  /** Values for variables that the manifest declares. */
  readonly vars?: readonly GivenVar[]
  /** Models that are declared elsewhere: in the settings, on the command line. */
  readonly models?: readonly Model[]
  /** Warnings count as errors. */
  readonly strict?: boolean
  /** Which looks of a person's own it may name. */
  readonly gates?: OwnLooks
}

/** What is found, and how many jobs there are, also where something is wrong with them. */
interface ManifestChecked extends Checked<Manifest> {
  readonly count: number
}

/**
 * Reads and checks a manifest in one pass: all problems together, in order of place. There is no value where there is
 * an error. Reads files of the project through `project`, and nothing else.
 */
export function checkManifest(
  file: SourceFile,
  project: Project,
  options: CheckOptions = {},
): ManifestChecked {
  const read = readYaml(file)
  if (!read.value) return { value: undefined, problems: read.problems.map(withExample), count: 0 }
  const problems = [...read.problems]
  const { value: tree } = read
  if (tree.kind !== 'map') {
    problems.push(notAManifest(tree))
    return { value: undefined, problems: sortProblems(problems), count: 0 }
  }
  const outline = upToMostErrors(problems, report =>
    checkTree(tree, { file, project, options, problems, report: onceEach(report) }),
  )
  if (!outline) return { value: undefined, problems: sortProblems(problems), count: 0 }
  const { settled, valueSources, suppressions, count, ...rest } = outline
  const heard = sortProblems(problems).filter(problem => !isSuppressed(problem, suppressions))
  const shown = options.strict ? heard.map(asError) : heard
  const value = hasErrors(shown) ? undefined : withJobs(rest, () => jobsOf(settled, valueSources))
  return { value, problems: shown, count }
}

/** The jobs are made when somebody asks for them: a verdict needs none. */
function withJobs(rest: Omit<Manifest, 'jobs' | 'letGo'>, make: () => JobsMade): Manifest {
  let made: JobsMade | (() => JobsMade) = make
  return {
    ...rest,
    get jobs() {
      // What they are made from is not needed any more, and is large.
      if (typeof made === 'function') made = made()
      return made.jobs
    },
    letGo() {
      if (typeof made !== 'function') made.letGo()
    },
  }
}

function asError(problem: Diagnostic): Diagnostic {
  return { ...problem, severity: 'error' }
}

/** A slip in a template is one problem, however many cells it is filled for. */
function onceEach(report: ReportProblem): ReportProblem {
  const known = new Map<SourceFile, Set<string>>()
  return problem => {
    const { code, message, at } = problem
    const seen = known.get(at.file) ?? new Set<string>()
    known.set(at.file, seen)
    const key = `${at.start} ${at.end} ${code} ${oncePerPlace.has(code) ? '' : message}`
    if (seen.has(key)) return
    seen.add(key)
    report(problem)
  }
}

/** What names the cells that it is about: one of them is example enough. */
const oncePerPlace: ReadonlySet<string> = new Set(['not-one-file'])

const example = 'a small manifest is `jobs: { hero: { model: fama-imagine-image, prompt: A teapot } }`'

function withExample(problem: Diagnostic): Diagnostic {
  return problem.code === 'empty-file' ? { ...problem, hint: example } : problem
}

function notAManifest(node: TextNode): Diagnostic {
  if (node.kind === 'list')
    return error('not-a-manifest', node, 'a manifest is a mapping, not a list', 'put the list under `jobs:`')
  return error('not-a-manifest', node, 'this is no manifest: there is no key in it', example)
}

function topTexts(tree: TextMap, key: string, report: ReportProblem): Word[] {
  const entry = entryOf(tree, key)
  return entry ? readTexts(entry, report) : []
}

type Outline = Omit<Manifest, 'jobs'> &
  JobsChecked & { readonly valueSources: ValueSources; readonly suppressions: Suppressions }

interface Checking {
  readonly file: SourceFile
  readonly project: Project
  readonly options: CheckOptions
  readonly problems: readonly Diagnostic[]
  readonly report: ReportProblem
}

function checkTree(tree: TextMap, checking: Checking): Outline {
  const { file, project, options, problems, report } = checking
  const areKeysKnown = checkTopKeys(tree, report)
  const sources = sourcesOf(project)
  const layers = readLayers({ tree, path: '', file }, sources, report)
  const { modelSet, catalogs } = readModelSet(layers, sources, options.models ?? [], report)
  const drafts = layers.flatMap(layer => draftsOf(layer, report))
  const vars = varsOf(new Map(layers.flatMap(layer => varEntries(layer, report))))
  setVars(vars, options.vars ?? [], report)
  const jobs = new Set(drafts.map(draft => draft.id))
  const scope: FillScope = { vars, sources, jobs, report, ...defined({ gates: options.gates }) }
  fillVars(vars, value => fillNode(value, { ...scope, cell: 'later' }))
  const filled = (key: string) => {
    const entry = entryOf(tree, key)
    return entry && fillEntry(entry, scope)
  }
  const description = entryOf(tree, 'description')
  if (description) readText(description, report)
  const name = readName(filled('name'), file, report)
  const outputEntry = entryOf(tree, 'output')
  const output = readOutputFolder(filled('output'), name, report)
  const limits = readLimits(entryOf(tree, 'limits'), modelSet, report)
  // Where the jobs stand under another key, that key is told, and is enough.
  const hasJobs = layers.some(layer => entryOf(layer.tree, 'jobs'))
  if (areKeysKnown && !hasJobs) report(error('no-jobs', headOf(file), 'there are no jobs', example))
  duplicateIds(drafts).forEach(report)
  const lint = topTexts(tree, 'lint', report)
  const suppressions = suppressionsOf(lint, drafts, report)
  const defaults = readAllDefaults(layers, modelSet, report)
  const checked = checkJobs({
    drafts: firstOfEach(drafts),
    defaults,
    modelSet,
    scope,
    file,
    project,
    problems,
  })
  tellUnusedVars(vars, file, report)
  const valueSources = { defaults, vars, sources }
  const outputAt = outputEntry && valueSpan(outputEntry)
  const own = declaredOn(modelSet)
  const silenced = lint.length > 0 && { silenced: lint.map(word => word.text) }
  const said = { name, file, output, ...defined({ outputAt }), limits, own, catalogs, ...silenced }
  return { ...said, sources: textsOf(sources), valueSources, suppressions, ...checked }
}

function draftsOf({ tree }: Layer, report: ReportProblem): Draft[] {
  const entry = entryOf(tree, 'jobs')
  return entry ? readDrafts(entry, report) : []
}

function varEntries({ tree }: Layer, report: ReportProblem): [string, TextEntry][] {
  const map = readMapping(entryOf(tree, 'vars'), report)
  const entries = (map?.entries ?? []).filter(entry => !isFree(entry.key.source))
  return entries.map(entry => [entry.key.source, entry])
}

function readAllDefaults(layers: readonly Layer[], modelSet: ModelSet, report: ReportProblem): Defaults {
  const read = layers.map(({ tree }) => {
    const entry = entryOf(tree, 'defaults')
    return entry ? readDefaults(entry, modelSet, report) : noDefaults()
  })
  return mergeDefaults(read)
}

/** Further jobs of one name are told and left aside. */
function firstOfEach(drafts: readonly Draft[]): Map<string, Draft> {
  const first = new Map<string, Draft>()
  for (const draft of drafts) if (!first.has(draft.id)) first.set(draft.id, draft)
  return first
}
