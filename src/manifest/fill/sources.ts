import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import type { Project, TextRead } from '../shapes/job.ts'

/** Texts of the project, each read once. */
export interface Sources {
  readonly project: Project
  readonly read: Map<string, TextRead>
}

export function sourcesOf(project: Project): Sources {
  return { project, read: new Map() }
}

/** All texts that were read so far. */
export function textsOf(sources: Sources): SourceFile[] {
  return [...sources.read.values()].flatMap(read => (read.is === 'text' ? [read.file] : []))
}

/** The text at a path, or what is wrong with it at the place that names it. */
export function readSource(sources: Sources, path: string, at: Span): SourceFile | Diagnostic {
  const fault = pathProblem(path, at)
  if (fault) return fault
  const read = sources.read.get(path) ?? sources.project.read(path)
  sources.read.set(path, read)
  return read.is === 'text' ? read.file : unreadable(path, read.is, at)
}

function pathProblem(path: string, at: Span): Diagnostic | undefined {
  if (path === '') return error('missing-file', at, 'this path is empty')
  if (/^[a-z][a-z0-9+.-]+:/i.test(path))
    return error(
      'bad-path',
      at,
      'links are not read here',
      'save it as a file of the project, and write its path',
    )
  if (!path.includes('\\')) return undefined
  return error(
    'bad-path',
    at,
    'a path is written with forward slashes',
    `write ${path.replaceAll('\\', '/')}`,
  )
}

function unreadable(path: string, is: Exclude<TextRead['is'], 'text'>, at: Span): Diagnostic {
  switch (is) {
    case 'missing':
      return error(
        'missing-file',
        at,
        `there is no file ${path}`,
        'a path is read from the folder of the manifest on',
      )
    case 'folder':
      return error('not-a-file', at, `${path} is a folder`, 'name a file in it')
    case 'special':
    case 'outside':
    case 'hidden':
    case 'unreadable':
      return closedFile({ path, at }, is, 'read')
    case 'large':
      return error('large-file', at, `${path} is larger than 64 MiB`, 'split it')
    case 'binary':
      return error('not-text', at, `${path} is not UTF-8 text`, 'save it as UTF-8')
  }
}

interface Named {
  readonly path: string
  readonly at: Span
}

/** A file that is there, and that nobody opens: `use` is what would have been done with it. */
export function closedFile(
  { path, at }: Named,
  is: 'outside' | 'hidden' | 'unreadable' | 'special',
  use: 'read' | 'sent',
): Diagnostic {
  switch (is) {
    case 'outside':
      return error(
        'outside-file',
        at,
        `${path} lies outside the project; it is not ${use}`,
        'copy it into the project',
      )
    case 'hidden':
      return error(
        'hidden-file',
        at,
        `${path} is hidden: names that begin with a dot are not ${use}`,
        'copy it to another place',
      )
    case 'unreadable':
      return error('unreadable-file', at, `${path} cannot be read`, 'check its permissions')
    case 'special':
      return error('not-a-file', at, `${path} is not a regular file`, 'copy it into a file')
  }
}
