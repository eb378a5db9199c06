import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { Span } from '../base/source.ts'
import type { MediaKind } from '../catalog/index.ts'
import { mediaWord } from './intake.ts'

/** Endings that are dropped from an output: the real one comes from the bytes. */
export const mediaEndings: { readonly [kind in MediaKind]: readonly string[] } = {
  image: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif', 'bmp', 'tif', 'tiff', 'heic', 'svg'],
  video: ['mp4', 'm4v', 'mov', 'webm', 'mkv', 'avi', 'mpg', 'mpeg'],
  audio: ['wav', 'mp3', 'ogg', 'oga', 'opus', 'flac', 'aac', 'm4a', 'aif', 'aiff'],
}

/** A checked output path, or what is wrong with it. */
export function readOutput(text: string, at: Span, kind: MediaKind | undefined): string | Diagnostic {
  const fault = pathFault(text) ?? nameFault(text)
  if (fault) return error('bad-output', at, fault.message, fault.hint)
  const path = text
    .split('/')
    .filter(segment => segment !== '.')
    .join('/')
  const ending = /\.([^./]+)$/.exec(path)?.[1]
  const meant = ending && kindOfEnding(ending.toLowerCase())
  if (!ending || !meant || !kind) return path
  if (meant === kind) return path.slice(0, -ending.length - 1)
  const message = `the job makes ${mediaWord(kind)}, and \`.${ending}\` is the ending of ${mediaWord(meant)}`
  return error(
    'bad-output',
    at,
    message,
    `write ${path.slice(0, -ending.length - 1)}; the ending comes from the file itself`,
  )
}

function kindOfEnding(ending: string): MediaKind | undefined {
  const kinds: readonly MediaKind[] = ['image', 'video', 'audio']
  return kinds.find(kind => mediaEndings[kind].includes(ending))
}

interface Fault {
  readonly message: string
  readonly hint?: string
}

function pathFault(text: string): Fault | undefined {
  if (text.includes('\\')) {
    return { message: 'a path is written with forward slashes', hint: `write ${text.replaceAll('\\', '/')}` }
  }
  const hint = 'it is a path inside the output folder'
  if (/^([A-Za-z]:|\/|~)/.test(text))
    return { message: 'an output cannot lead to another place of the disk', hint }
  const segments = text.split('/').filter(segment => segment !== '.')
  if (segments.includes('..')) return { message: 'an output cannot lead out of the output folder', hint }
  if (text.endsWith('/'))
    return { message: 'an output ends in a file name', hint: `for instance ${text}hero` }
  if (segments.includes('') || segments.length === 0) return { message: 'a folder in this path has no name' }
  return undefined
}

function nameFault(text: string): Fault | undefined {
  const segments = text.split('/').filter(segment => segment !== '.')
  if (segments[0] === 'takes' || segments[0]?.startsWith('.')) {
    return {
      message: `\`${segments[0]}\` is kept for what genrun puts there itself`,
      hint: 'choose another name',
    }
  }
  for (const segment of segments) {
    const fault = segmentFault(segment)
    if (fault) return fault
  }
  return undefined
}

/** What some file system cannot hold. */
function segmentFault(segment: string): Fault | undefined {
  const [stem = ''] = segment.split('.')
  if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i.test(stem.trimEnd())) {
    return { message: `${stem} is the name of a device on Windows`, hint: 'choose another name' }
  }
  const bad = /[<>:"|?*\p{Cc}\p{Cf}]/u.exec(segment)?.[0]
  if (bad) return { message: `\`${bad}\` cannot stand in a file name everywhere`, hint: 'leave it out' }
  if (/[. ]$|^ /.test(segment))
    return { message: `the name \`${segment}\` begins or ends with a blank or a dot` }
  if (Buffer.byteLength(segment) > longestName)
    return { message: `a name in this path is longer than ${longestName} bytes` }
  return undefined
}

// File systems take 255 bytes; take, number and ending are added.
const longestName = 200

/** The bare name holds take 1; the others lie aside (DESIGN.md section 8). */
export function outputOfTake(output: string, take: number): string {
  return take === 1 ? output : `takes/${output}.take${take}`
}
