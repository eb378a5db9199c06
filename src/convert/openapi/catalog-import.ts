import type { Json, JsonObject } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import { reservedNames } from '../../manifest/read/declared.ts'
import { draftOf, type ModelDraft } from './draft.ts'
import { isJsonObject, type Source, sourcesIn } from './schemas.ts'

/** What became of a document: a catalog to be read by a person, or why there is none. */
type ImportedCatalog =
  | { readonly got: 'catalog'; readonly text: string; readonly models: number; readonly lost: number }
  | { readonly got: 'nothing'; readonly message: string; readonly hint: string }

/**
 * Drafts a catalog from an OpenAPI document. `names`: the components or operations that become models; when there is none, each
 * operation that takes a body does.
 */
export function importCatalog(document: Json, names: readonly string[]): ImportedCatalog {
  const sources = isJsonObject(document) ? sourcesIn(document) : []
  if (!isJsonObject(document) || sources.length === 0)
    return {
      got: 'nothing',
      message: 'this is no OpenAPI document with anything to order',
      hint: 'it has `paths` or `components.schemas`',
    }
  const isOperation = ({ name }: Source) => !name.startsWith('components/')
  const chosen: Source[] = []
  for (const name of names) {
    const found = sources.find(each => each.word === name || each.name === name)
    if (!found) return unknown(name, sources)
    chosen.push(found)
  }
  const meant = names.length > 0 ? chosen : sources.some(isOperation) ? sources.filter(isOperation) : sources
  const drafts = named(
    meant
      .map(source => ({ source, draft: draftOf(source, document, reservedNames) }))
      .filter(({ draft }) => Object.keys(draft.params).length > 0),
  )
  if (drafts.length === 0)
    return {
      got: 'nothing',
      message: 'nothing in it has parameters',
      hint: 'name a component or an operation',
    }
  const lost = drafts.reduce((sum, { draft }) => sum + draft.lost.length, 0)
  return { got: 'catalog', text: textOf(drafts, document), models: drafts.length, lost }
}

interface Drafted {
  readonly source: Source
  readonly draft: ModelDraft
}

/** Two of one id are told apart by numbers. */
function named(drafts: readonly Drafted[]): readonly Drafted[] {
  const taken = new Set<string>()
  return drafts.map(({ source, draft }) => {
    let id = draft.id
    for (let nth = 2; taken.has(id); nth++) id = `${draft.id}-${nth}`
    taken.add(id)
    return { source, draft: { ...draft, id } }
  })
}

function unknown(name: string, sources: readonly Source[]): ImportedCatalog {
  const words = sources.map(({ word }) => word)
  const near = nearest(name, words)
  const hint = near
    ? `did you mean ${near}`
    : `there are ${words.slice(0, 6).join(', ')}${words.length > 6 ? ', …' : ''}`
  return { got: 'nothing', message: `no component and no operation is called ${name}`, hint }
}

function textOf(drafts: readonly Drafted[], document: JsonObject): string {
  const title =
    isJsonObject(document.info) && typeof document.info.title === 'string'
      ? document.info.title
      : 'an OpenAPI document'
  const lines = [
    comment(
      `Drafted from ${title}: read it before you order anything. \`inputType\` is guessed, ids are yours to choose.`,
    ),
    'models:',
  ]
  for (const { source, draft } of drafts) {
    const { id, name, inputType, params, toProfile, lost } = draft
    lines.push(comment(source.name, 1))
    if (source.as) lines.push(comment(`for the profile: request.as is ${source.as}`, 1))
    for (const told of toProfile) lines.push(comment(`for the profile: ${told}`, 1))
    for (const each of lost) lines.push(comment(`not read: ${each}`, 1))
    lines.push(`  ${scalar(id)}:`, `    name: ${scalar(name)}`, `    inputType: ${inputType}`, '    params:')
    for (const [param, row] of Object.entries(params)) lines.push(`      ${scalar(param)}: ${flow(row)}`)
  }
  return `${lines.join('\n')}\n`
}

function comment(text: string, depth = 0): string {
  return `${'  '.repeat(depth)}# ${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`
}

/** JSON is YAML: what comes from elsewhere stands between quotes, and means nothing but itself. */
function scalar(text: string): string {
  return /^[a-z][A-Za-z0-9._/-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)
}

function flow(row: JsonObject): string {
  const members = Object.entries(row).map(([key, value]) => `${key}: ${valueText(value ?? null)}`)
  return `{ ${members.join(', ')} }`
}

function valueText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value)
}
