import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import { asFarAsSeen, isSomebodyElses, isThere, realPathAt, statAt } from '../../disk/look.ts'
import { readRegular } from '../../disk/open.ts'
import { type Guarded, readGuarded } from '../../workspace/read/guarded.ts'
import { settingsFiles } from '../../workspace/read/place.ts'
import { homeOf, userFolder } from '../../workspace/read/user-folder.ts'
import type { Env } from '../io/surroundings.ts'
import type { SettingsFile } from './read.ts'

/**
 * The names of a project's settings, as users of cosmiconfig know them; of two in one folder the first counts. YAML and JSON
 * only: nothing in a checkout is ever executed.
 */
export const projectPlaces: readonly string[] = [...settingsFiles, 'package.json']

/** What others of its kind would run. */
const programs = ['genrun.config', '.genrunrc', '.config/genrunrc'].flatMap(name =>
  ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map(ending => `${name}.${ending}`),
)

const userPlaces = ['config.yaml', 'config.yml', 'config.json']

interface Found {
  readonly files: readonly SettingsFile[]
  readonly problems: readonly Diagnostic[]
}

/** The project's settings (in `cwd`, or above it up to the repository's root), and the user's own. */
export function findSettings(cwd: string, env: Env): Found {
  const problems: Diagnostic[] = []
  const files: SettingsFile[] = []
  const folders: [SettingsFile['of'], readonly string[], readonly string[]][] = [
    ['project', foldersAbove(cwd), projectPlaces],
    ['user', [userFolder(env) ?? []].flat(), userPlaces],
  ]
  for (const [of, all, places] of folders) {
    if (of === 'project') problems.push(...unread(all, cwd))
    const within = of === 'project' ? cwd : undefined
    const called = (path: string) => (of === 'project' ? relative(cwd, path) : shortened(path, env))
    const read = firstOwn(all, places, within, path => problems.push(notOurs(called(path))))
    if (!read) continue
    const name = called(read.path)
    const file = { name, text: read.text }
    const section = isPackage(read.path) && { section: 'genrun' }
    const root = of === 'project' && { root: repositoryOf(all) ?? read.folder }
    const home = of === 'user' ? homeOf(env) : undefined
    if (read.problem === undefined)
      files.push({ file, folder: read.folder, of, ...root, ...(home && { home }), ...section })
    else
      problems.push(
        error(
          'unreadable-settings',
          headOf({ name, text: '' }),
          read.problem,
          'make it a text file of the project',
        ),
      )
  }
  return { files, problems }
}

/** Settings that would have to be run are not read, and no one has to wonder why they do nothing. */
function unread(folders: readonly string[], cwd: string): Diagnostic[] {
  const there = folders.flatMap(folder => programs.map(name => join(folder, name))).filter(isThere)
  return there.map(path => {
    const why = 'it is a program, and nothing in a checkout is run: it is not read'
    const at = headOf({ name: relative(cwd, path), text: '' })
    return warning('settings-not-read', at, why, `write settings as data: ${projectPlaces[0]}`)
  })
}

/**
 * The first settings that nobody else has put there: outside of a repository they may lie in any folder up to the root of the
 * disk. Whoever owns the folder where one stands could have written to the manifest as well.
 */
function firstOwn(
  folders: readonly string[],
  places: readonly string[],
  cwd: string | undefined,
  foreign: (path: string) => void,
): ReadPlace | undefined {
  let left = folders
  for (;;) {
    const read = firstIn(left, places, cwd)
    if (!read || !isSomebodyElses(read.path, cwd ?? dirname(read.folder))) return read
    foreign(read.path)
    left = left.filter(folder => folder !== read.folder)
  }
}

function notOurs(name: string): Diagnostic {
  const why = 'it belongs to another user, and is not read'
  return warning('settings-not-read', headOf({ name, text: '' }), why, 'make it yours, or remove it')
}

interface ReadPlace {
  readonly path: string
  /** What paths in it count from. */
  readonly folder: string
  readonly text: string
  readonly problem?: string
}

const longest = 1024 * 1024

