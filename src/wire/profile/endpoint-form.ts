import { listed } from '../../base/nearest.ts'
import type { TextEntry } from '../../text/tree.ts'
import type { EndpointRule } from './endpoints.ts'
import { type Form, type ProfileReport, wrong } from './form.ts'
import type { Template } from './template.ts'
import { textTemplateOf } from './template-form.ts'

type Method = EndpointRule['method']

/** What an address may be. */
interface EndpointForm {
  /** The first is the usual one. */
  readonly methods: readonly [Method, ...Method[]]
  /** Which may stand in it. */
  readonly names: readonly string[]
  readonly example: string
  /** It may stand below the address that a run is known by. */
  readonly mayBeginWithId?: boolean
  /** Without the id of a run it would mean another thing. */
  readonly needsId?: boolean
}

/** An address below the base address: `POST /v1/${{ workflow }}?api-version=3`. */
export function endpoint({
  methods,
  names,
  example,
  mayBeginWithId = false,
  needsId = false,
}: EndpointForm): Form<EndpointRule> {
  const words = textTemplateOf(names)
  return {
    schema: {
      type: 'string',
      pattern: `^((${methods.join('|')}) +)?(/${mayBeginWithId ? '|\\$\\{\\{ *id *\\}\\}' : ''})`,
    },
    read(entry, report) {
      const template = words.read(entry, report)
      const parts = template && partsOf(template)
      if (!parts) return undefined
      const [first] = parts
      const head = typeof first === 'string' ? /^([A-Za-z]+) +/.exec(first) : null
      const method = head ? methods.find(each => each === head[1]) : methods[0]
      if (!method) return tell(entry, report, `is asked by ${listed(methods, 'or')}`, example)
      const cutHead =
        head && typeof first === 'string' ? [first.slice(head[0].length), ...parts.slice(1)] : parts
      const rest = cutHead[0] === '' ? cutHead.slice(1) : cutHead
      const { path, query } = cut(rest)
      const flaw =
        mayBeginWithId && beginsWithId(path) ? flawBelow(path.slice(1), query) : flawOf(path, query)
      if (flaw !== undefined) return tell(entry, report, flaw, example)
      if (needsId && !asksForId(rest))
        return tell(entry, report, 'names no run: ${{ id }} is missing', example)
      return { method, path, query: itemsOf(query) }
    },
  }
}

type Parts = EndpointRule['path']

function tell(entry: TextEntry, report: ProfileReport, message: string, example: string): undefined {
  report(wrong(entry, message, `for instance ${example}`))
}

function partsOf(template: Template): Parts | undefined {
  switch (template.is) {
    case 'value':
      return typeof template.value === 'string' ? [template.value] : undefined
    case 'expression':
      return [template.of]
    case 'text':
      return template.parts
    case 'list':
    case 'map':
      return undefined
  }
}

/** The path, and what stands behind the first question mark. */
function cut(parts: Parts): { readonly path: Parts; readonly query: Parts } {
  const at = parts.findIndex(part => typeof part === 'string' && part.includes('?'))
  const mark = parts[at]
  if (typeof mark !== 'string') return { path: parts, query: [] }
  const behind = mark.indexOf('?')
  return {
    path: [...parts.slice(0, at), mark.slice(0, behind)].filter(part => part !== ''),
    query: [mark.slice(behind + 1), ...parts.slice(at + 1)].filter(part => part !== ''),
  }
}

function asksForId(parts: Parts): boolean {
  return parts.some(part => typeof part === 'object' && part.is === 'name' && part.name === 'id')
}

function beginsWithId([first]: Parts): boolean {
  return typeof first === 'object' && first.is === 'name' && first.name === 'id'
}

/** Of what stands behind the address of a run: nothing, `/files`, `:cancel`. */
function flawBelow(path: Parts, query: Parts): string | undefined {
  const [first] = path
  if (first === undefined) return flawOf(['/'], query)
  if (typeof first !== 'string' || !/^[/:]/.test(first)) return 'goes on behind the id with / or :'
  return flawOf([first.replace(/^:/, '/:'), ...path.slice(1)], query)
}

function flawOf(path: Parts, query: Parts): string | undefined {
  const [first] = path
  if (typeof first !== 'string' || !first.startsWith('/')) return 'is a path that begins with /'
  const shown = path.map(part => (typeof part === 'string' ? part : 'x')).join('')
  const isSame =
    URL.canParse(shown, 'https://base.invalid') && new URL(shown, 'https://base.invalid').pathname === shown
  if (!isSame || shown.startsWith('//')) return 'holds what cannot stand in a path'
  const text = query.map(part => (typeof part === 'string' ? part : 'x')).join('')
  if (/[\s#]/.test(text)) return 'holds what cannot stand in a query'
  const isNamed = text === '' || text.split('&').every(item => /^[^=]+(=|$)/.test(item))
  return isNamed ? undefined : 'has a query without a name'
}

/** `a=1&b=${{ x }}` as names and values. */
function itemsOf(query: Parts): EndpointRule['query'] {
  const items: (string | Parts[number])[][] = [[]]
  for (const part of query) {
    if (typeof part !== 'string') items.at(-1)?.push(part)
    else
      for (const [nth, text] of part.split('&').entries()) {
        if (nth > 0) items.push([])
        if (text !== '') items.at(-1)?.push(text)
      }
  }
  return items.flatMap(([first, ...more]) => {
    if (typeof first !== 'string') return []
    const equals = first.indexOf('=')
    const name = equals < 0 ? first : first.slice(0, equals)
    return [[name, valueOf(equals < 0 ? [] : [first.slice(equals + 1), ...more].filter(part => part !== ''))]]
  })
}

function valueOf(parts: Parts): Template {
  const [only] = parts
  if (parts.length === 0) return { is: 'value', value: '' }
  if (parts.length > 1 || only === undefined) return { is: 'text', parts }
  return typeof only === 'string' ? { is: 'value', value: decoded(only) } : { is: 'expression', of: only }
}

/** It is encoded when it is filled in. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
