import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../../base/names.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { type Model, type OutputKind, outputKind, paramOf } from '../../catalog/index.ts'
import { type ModelSet, modelAt } from '../../catalog/model-set.ts'
import { outputCount } from '../../forms/expect.ts'
import { entryIn, type TextEntry } from '../../text/tree.ts'
import type { CellNames } from '../fill/names.ts'
import { type FillScope, fillEntry, isTemplate } from '../fill/template.ts'
import { type Defaults, type ModelDefault, modelDefaults } from '../read/defaults.ts'
import type { Draft } from '../read/draft.ts'
import { type OwnValues, readOwn } from '../read/own.ts'
import { isMeant, isOwnDefault, type OwnKey, ownEntry } from '../read/shape.ts'
import { readText, readTruth, type Word } from '../read/values.ts'
import { axisValue, type Coordinates, type Grid, keysAt, namesAt, single } from '../shapes/coordinates.ts'
import type { FilledEntry } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import type { Override } from './override.ts'
import { fitsPattern } from './patterns.ts'

/** One cell of a draft, with everything filled in and nothing judged but its own keys. Takes come later. */
export interface Cell {
  readonly draft: Draft
  /** Without take. */
  readonly address: JobAddress
  readonly place: Coordinates
  /** Undefined where there is none, which is told. */
  readonly model: Model | undefined
  /** What its files are, and how many; undefined while that cannot be said. */
  readonly makes: Makes | undefined
  readonly own: OwnValues
  /** Where its files go, as written. */
  readonly output: string | undefined
  readonly ownEntries: readonly FilledEntry[]
  /** Parameters, each once: the job's in written order, then defaults. */
  readonly given: readonly FilledEntry[]
  /** What the defaults have for its model, by parameter, also where the job says something else. */
  readonly usual: ReadonlyMap<string, ModelDefault> | undefined
}

interface Makes {
  readonly kind: OutputKind
  readonly count: number
}

/** What the cells of one draft are made from. */
interface Mould {
  readonly draft: Draft
  readonly grid: Grid
  readonly overrides: readonly Override[]
  readonly defaults: Defaults
  readonly modelSet: ModelSet
  readonly scope: FillScope
}

/** The cells of a draft in the order of its axes; without those that `if` leaves out. */
export function fillCells(mould: Mould): Cell[] {
  const { draft, grid } = mould
  const written = draft.own.some(isOfGrid) ? draft.own.filter(entry => !isOfGrid(entry)) : draft.own
  const { known, isKnown } = knownNames(grid)
  const cells: Cell[] = []
  for (const place of grid.cells) {
    const cell = fillCell(mould, place, { written, known, isKnown, before: cells.at(-1) })
    if (cell) cells.push(cell)
  }
  return cells
}

/** What all cells of a draft have in common. */
interface Common extends Pick<CellNames, 'isKnown' | 'known'> {
  /** The own entries that are filled in each cell. */
  readonly written: readonly TextEntry[]
  /** The last cell that was filled. */
  readonly before: Cell | undefined
}

/** Read before there are cells. */
function isOfGrid({ key }: TextEntry): boolean {
  return gridKeys.includes(key.source)
}

const gridKeys: readonly string[] = ['matrix', 'forEach', 'override', 'if'] satisfies OwnKey[]

/** `still[fox,noir]`; a job without axes is called by its id. */
function cellAddress(id: string, keys: readonly string[]): JobAddress {
  return jobAddress(keys.length === 0 ? id : `${id}[${keys.join(',')}]`)
}