/**
 * The explorer of cosmiconfig without its own meta configuration: `cosmiconfig()` reads and executes `.config/config.*`
 * of the working directory when it is called (docs/contract.md section 5). The loader hands the text on unread, so that
 * `$import` means nothing and our own reader knows every place. `cwd`: of a project's, which may lead nowhere else.
 */
function firstIn(
  folders: readonly string[],
  places: readonly string[],
  cwd: string | undefined,
): ReadPlace | undefined {
  const odd = folders.flatMap(folder => places.map(place => join(folder, place))).find(isOdd)
  if (odd !== undefined) return readPlace(odd, cwd)
  const mayBeIn = (folder: string) => places.some(place => mayBeSettings(join(folder, place)))
  if (!folders.some(mayBeIn)) return undefined
  // Loaded only where there is a file to read. The package has no types for this class; its version is pinned.
  const { ExplorerSync } = createRequire(import.meta.url)('cosmiconfig/dist/ExplorerSync.js') as {
    readonly ExplorerSync: new (options: object) => Explorer
  }
  const loader = (path: string, text: string) => {
    const read = readPlace(path, cwd)
    return isPackage(path) ? { genrun: hasSection(text) ? read : undefined } : read
  }
  const explorer = new ExplorerSync({
    moduleName: 'genrun',
    searchPlaces: places,
    loaders: { noExt: loader, '.yaml': loader, '.yml': loader, '.json': loader },
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: true,
    cache: false,
    metaConfigFilePath: null,
    mergeImportArrays: false,
    transform: (found: unknown) => found,
  })
  for (const folder of folders) {
    const found = explorer.search(folder)
    if (found) return found.config
  }
  return undefined
}

interface Explorer {
  search(folder: string): { readonly config: ReadPlace } | null
}

/** What cosmiconfig would read for ever, or whole into memory, before our own reader has a say. */
function isOdd(path: string): boolean {
  const stat = asFarAsSeen(() => statAt(path))
  // A package.json has other things to say, and may be long.
  const most = isPackage(path) ? 64 * longest : longest
  return stat !== undefined && !stat.isDirectory() && (!stat.isFile() || stat.size > most)
}

/** None where this user may not look, as in the home of whoever started a container. Nearly every project has a package.json, and next to none says anything about genrun. */
function mayBeSettings(path: string): boolean {
  return (
    asFarAsSeen(() => statAt(path))?.isFile() === true && (!isPackage(path) || hasSection(packageText(path)))
  )
}

/** Whoever cannot read it finds no section in it. */
function packageText(path: string): string {
  try {
    return Buffer.from(readRegular(path, { mostBytes: 64 * longest })).toString('utf8')
  } catch {
    return ''
  }
}

function isPackage(path: string): boolean {
  return basename(path) === 'package.json'
}

/** A package.json that cannot be read is a matter of whoever needs it. */
function hasSection(text: string): boolean {
  if (!text.includes('"genrun"')) return false
  try {
    const whole: Partial<Record<string, unknown>> | null = JSON.parse(text)
    return whole?.genrun !== undefined
  } catch {
    return false
  }
}

function readPlace(path: string, cwd: string | undefined): ReadPlace {
  const folder = basename(dirname(path)) === '.config' ? dirname(dirname(path)) : dirname(path)
  const read = cwd === undefined ? readOwn(path) : readGuarded(path, cwd, longest)
  if ('text' in read) return { path, folder, text: read.text }
  return { path, folder, text: '', problem: `the settings cannot be read: ${read.problem}` }
}

/** One's own may be a link to wherever one keeps them. */
function readOwn(path: string): Guarded {
  const real = realPathAt(path)
  return readGuarded(real, dirname(real), longest)
}

/** From `cwd` up to the folder that is the root of a repository, or of the disk. */
function foldersAbove(cwd: string): string[] {
  const folders: string[] = []
  for (let here = cwd; ; here = dirname(here)) {
    folders.push(here)
    if (isThere(join(here, '.git')) || dirname(here) === here) return folders
  }
}

/** The last of those folders, where it is the root of a repository. */
function repositoryOf(folders: readonly string[]): string | undefined {
  return folders.find(folder => isThere(join(folder, '.git')))
}

function shortened(path: string, env: Env): string {
  const home = homeOf(env)
  return home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
