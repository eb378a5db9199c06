import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import type { OutputKind } from '../../catalog/index.ts'
import { replaceTokens } from '../fill/tokens.ts'
import { mediaWord } from '../shapes/intake.ts'

/** Endings that are dropped from an output: the real one comes from the bytes. */
export const mediaEndings: { readonly [kind in OutputKind]: readonly string[] } = {
  image: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif', 'bmp', 'tif', 'tiff', 'heic', 'svg'],
  video: ['mp4', 'm4v', 'mov', 'webm', 'mkv', 'avi', 'mpg', 'mpeg'],
  audio: ['wav', 'mp3', 'ogg', 'oga', 'opus', 'flac', 'aac', 'm4a', 'aif', 'aiff'],
  file: ['glb', 'gltf', 'obj', 'fbx', 'ply', 'stl', 'usdz', 'pdf', 'zip', 'bin'],
}

/** A checked output path, its tokens as `base/output-name.ts` reads them; or what is wrong with it. */
export function readOutput(text: string, at: Span, kind: OutputKind | undefined): string | Diagnostic {
  // Nearly all names are plain, and there may be a hundred thousand of them.
  const isPlain = text.length <= 100 && plainName.test(text) && !oddName.test(text)
  return isPlain ? text : pathOf(text, at, kind)
}

// No dot, no blank, no folder of ours, no device of Windows.
const plainName = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/
const oddName = /^takes(?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:\/|$)/i

/** Whether a name made of letters alone cannot be that of a job's file: a folder of ours, a device of Windows. */
export function isKeptName(name: string): boolean {
  return oddName.test(name)
}

function pathOf(text: string, at: Span, kind: OutputKind | undefined): string | Diagnostic {
  const sample = replaceTokens(text, () => '1')
  const fault = backslash(sample, at) ?? pathFault(sample) ?? nameFault(sample)
  if (fault) return error('bad-output', at, fault.message, fault.hint)
  const path = replaceTokens(text, (name, digits) => `<${name}${digits && `:${digits}`}>`)
    .split('/')
    .filter(segment => segment !== '.')
    .join('/')
  const ending = /\.([^./]+)$/.exec(path)?.[1]
  const meant = ending && kind && kindOfEnding(ending.toLowerCase(), kind)
  if (!ending || !meant) return path
  if (meant === kind) return path.slice(0, -ending.length - 1)
  const message = `the job makes ${mediaWord(kind)}, and \`.${ending}\` is the ending of ${mediaWord(meant)}`
  return error(
    'bad-output',
    at,
    message,
    `write ${path.slice(0, -ending.length - 1)}; the ending comes from the file itself`,
  )
}

/** What only a file of any kind can be is part of the name of every other: `report.pdf` of a picture. */
function kindOfEnding(ending: string, made: OutputKind): OutputKind | undefined {
  const kinds: readonly OutputKind[] = ['image', 'video', 'audio']
  if (made === 'file') return Object.values(mediaEndings).flat().includes(ending) ? 'file' : undefined
  return kinds.find(kind => mediaEndings[kind].includes(ending))
}

interface Fault {
  readonly message: string
  readonly hint?: string
}

/** Told as it is written: what a template comes to is another in every cell. */
function backslash(text: string, at: Span): Fault | undefined {
  if (!text.includes('\\')) return undefined
  const written = at.file.text.slice(at.start, at.end)
  const meant = (written.includes('${{') ? written : text).replaceAll(/\\+/g, '/')
  return { message: 'a path is written with forward slashes', hint: `write ${meant}` }
}

function pathFault(text: string): Fault | undefined {
  const hint = 'it is a path inside the output folder'
  if (/^([A-Za-z]:[\\/]|\/|~)/.test(text))
    return { message: 'an output cannot lead to another place of the disk', hint }
  const segments = text.split('/').filter(segment => segment !== '.')
  if (segments.includes('..')) return { message: 'an output cannot lead out of the output folder', hint }
  if (text.endsWith('/'))
    return { message: 'an output ends in a file name', hint: `for instance ${text}hero` }
  if (segments.includes('') || segments.length === 0)
    return { message: 'a folder in this path has no name', hint: `write ${text.replaceAll(/\/{2,}/g, '/')}` }
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
  const bad = [...new Set(segment.match(/[<>:"|?*\p{Cc}\p{Cf}\p{Co}]/gu))].map(sign => `\`${sign}\``)
  if (bad.length > 0) {
    const hint = bad.length === 1 ? 'leave it out' : 'leave them out'
    return { message: `${listed(bad)} cannot stand in a file name everywhere`, hint }
  }
  if (/[. ]$|^ /.test(segment))
    return {
      message: `the name \`${segment}\` begins or ends with a blank or a dot`,
      hint: `write ${segment.replaceAll(/^ +|[. ]+$/g, '') || 'a name'}`,
    }
  if (Buffer.byteLength(segment) > longestName)
    return { message: `a name in this path is longer than ${longestName} bytes`, hint: 'shorten it' }
  return undefined
}

// File systems take 255 bytes; take, number and ending are added.
const longestName = 200
