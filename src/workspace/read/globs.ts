import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type * as Globs from 'tinyglobby'
import { fitsWildcards } from '../../base/wildcard.ts'
import { isThere } from '../../disk/look.ts'
import { lookAt } from './look.ts'
import type { ProjectPlace } from './place.ts'

// Most commands look for no files, and start sooner without the package.
let loaded: typeof Globs | undefined
function globSync(pattern: string | readonly string[], options: Globs.GlobOptions): string[] {
  loaded ??= createRequire(import.meta.url)('tinyglobby') as typeof Globs // the package itself, by its own types
  return loaded.globSync(typeof pattern === 'string' ? pattern : [...pattern], options)
}

/**
 * Files that a glob fits, from the manifest's folder, with forward slashes, in code point order: the same on every
 * machine. Hidden files and folders, links to folders, and what lies outside the project are left out. Stars, `?`, `[…]` and
 * `{a,b}` are known, in time that grows with the names and not with what stars could mean together.
 */
export function globFiles(pattern: string, place: ProjectPlace): string[] {
  const patterns = pattern.length > longestGlob ? [] : alternativesOf(pattern)
  if (patterns.length === 0) return []
  const found = globSync(patterns.map(widened), {
    cwd: place.folder,
    onlyFiles: true,
    dot: false,
    expandDirectories: false,
    followSymbolicLinks: false,
    // Of nested repetitions (`*(a*)`) the package makes expressions that run for ever.
    extglob: false,
    ignore: ['**/node_modules/**'],
  })
  const isMeant = patterns.some(isMany)
    ? (path: string) => patterns.some(each => fits(path, each))
    : () => true
  return found.filter(path => isMeant(path) && lookAt(path, place).is === 'file').toSorted(byCodePoint)
}

/** No path is longer, and the package throws for what is much longer. */
const longestGlob = 4096

/** More fit nothing: of alternatives that are not spelled out the package makes expressions that can run for ever (`{a,aa}` forty times). */
const mostAlternatives = 1000

/** `{a,b}` spelled out; none where it is no list that a person could have written. */
function alternativesOf(pattern: string): readonly string[] {
  let all = [pattern]
  for (;;) {
    const next = all.flatMap(each => {
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(each)
      if (!braces) return [each]
      const [whole, list = ''] = braces
      const [before, after] = [each.slice(0, braces.index), each.slice(braces.index + whole.length)]
      return list.split(',').map(word => `${before}${word}${after}`)
    })
    if (next.length > mostAlternatives) return []
    if (next.length === all.length) return all
    all = next
  }
}

/** Segments with more stars than this are told apart here: two of them are quick in an expression, ten are not. */
const mostStars = 2

function isMany(pattern: string): boolean {
  return pattern.split('/').some(isManySegment)
}

/** What the package would read as an expression, `(a|aa)`, is letters here as well. */
function isManySegment(segment: string): boolean {
  const isMore = /[()|+!@^$]/.test(segment) || (segment.match(/\*+/g)?.length ?? 0) > mostStars
  return segment !== '**' && isMore
}

/** Fits all that the pattern fits, and may fit more. */
function widened(pattern: string): string {
  return pattern
    .split('/')
    .map(segment => (isManySegment(segment) ? '*' : segment))
    .join('/')
}

/** Segment by segment: `**` takes any number of them. */
function fits(path: string, pattern: string): boolean {
  const [names, segments] = [path.split('/'), pattern.split('/')]
  return fitsWildcards({
    items: names.length,
    parts: segments.length,
    isAny: part => segments[part] === '**',
    fits: (item, part) => fitsSegment(names[item] ?? '', segments[part] ?? ''),
  })
}

/** Letter by letter: a star takes any number of them. What the package has looked at is not looked at again. */
function fitsSegment(name: string, segment: string): boolean {
  if (!isManySegment(segment)) return true
  const letters = [...name]
  const parts = segment.match(/\*+|\[[^\]]+\]|\\?./gsu) ?? []
  return fitsWildcards({
    items: letters.length,
    parts: parts.length,
    isAny: part => parts[part]?.startsWith('*') === true,
    fits: (item, part) => fitsLetter(letters[item] ?? '', parts[part] ?? ''),
  })
}

function fitsLetter(letter: string, part: string): boolean {
  if (part === '?') return true
  const set = /^\[([!^]?)(.+)\]$/su.exec(part)
  if (!set) return letter === part.replace(/^\\/, '')
  const [, not = '', of = ''] = set
  const ranges = [...of.matchAll(/(.)-(.)|(.)/gsu)]
  const isIn = ranges.some(
    ([, from, to, one]) => letter === one || (letter >= (from ?? '~') && letter <= (to ?? '')),
  )
  return isIn !== (not !== '')
}

/** Manifests that a word of the command line names: a path, or a glob where no file is called so. */
export function manifestPaths(word: string, cwd: string): string[] {
  if (word.length > longestGlob || !/[*?[{]/.test(word) || isThere(resolve(cwd, word))) return [word]
  const found = globSync(word, {
    cwd,
    onlyFiles: true,
    expandDirectories: false,
    extglob: false, // as above
    ignore: ['**/node_modules/**'],
  })
  // Nothing found is told by whoever opens it, in the words of the user.
  return found.length > 0 ? found.toSorted(byCodePoint) : [word]
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
