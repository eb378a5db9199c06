import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import type { Code } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { SourceFile } from '../../base/source.ts'
import { namesIn, realPathAt, statAt } from '../../disk/look.ts'
import type { Project } from '../../manifest/shapes/job.ts'
import { storageErrorOf } from '../../store/files/storage-error.ts'
import { globFiles } from './globs.ts'
import { readGuarded } from './guarded.ts'
import { lookAt, pixelsAt, secondsAt } from './look.ts'
import { type ProjectPlace, placeOf } from './place.ts'
import { longestFile, readTextAt } from './texts.ts'

type Opened =
  | {
      readonly got: 'project'
      readonly file: SourceFile
      readonly project: Project
      readonly place: ProjectPlace
    }
  | {
      readonly got: 'trouble'
      readonly file: SourceFile
      readonly code: Code
      readonly message: string
      readonly hint: string
    }

/** Reads the manifest's text and finds its surroundings. `name` in problems is the path as the user wrote it. */
export function openProject(path: string, cwd: string): Opened {
  const manifest = resolve(cwd, path)
  const name = relative(cwd, manifest) || path
  const trouble = (message: string, hint: string): Opened => ({
    got: 'trouble',
    file: { name, text: '' },
    code: 'unreadable-manifest',
    message,
    hint,
  })
  const unread = (why: string, hint = 'check its permissions') =>
    trouble(`the file cannot be read: ${why}`, hint)
  let stat: ReturnType<typeof statAt>
  try {
    stat = statAt(manifest)
  } catch (cause) {
    return unread(storageErrorOf(manifest, 'read', cause).detail)
  }
  if (!stat) {
    const near = nearManifest(path, cwd)
    const hint = near ? `did you mean ${near}` : 'give the path of a manifest; `genrun init` writes one'
    return trouble('there is no such file', hint)
  }
  if (stat.isDirectory())
    return trouble('this is a folder, not a manifest', 'give the path of the YAML file in it')
  if (!stat.isFile()) return trouble('this is not a regular file', 'give the path of a YAML or JSON file')
  if (stat.size > longestFile)
    return trouble('the file is larger than 64 MiB', 'split it into several manifests')
  const read = readGuarded(manifest, cwd, longestFile)
  if ('problem' in read) {
    if (read.is === 'no text') return trouble('the file is not UTF-8 text', 'save it as UTF-8')
    return unread(read.problem, read.is === 'outside' ? 'name the file that it leads to' : undefined)
  }
  const { text } = read
  const place = placeOf(realPathAt(manifest))
  return { got: 'project', file: { name, text }, project: projectAt(place, cwd), place }
}

/** The text in the same folder that was probably meant, written as the path was. */
function nearManifest(path: string, cwd: string): string | undefined {
  const texts = namesIn(dirname(resolve(cwd, path)))
    .toSorted()
    .filter(name => /\.(ya?ml|json)$/i.test(name))
  const options = basename(path)
  const near = texts.find(name => stemOf(name) === stemOf(options)) ?? nearest(options, texts)
  return near && join(dirname(path), near)
}

function stemOf(name: string): string {
  return basename(name, extname(name))
}

/** The disk as a manifest sees it. */
export function projectAt(place: ProjectPlace, cwd: string): Project {
  return {
    look: path => lookAt(path, place),
    read: path => readTextAt(path, place, cwd),
    glob: pattern => globFiles(pattern, place),
    seconds: path => secondsAt(path, place),
    pixels: path => pixelsAt(path, place),
  }
}