function fillCell(mould: Mould, place: Coordinates, common: Common): Cell | undefined {
  const { draft, overrides, defaults, modelSet } = mould
  const { written, before } = common
  const keys = keysAt(place)
  const address = cellAddress(draft.id, keys)
  const { vars, sources, jobs, report } = mould.scope
  const { known, isKnown } = common
  const names: CellNames = { id: draft.id, address, key: keys.join('_'), place, known, isKnown }
  const scope: FillScope = { vars, sources, jobs, report, cell: { names } }
  const condition = ownEntry(draft.own, 'if')
  if (condition && !readTruth(fillEntry(condition, scope), report)) return undefined
  const fitting =
    overrides.length === 0 ? overrides : overrides.filter(override => fitsPattern(place, override.match))
  for (const override of fitting) override.hits.push(place)
  const said = filledEntries(overridden(written, fitting.map(ownOf)), scope)
  const model = modelOf(draft, said, { defaults, modelSet, scope })
  const usual = model && modelDefaults(model, defaults)
  const ownEntries = withUsual(said, usual, scope, isOwnDefault)
  const gate = usualGate(said, usual, scope)
  const isWritten = !gate || gate === usual?.get('gate')?.entry
  const own =
    before && isWritten && isReadAlike(before, { usual, ownEntries })
      ? before.own
      : readOwn(ownEntries, report, { own: mould.scope.gates, usual: gate })
  const output = before?.ownEntries === ownEntries ? before.output : outputOf(ownEntries, report)
  const params = overridden(draft.params, fitting.map(paramsOf))
  const given = withUsual(filledEntries(params, scope), usual, scope, name => !isOwnDefault(name))
  const count = model && countOf(given, model)
  const makes = model && count ? madeAs({ kind: outputKind(model), count }, before?.makes) : undefined
  return { draft, address, place, model, own, output, ownEntries, given, makes, usual }
}

/** What nothing is filled in of is the same in the cells of a job, and is read once. Each cell has an output of its own. */
function isReadAlike(before: Cell, { usual, ownEntries }: Pick<Cell, 'usual' | 'ownEntries'>): boolean {
  if (before.usual !== usual || before.ownEntries.length !== ownEntries.length) return false
  return ownEntries.every((entry, nth) => {
    const other = before.ownEntries[nth]
    return other === entry || (other?.key === entry.key && entry.key.source === 'output')
  })
}

function outputOf(ownEntries: readonly FilledEntry[], report: ReportProblem): string | undefined {
  const entry = ownEntry(ownEntries, 'output')
  return entry && readText(entry, report)?.text
}

/** One for all cells of a job that make the same. */
function madeAs(makes: Makes, before: Cell['makes']): Makes {
  return before?.kind === makes.kind && before.count === makes.count ? before : makes
}

const ownOf = (override: Override) => override.own
const paramsOf = (override: Override) => override.params

/** Later layers win, in the place where the entry was first written. */
function overridden(
  first: readonly TextEntry[],
  layers: readonly (readonly TextEntry[])[],
): readonly TextEntry[] {
  if (layers.length === 0) return first
  const byName = [first, ...layers].flat().map(entry => [entry.key.source, entry] as const)
  return [...new Map(byName).values()]
}

/** Filled in, without those that come to nothing in this cell. The same list when there is nothing to fill. */
function filledEntries(entries: readonly TextEntry[], scope: FillScope): readonly FilledEntry[] {
  let isAsWritten = true
  const filled = entries.map(entry => {
    const takesTokens = entry.key.source === 'output' && isTemplate(entry.value)
    const each = fillEntry(entry, takesTokens ? { takesTokens, ...scope } : scope)
    if (each !== entry) isAsWritten = false
    return each
  })
  if (isAsWritten) return entries
  return filled.some(isAbsent) ? filled.filter(entry => !isAbsent(entry)) : filled
}

function isAbsent({ value }: FilledEntry): boolean {
  return value.kind === 'scalar' && value.isAbsent === true
}

/** Adds what the job does not say itself, of those names that are meant. */
function withUsual(
  said: readonly FilledEntry[],
  usual: Cell['usual'],
  scope: FillScope,
  isWanted: (name: string) => boolean,
): readonly FilledEntry[] {
  if (!usual || usual.size === 0) return said
  const added: FilledEntry[] = []
  for (const [name, { entry }] of usual) {
    if (!isWanted(name) || entryIn(said, name)) continue
    const filled = fillEntry(entry, scope)
    if (!isAbsent(filled)) added.push(filled)
  }
  return added.length === 0 ? said : [...said, ...added]
}

/** What defaults say of looks that a job does not name, where it has words of its own for some. */
function usualGate(
  said: readonly FilledEntry[],
  usual: Cell['usual'],
  scope: FillScope,
): FilledEntry | undefined {
  const entry = ownEntry(said, 'gate') && usual?.get('gate')?.entry
  const filled = entry && fillEntry(entry, scope)
  return filled && !isAbsent(filled) ? filled : undefined
}

