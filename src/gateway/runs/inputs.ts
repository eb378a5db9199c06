import { type Json, type JsonObject, type Pointer, pointer } from '../../base/names.ts'
import { type MediaKind, type Model, memberMedia, type Param } from '../../catalog/index.ts'
import { type Media, probe } from '../../media/probe.ts'
import { isObject } from '../http/body.ts'
import { dataUriBytes } from '../http/data-uri.ts'

/** One file of a request, measured. */
export interface Input {
  /** The parameter, or the member of an object array, that it was given for: `startFrame`, `image_url`. */
  readonly param: string
  readonly kind: MediaKind
  /** Its place in the parameters: `/startFrame`, `/omniImageList/0/image_url`. */
  readonly at: Pointer
  /** Undefined for a link to elsewhere, which is never fetched. */
  readonly file?: { readonly bytes: Uint8Array; readonly media: Media }
}

/** Something wrong with a file, by its place in the parameters. */
interface InputProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint?: string
}

/** The bytes behind a link to one of our own files; `elsewhere` for links that are not ours. */
export type OwnFiles = (link: string) => Promise<Uint8Array | 'elsewhere' | 'gone'>

/** Reads every file of a request. The parameters are valid: files are texts that are not blank. */
export async function readInputs(
  model: Model,
  params: JsonObject,
  ownFiles: OwnFiles,
): Promise<{ inputs: Input[]; problems: InputProblem[] }> {
  const inputs: Input[] = []
  const problems: InputProblem[] = []
  for (const place of filePlaces(model, params)) {
    const read = await readInput(place, ownFiles)
    if ('message' in read) problems.push(read)
    else inputs.push(read)
  }
  return { inputs, problems: [...problems, ...tooLong(model, params, inputs)] }
}

interface FilePlace {
  readonly path: readonly (string | number)[]
  readonly param: string
  readonly kind: MediaKind
  readonly text: string
}

/** Every file that parameters hold, in the catalog's order, lists item by item. */
function filePlaces(model: Model, params: JsonObject): FilePlace[] {
  return Object.entries(model.params).flatMap(([name, param]) => placesOf(name, param, params[name]))
}

function placesOf(name: string, param: Param, value: Json | undefined): FilePlace[] {
  if (param.type === 'file') {
    const { media: kind } = param
    // Of a file of any kind nothing is known here.
    if (kind === 'file') return []
    if (typeof value === 'string') return [{ path: [name], param: name, kind, text: value }]
    return texts(value).map(([index, text]) => ({
      path: [name, index],
      param: name,
      kind,
      text,
    }))
  }
  if (param.type !== 'object[]' || !Array.isArray(value)) return []
  return value.flatMap((item: Json, index) =>
    param.members.flatMap(member => {
      const kind = memberMedia(member)
      const text = isObject(item) ? item[member] : undefined
      return kind && typeof text === 'string'
        ? [{ path: [name, index, member], param: member, kind, text }]
        : []
    }),
  )
}

function texts(value: Json | undefined): [number, string][] {
  const list: readonly Json[] = Array.isArray(value) ? value : []
  return list.flatMap((item, index): [number, string][] => (typeof item === 'string' ? [[index, item]] : []))
}

async function readInput(place: FilePlace, ownFiles: OwnFiles): Promise<Input | InputProblem> {
  const { path, param, kind, text } = place
  const at = pointer(path)
  const bytes = await bytesOf(text.trim(), ownFiles)
  if (bytes === 'elsewhere') return { param, kind, at }
  if (typeof bytes === 'string') return { path, ...wordsFor[bytes] }
  const probed = await probe(bytes)
  if (probed.got === 'broken') return { path, message: `the ${kind} is not usable: ${probed.why}` }
  if (probed.media.kind !== kind) {
    return {
      path,
      message: `the file is not ${article(kind)} but ${article(probed.media.kind)} (${probed.media.type})`,
    }
  }
  return { param, kind, at, file: { bytes, media: probed.media } }
}

async function bytesOf(
  text: string,
  ownFiles: OwnFiles,
): Promise<Uint8Array | 'elsewhere' | keyof typeof wordsFor> {
  if (/^data:/i.test(text)) return dataUriBytes(text) ?? 'malformed'
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? ownFiles(text) : 'unreachable'
}

const wordsFor = {
  malformed: { message: 'the data: URI is malformed' },
  gone: { message: 'the file behind the link is gone' },
  unreachable: {
    message: 'a file must be a data: URI or an http link',
    hint: 'send the bytes as data:<type>;base64,… or upload them first',
  },
} as const

/** The specification bounds a reference video by what another parameter says: orientation `image`, at most 10 s. */
function tooLong(model: Model, params: JsonObject, inputs: readonly Input[]): InputProblem[] {
  return Object.entries(model.params).flatMap(([name, param]) => {
    if (param.type !== 'enum' || !param.referenceSeconds) return []
    const value = params[name] ?? param.default
    const [word, longest] = Object.entries(param.referenceSeconds).find(([each]) => each === value) ?? []
    if (word === undefined || longest === undefined) return []
    return inputs.flatMap(input => {
      const seconds = input.kind === 'video' ? (input.file?.media.seconds ?? 0) : 0
      if (seconds <= longest + slackSeconds) return []
      const message = `the video has ${round(seconds)} s; with ${name} ${word} it can have ${longest} s at most`
      return [{ path: [input.param], message }]
    })
  })
}

// Containers round to frames: a clip cut to ten seconds often has some milliseconds more.
const slackSeconds = 0.1

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

function article(kind: MediaKind): string {
  if (kind === 'audio') return kind
  return kind === 'video' ? 'a video' : 'an image'
}
