import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import type { InputMedia, MediaKind } from '../../catalog/index.ts'
import { sniff } from '../../media/sniff.ts'
import { closedFile } from '../fill/sources.ts'
import { isBareExpression } from '../read/values.ts'
import { mediaWord } from '../shapes/intake.ts'
import type { InputLook, Project } from '../shapes/job.ts'

/** A local file that a parameter takes. */
export interface LocalInput {
  readonly name: string
  readonly media: InputMedia
  readonly path: string
  readonly at: Span
  /** Where the value is used, when it stands in a table or on an axis. */
  readonly usedAt?: Span
}

/** docs/contract.md section 5. */
const largestInput = 50 * 1024 * 1024

/** Looks at each local input, at one path once. */
export function checkInputs(inputs: readonly LocalInput[], project: Project): Diagnostic[] {
  const seen = new Map<string, InputLook>()
  return inputs.flatMap(input => {
    const look = seen.get(input.path) ?? project.look(input.path)
    seen.set(input.path, look)
    const told = inputProblem(input, look)
    const mayBe = look.is === 'missing' && project.mayLackInputs
    const problem = told && mayBe ? { ...told, severity: 'warning' as const } : told
    return problem ? [withUse(problem, input.usedAt)] : []
  })
}

/** A problem with data, with a note at the place that reads it. */
export function withUse(problem: Diagnostic, usedAt: Span | undefined): Diagnostic {
  return usedAt ? { ...problem, notes: [{ message: 'it is used here', at: usedAt }] } : problem
}

function inputProblem(input: LocalInput, look: InputLook): Diagnostic | undefined {
  const { path, at } = input
  switch (look.is) {
    case 'file':
      return contentProblem(input, look)
    case 'missing':
      return error('missing-file', at, `there is no file ${path}`, missingHint(path))
    case 'folder':
      return error('not-a-file', at, `${path} is a folder`, `name ${mediaWord(input.media)} in it`)
    case 'outside':
    case 'hidden':
    case 'unreadable':
    case 'special':
      return closedFile(input, look.is, 'sent')
  }
}

function missingHint(path: string): string {
  const braced = /^\{\{\s*(.*?)\s*\}\}$/.exec(path)?.[1]
  if (braced !== undefined && isBareExpression(braced)) return `write \${{ ${braced} }}`
  if (isBareExpression(path)) return `write \${{ ${path} }}`
  if (/^(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev)\//.test(path) || path.startsWith('www.'))
    return `a link begins with https://, as in https://${path}`
  const several = path.split(',').map(part => part.trim())
  if (several.length > 1 && several.every(part => /\.\w{2,4}$/.test(part)))
    return `several files are a list: [${several.join(', ')}]`
  return 'a path is read from the folder of the manifest on'
}

function contentProblem(input: LocalInput, look: InputLook & { is: 'file' }): Diagnostic | undefined {
  const { name, media, path, at } = input
  if (look.bytes === 0)
    return error('wrong-media', at, `${path} is empty`, 'save it again; there is not a byte in it')
  if (look.bytes > largestInput) {
    const size = (look.bytes / 1024 / 1024).toFixed(1)
    return error(
      'large-file',
      at,
      `${path} has ${size} MiB, at most 50 MiB are sent`,
      'make it smaller, or give a link to it',
    )
  }
  const kind = sniff(look.head)?.kind
  if (media === 'file' || kind === media) return undefined
  const is = kind ? `is ${mediaWord(kind)}` : `is no ${formats[media]} file`
  const hint = kind ? `name ${mediaWord(media)}` : 'open it and save it in one of these formats'
  return error('wrong-media', at, `${name} takes ${mediaWord(media)}, and ${path} ${is}`, hint)
}

/** What `sniff` knows. */
const formats: { readonly [kind in MediaKind]: string } = {
  image: 'PNG, JPEG, WebP, GIF or AVIF',
  video: 'MP4, MOV or WebM',
  audio: 'WAV, MP3, Ogg, FLAC, AAC or M4A',
}