interface ModelSources {
  readonly defaults: Defaults
  readonly modelSet: ModelSet
  readonly scope: FillScope
}

function modelOf(
  draft: Draft,
  said: readonly FilledEntry[],
  { defaults, modelSet, scope }: ModelSources,
): Model | undefined {
  const entry = ownEntry(said, 'model') ?? (defaults.model && fillEntry(defaults.model, scope))
  if (!entry) {
    // A slip in the word itself is told where it stands.
    if (draft.params.some(({ key }) => isMeant(key.source, 'model', modelSet))) return undefined
    const hint = 'write `model: …` in the job, or for all jobs under `defaults`; `genrun models` lists them'
    scope.report(error('missing-model', draft.at, `the job ${draft.id} has no model`, hint))
    return undefined
  }
  const word = readText(entry, scope.report)
  if (!word) return undefined
  const declared = modelSet.all(word.text)
  const [first] = declared
  if (!first) scope.report(unknownModel(word.text, word.at, modelSet))
  if (!first || declared.length === 1) return first
  // Which of them is meant, the service of the job says.
  const usual = modelDefaults(first, defaults).get('service')?.entry
  const named = ownEntry(said, 'service') ?? (usual && fillEntry(usual, scope))
  // What is wrong with that word is told where the job's own keys are read.
  const service = named && readText(named, () => undefined)?.text
  const model = modelAt(declared, service)
  if (!model) scope.report(atSeveral(word, declared, service))
  return model
}

function atSeveral(
  { text, at }: Pick<Word, 'text' | 'at'>,
  declared: readonly Model[],
  service: string | undefined,
): Diagnostic {
  const has = listed(declared.flatMap(model => model.service ?? []))
  return service === undefined
    ? error('unknown-service', at, `${text} is a model of ${has}`, 'say which of them is asked: `service: …`')
    : error('unknown-service', at, `the service ${service} has no model ${text}`, `it is a model of ${has}`)
}

function unknownModel(id: string, at: Diagnostic['at'], modelSet: ModelSet): Diagnostic {
  const sameName = modelSet.models.find(model => model.name.toLowerCase() === id.toLowerCase())
  const near = sameName?.id ?? nearest(id, modelSet.ids)
  return error(
    'unknown-model',
    at,
    `there is no model ${id}`,
    near ? `did you mean ${near}` : '`genrun models` lists them',
  )
}

/** Undefined when the written count is wrong: then nothing can be said about the files. */
function countOf(given: readonly FilledEntry[], model: Model): number | undefined {
  const param = paramOf(model, 'count')
  const value = entryIn(given, 'count')?.value
  if (!param || !value) return outputCount(model, {})
  if (value.kind !== 'scalar' || param.type !== 'enum') return undefined
  const meant = param.values.find(
    known => known === value.value || (value.isUntyped && String(known) === value.source.trim()),
  )
  return meant === undefined ? undefined : outputCount(model, { count: meant })
}

/** What may be read in any cell: a name that only some have is empty in the others, one that none has is a slip. */
function knownNames(grid: Grid): Pick<CellNames, 'isKnown' | 'known'> {
  if (grid === single) return noNames
  const answers = new Map<string, readonly string[]>()
  const known = (path: readonly string[]) => {
    const name = path.join('\0')
    const answer = answers.get(name) ?? namesUnder(grid, path)
    answers.set(name, answer)
    return answer
  }
  const isKnown = (path: readonly string[]) => {
    const last = path.at(-1)
    return known(path.slice(0, -1)).some(name => name === last)
  }
  return { known, isKnown }
}

const noNames: Pick<CellNames, 'isKnown' | 'known'> = { known: () => [], isKnown: () => false }

function namesUnder(grid: Grid, path: readonly string[]): string[] {
  const names = new Set<string>()
  const [axis, ...steps] = path
  for (const place of grid.cells) {
    if (axis === undefined) for (const name of namesAt(place)) names.add(name)
    else {
      let here = axisValue(place, axis)
      for (const step of steps)
        here = here?.kind === 'map' ? here.entries.find(({ key }) => key.source === step)?.value : undefined
      if (here?.kind === 'map') for (const { key } of here.entries) names.add(key.source)
    }
  }
  return [...names]
}
