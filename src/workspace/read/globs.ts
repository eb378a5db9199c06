import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type * as Globs from 'tinyglobby'
import { lookAt } from './look.ts'
import type { ProjectPlace } from './place.ts'

// Most commands look for no files, and start sooner without the package.
let loaded: typeof Globs | undefined
function globSync(pattern: string, options: Globs.GlobOptions): string[] {
  loaded ??= createRequire(import.meta.url)('tinyglobby') as typeof Globs // the package itself, by its own types
  return loaded.globSync(pattern, options)
}

/**
 * Files that a glob fits, from the manifest's folder, with forward slashes, in code point order: the same on every
 * machine. Hidden files and folders, links to folders, and what lies outside the project are left out.
 */
export function globFiles(pattern: string, place: ProjectPlace): string[] {
  const found = globSync(pattern, {
    cwd: place.folder,
    onlyFiles: true,
    dot: false,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['**/node_modules/**'],
  })
  return found.filter(path => lookAt(path, place).is === 'file').toSorted(byCodePoint)
}

/** Manifests that a word of the command line names: a path, or a glob where no file is called so. */
export function manifestPaths(word: string, cwd: string): string[] {
  if (!/[*?[{]/.test(word) || existsSync(resolve(cwd, word))) return [word]
  const found = globSync(word, {
    cwd,
    onlyFiles: true,
    expandDirectories: false,
    ignore: ['**/node_modules/**'],
  })
  // Nothing found is told by whoever opens it, in the words of the user.
  return found.length > 0 ? found.toSorted(byCodePoint) : [word]
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
