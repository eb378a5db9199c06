import { error } from '../../base/diagnostic.ts'
import { type Json, type Pointer, pointer } from '../../base/names.ts'
import { type FileParam, memberMedia, type ObjectsParam } from '../../catalog/index.ts'
import type { Cell } from '../expand/expand.ts'
import type { Families } from '../expand/families.ts'
import { readFileName } from '../fill/files.ts'
import { type Filled, type FilledScalar, filledJson, referencesIn } from '../shapes/filled.ts'
import type { Intake } from '../shapes/intake.ts'
import type { FileRef, Path } from '../shapes/job.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { type LocalInput, withUse } from './inputs.ts'
import type { NamedNeed } from './needs.ts'
import { resolveReference } from './references.ts'

/** What is gathered while a cell's values are cut into values and files. */
export interface Casting {
  readonly cell: Cell
  readonly families: Families
  readonly report: ReportProblem
  readonly files: Map<Pointer, readonly FileRef[]>
  readonly locals: LocalInput[]
  /** Jobs whose files are used, and where. */
  readonly waits: NamedNeed[]
  /** Of lists of files, which one text or reference gave each item. */
  readonly places: Map<string, readonly Filled[]>
}

export interface CastValue {
  /** For the check of parameters: files as any text. */
  readonly stated: Json
  /** For the job: without files; undefined for a file. */
  readonly plain?: Json
}

/** The value of a parameter that takes files, as the check of parameters reads it. */
export function castFiles(casting: Casting, name: string, param: FileParam, value: Filled): Json {
  const isList = param.maxItems !== undefined
  const items = value.kind === 'list' ? value.items : [value]
  const intake: Intake = { name, media: param.media, isList }
  const cast = items.map(item => castFile(casting, intake, item))
  const refs = cast.flatMap(file => file.refs)
  if (refs.length > 0) casting.files.set(pointer([name]), refs)
  casting.places.set(
    name,
    items.flatMap((item, index) => cast[index]?.stated.map(() => item) ?? []),
  )
  const stated = cast.flatMap(file => file.stated)
  return value.kind === 'list' || stated.length !== 1 ? stated : (stated[0] ?? null)
}

interface CastFile {
  readonly refs: readonly FileRef[]
  /** One text per file; the value itself when it cannot name one. */
  readonly stated: readonly Json[]
}

function castFile(casting: Casting, intake: Intake, item: Filled): CastFile {
  if (item.kind === 'reference') {
    const refs = resolveReference(item, { cell: casting.cell, intake }, casting.families, casting.report)
    for (const each of refs ?? [])
      if (each.from === 'job') casting.waits.push({ address: each.address, at: item })
    return refs ? { refs, stated: refs.map(() => 'file') } : { refs: [], stated: ['file'] }
  }
  if (item.kind === 'unfilled') return { refs: [], stated: ['file'] }
  if (item.kind !== 'scalar' || typeof item.value !== 'string' || item.value.trim() === '') {
    for (const ref of referencesIn(item))
      casting.report(error('wrong-type', ref, `${intake.name} takes files one by one here`))
    return { refs: [], stated: [filledJson(item, () => 'file')] }
  }
  const ref = readFileName(intake.name, item.value.trim(), placeOf(item).at)
  if ('code' in ref) {
    casting.report(withUse(ref, placeOf(item).usedAt))
    return { refs: [], stated: ['file'] }
  }
  if (ref.from === 'path')
    casting.locals.push({ name: intake.name, media: intake.media, path: ref.path, ...placeOf(item) })
  return { refs: [ref], stated: ['file'] }
}

/** A path from a table or an axis stands there. */
function placeOf(item: FilledScalar): Pick<LocalInput, 'at' | 'usedAt'> {
  return item.isData && item.origin ? { at: item.origin, usedAt: item } : { at: item }
}

/** A list of mappings, some of whose members are files. */
export function castObjects(casting: Casting, name: string, param: ObjectsParam, value: Filled): CastValue {
  if (value.kind !== 'list') return wrongObjects(casting, name, value)
  const rows = value.items.map((item, index) =>
    castRow(casting, { label: `${name}[${index}]`, path: [name, index] }, param, item),
  )
  return { stated: rows.map(row => row.stated), plain: rows.map(row => row.plain ?? null) }
}

function wrongObjects(casting: Casting, name: string, value: Filled): CastValue {
  if (value.kind === 'unfilled') return { stated: [] }
  for (const ref of referencesIn(value)) {
    const hint = 'a file goes into a member of an item that ends in `_url`'
    casting.report(error('wrong-type', ref, `${name} takes a list of mappings, not the file of a job`, hint))
  }
  return { stated: value.kind === 'reference' ? [] : filledJson(value, () => 'file') }
}

interface Row {
  readonly label: string
  readonly path: Path
}

function castRow(casting: Casting, { label, path }: Row, param: ObjectsParam, item: Filled): CastValue {
  if (item.kind !== 'map') {
    for (const ref of referencesIn(item))
      casting.report(error('wrong-type', ref, `${label} is a mapping, not a file`))
    const json = item.kind === 'unfilled' || item.kind === 'reference' ? {} : filledJson(item, () => 'file')
    return { stated: json, plain: json }
  }
  const stated: Record<string, Json> = {}
  const plain: Record<string, Json> = {}
  for (const { key, value } of item.entries) {
    const member = key.source
    const media = param.members.includes(member) ? memberMedia(member) : undefined
    if (!media) {
      for (const ref of referencesIn(value)) {
        casting.report(
          error('wrong-type', ref, `${label}.${member} takes a plain value, not the file of a job`),
        )
      }
      stated[member] = filledJson(value, () => 'file')
      plain[member] = stated[member]
    } else {
      const file = castFile(casting, { name: `${label}.${member}`, media, isList: false }, value)
      if (file.refs.length > 0) casting.files.set(pointer([...path, member]), file.refs)
      stated[member] = file.stated[0] ?? null
    }
  }
  return { stated, plain }
}
