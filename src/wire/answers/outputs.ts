import { isLink } from '../../base/link.ts'
import type { Json, JsonObject } from '../../base/names.ts'
import { fold } from '../profile/fold.ts'
import type { OutputSearch, ResponseRules } from '../profile/profile.ts'
import { valueAt } from './fields.ts'

/** One output as an answer holds it. `body` is the answer's own body. */
export type Output =
  | { readonly is: 'link'; readonly url: string }
  /** With or without a `data:` prefix. */
  | { readonly is: 'base64'; readonly text: string }
  | { readonly is: 'body' }

/** What a search may cost: no answer of honest size comes near. */
const bounds = { depth: 10, values: 5_000, outputs: 64 } as const

/**
 * The outputs an answer holds, each once: at the profile's places, else by known keys, else every media link anywhere.
 * What was sent (`params`, `input` …) is never looked into, and a text that is in `sent` is no output.
 */
export function findOutputs(
  value: Json,
  rules: ResponseRules,
  sent: ReadonlySet<string> = new Set(),
): Output[] {
  const { search: keys } = rules
  for (const place of rules.outputs) {
    const found = search(valueAt(value, place), 'output', keys, sent)
    if (found.length > 0) return found
  }
  // An answer that is nothing but a text or a list is an output; an object is a wrapper until it shows otherwise.
  const isBare = typeof value === 'string' || Array.isArray(value)
  const known = search(value, isBare ? 'output' : 'wrapper', keys, sent)
  return known.length > 0 ? known : search(value, 'anything', keys, sent)
}

/** What can stand at a place. An object among the outputs is one file; around them it may hold links of its own. */
type Place = 'wrapper' | 'output' | 'anything'

interface Search {
  readonly keys: OutputSearch
  readonly seen: Set<string>
  readonly found: Output[]
  left: number
}

function search(
  value: Json | undefined,
  place: Place,
  keys: OutputSearch,
  sent: ReadonlySet<string>,
): Output[] {
  const state: Search = { keys, seen: new Set(sent), found: [], left: bounds.values }
  if (value !== undefined) visit(state, value, place, 0)
  return state.found
}

function visit(state: Search, value: Json, place: Place, depth: number): void {
  if (depth > bounds.depth || state.left-- <= 0) return
  if (typeof value === 'string') {
    if (place === 'output') take(state, outputIn(value))
    if (place === 'anything' && mediaLink.test(value)) take(state, { is: 'link', url: value })
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) visit(state, item, place, depth + 1)
    return
  }
  // Neither text nor list nor null: an object. `Array.isArray` does not rule out readonly lists for the compiler.
  visitMembers(state, membersOf(value as JsonObject), place, depth)
}

/** The members of an object, in their order, by their folded keys: an object of 100,000 keys is walked through once. */
type Members = ReadonlyMap<string, readonly Json[]>

function membersOf(value: JsonObject): Members {
  const members = new Map<string, Json[]>()
  for (const [name, member] of Object.entries(value)) {
    const key = fold(name)
    const alike = members.get(key)
    if (alike) alike.push(member)
    else members.set(key, [member])
  }
  return members
}

/** The first group of keys that yields something wins: the others are views of the same files. */
function visitMembers(state: Search, members: Members, place: Place, depth: number): void {
  const { keys, found } = state
  const before = found.length
  const own = () => takeOwn(state, members, depth)
  const outputs = () => descend(state, members, { wanted: keys.outputs, place: 'output', depth })
  const wrappers = () => descend(state, members, { wanted: keys.wrappers, place: 'wrapper', depth })
  const rest = () => visitRest(state, members, depth)
  const steps = place === 'output' ? [own, outputs, wrappers] : [outputs, wrappers, own]
  for (const step of place === 'anything' ? [...steps, rest] : steps) {
    step()
    if (found.length > before) return
  }
}

interface Step {
  readonly wanted: readonly string[]
  readonly place: Place
  readonly depth: number
}

/** Visits the members of the first wanted key that yields something. */
function descend(state: Search, members: Members, { wanted, place, depth }: Step): void {
  const before = state.found.length
  for (const key of wanted) {
    for (const member of members.get(fold(key)) ?? []) visit(state, member, place, depth + 1)
    if (state.found.length > before) return
  }
}

/** Visits all members but those that hold what was sent. */
function visitRest(state: Search, members: Members, depth: number): void {
  const skipped = new Set(state.keys.skip.map(fold))
  for (const [key, alike] of members) {
    if (state.left <= 0) return
    for (const member of skipped.has(key) ? [] : alike) visit(state, member, 'anything', depth + 1)
  }
}

/** The file that an object describes by its own members: the best of its links, else its bytes. */
function takeOwn(state: Search, members: Members, depth: number): void {
  const before = state.found.length
  for (const member of inOrder(members, state.keys.links)) {
    if (typeof member !== 'string') visit(state, member, 'output', depth + 1)
    else if (leadsToBytes(member) || isPath(member)) take(state, { is: 'link', url: member })
    if (state.found.length > before) return
  }
  for (const member of inOrder(members, state.keys.base64)) {
    if (typeof member === 'string' && isBase64(member)) take(state, { is: 'base64', text: member })
    if (state.found.length > before) return
  }
}

function inOrder(members: Members, keys: readonly string[]): readonly Json[] {
  return keys.flatMap(key => members.get(fold(key)) ?? [])
}

/** A text where an output is expected. Base64 of anything but media could as well be a name or a token. */
function outputIn(text: string): Output | undefined {
  if (leadsToBytes(text)) return { is: 'link', url: text }
  return mediaBase64.test(text) && isBase64(text) ? { is: 'base64', text } : undefined
}

function take(state: Search, output: Output | undefined): void {
  if (output === undefined || output.is === 'body' || state.found.length >= bounds.outputs) return
  const text = output.is === 'link' ? output.url : output.text
  if (state.seen.has(text)) return
  state.seen.add(text)
  state.found.push(text.startsWith('data:') ? { is: 'base64', text } : output)
}

function leadsToBytes(text: string): boolean {
  return text.startsWith('data:') || (text.length <= longestLink && isLink(text))
}

/** A link relative to the service's origin. Base64 of a JPEG begins with a slash too. */
function isPath(text: string): boolean {
  return text.length <= longestLink && /^\/[^/\s]\S*$/.test(text) && !mediaBase64.test(text)
}

function isBase64(text: string): boolean {
  return (
    text.startsWith('data:') ||
    (text.length >= 16 && /^[A-Za-z0-9+/_\-\s]+={0,2}\s*$/.test(text.slice(0, 4096)))
  )
}

const longestLink = 8192

/** A link to a file, by its name: what counts where nothing else says that an output stands there. */
const mediaLink =
  /^https?:\/\/[^\s?#]+\.(png|jpe?g|webp|gif|avif|mp4|mov|webm|wav|mp3|ogg|flac|aac|m4a)([?#]\S*)?$/i

/** First letters of PNG, JPEG, GIF, RIFF, WebM, Ogg, FLAC, ID3, MPEG audio and MP4 in base64. */
const mediaBase64 =
  /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|GkXfo|T2dnUw|ZkxhQw|SUQz|\/\/[a-zA-Z0-9+/]{14}|AAAA[A-Za-z0-9+/]{2}Z0eX)/
