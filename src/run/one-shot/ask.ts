import type { Diagnostic } from '../../base/diagnostic.ts'
import type { Json, JsonObject } from '../../base/names.ts'
import { headOf, type SourceFile, type Span } from '../../base/source.ts'
import type { Filled, FilledEntry } from '../../manifest/shapes/filled.ts'
import { digestBytes, digestOf } from '../../store/files/digest.ts'
import { toJson } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'

/** One job without a manifest: what a command line, a tool call or a program says, with the place of everything. */
export interface JobAsk {
  /** As it was given; undefined where it is missing. */
  readonly model: { readonly id: string; readonly at: Span } | undefined
  readonly params: readonly FilledEntry[]
  /** What concerns the job as a whole is told here. */
  readonly at: Span
  /** Its parameters are flags of a command line. */
  readonly isFlags?: true
  /** Bytes by the word that stands for them in `params`. */
  readonly inline: ReadonlyMap<string, Uint8Array>
}

export interface AskRead {
  /** Undefined where the values cannot be read. */
  readonly ask: JobAsk | undefined
  readonly problems: readonly Diagnostic[]
}

/** The value of a parameter as a program gives it: JSON, in which bytes stand for files. */
export type GivenValue = Json | Uint8Array | readonly GivenValue[] | { readonly [key: string]: GivenValue }

/**
 * Parameters of a program. Problems point into the call written as JSON; `name` names that text. Bytes and data URIs
 * are set aside, so that no message is buried under them.
 */
export function askOf(
  model: string,
  params: { readonly [name: string]: GivenValue },
  name = 'params',
): AskRead {
  const aside = new Map<string, Uint8Array>()
  const text = JSON.stringify({ model, ...(setAside(params, aside) as JsonObject) }, undefined, 2) // an object stays one
  return readAsk({ name, text }, aside)
}

/** A call as JSON text: `{ "model": …, "prompt": … }`. */
function readAsk(file: SourceFile, inline: JobAsk['inline'] = new Map()): AskRead {
  const { value, problems } = readYaml(file)
  if (value?.kind !== 'map') return { ask: undefined, problems }
  const entry = value.entries.find(({ key }) => key.source === 'model')
  const model = entry && { id: String(toJson(entry.value)), at: entry.value }
  const params = value.entries.filter(each => each !== entry)
  return { ask: { model, params, at: entry?.key ?? headOf(file), inline }, problems: [] }
}

/** What a call is known by on every face: the same for the same model and parameters, in whatever order they stand. */
export function callDigest({ model, params, inline }: JobAsk): string {
  const given = params.map(({ key, value }) => [key.source, asJson(value, inline)])
  return digestOf({ ...Object.fromEntries(given), model: model?.id ?? null })
}

function asJson(node: Filled, inline: JobAsk['inline']): Json {
  switch (node.kind) {
    case 'scalar': {
      const bytes = inline.get(node.source)
      return bytes ? digestBytes(bytes) : node.value
    }
    case 'list':
      return node.items.map(item => asJson(item, inline))
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.source, asJson(value, inline)]))
    case 'reference':
    case 'unfilled':
      // Nothing is filled in without a manifest: it is the text that was given.
      return node.file.text.slice(node.start, node.end)
  }
}

function setAside(value: GivenValue | undefined, aside: Map<string, Uint8Array>): Json {
  if (value instanceof Uint8Array) return wordFor(value, aside)
  if (typeof value === 'string') {
    const bytes = dataUriBytes(value)
    return bytes ? wordFor(bytes, aside) : value
  }
  if (Array.isArray(value)) return value.map(item => setAside(item, aside))
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json // lists and objects are dealt with
  const given = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(given.map(([key, inner]) => [key, setAside(inner, aside)]))
}

function wordFor(bytes: Uint8Array, aside: Map<string, Uint8Array>): string {
  const word = `<${bytes.byteLength} bytes, ${aside.size + 1}>`
  aside.set(word, bytes)
  return word
}

/** The bytes of `data:image/png;base64,…`; undefined for anything else. */
function dataUriBytes(text: string): Uint8Array | undefined {
  const match = /^data:[^,]*;base64,/i.exec(text)
  return match ? Buffer.from(text.slice(match[0].length), 'base64') : undefined
}
