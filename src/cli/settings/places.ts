import { dirname, join, relative } from 'node:path'
import { isThere } from '../../disk/look.ts'
import { settingsFiles } from '../../workspace/read/place.ts'
import { homeOf, userFolder } from '../../workspace/read/user-folder.ts'
import type { Env } from '../io/surroundings.ts'
import type { FoundSettings, SettingsFolder } from './load.ts'
import { isPackage, longestPackage, packageText, sectionIn } from './package-section.ts'
import { aFolder, type Owners, ownersOf, type Stood, standingAt } from './standing.ts'

/**
 * The names of a project's settings, as users of cosmiconfig know them; of several in one folder the first counts. YAML and JSON
 * only: nothing in a checkout is ever executed.
 */
export const projectPlaces: readonly string[] = [...settingsFiles, 'package.json']

/** What others of its kind would run. */
const programs = ['genrun.config', '.genrunrc', '.config/genrunrc'].flatMap(name =>
  ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map(ending => `${name}.${ending}`),
)

const userPlaces = ['config.yaml', 'config.yml', 'config.json']

/**
 * Every file of the project's settings that counts for what lies in `start` (there, and above it up to the repository's root), and
 * the user's own. Names are told as seen from `cwd`. All absolute.
 */
export async function findSettings(cwd: string, env: Env, start: string = cwd): Promise<FoundSettings> {
  const above = foldersAbove(start)
  const places = [...projectSearches(above, cwd, start), ...ownSearches(env)].flatMap(search => {
    const standing = standingIn(search)
    return standing.length === 0 ? [] : { ...search, standing }
  })
  const unread = above.flatMap(folder => programs.map(name => join(folder, name))).filter(isThere)
  if (places.length === 0 && unread.length === 0) return { files: [], problems: [] }
  // Loaded only where there is something to read, or to tell.
  const { loadSettings } = await import('./load.ts')
  return loadSettings(
    places,
    unread.map(path => relative(cwd, path)),
  )
}

/** Outside of a repository they may lie in any folder up to the root of the disk. */
function projectSearches(above: readonly string[], cwd: string, start: string): Search[] {
  const owners = ownersOf(start)
  const called = (path: string) => relative(cwd, path) || '.'
  const part = { of: 'project', within: start, root: repositoryOf(above) } as const
  return above.map(folder => {
    return { ...part, folder, places: projectPlaces, known: folder, owners, closers: owners, called }
  })
}

function ownSearches(env: Env): Search[] {
  const [folder, home] = [userFolder(env), homeOf(env)]
  if (folder === undefined) return []
  const part = { of: 'user', folder, places: userPlaces, known: '/', ...(home && { home }) } as const
  // Nobody's own settings lie where they may not go, as in the home of whoever started a container.
  const whose = { owners: ownersOf(dirname(folder)), closers: ownersOf() }
  return [{ ...part, ...whose, called: path => shortened(path, env) }]
}

/** What stands in a folder where settings may stand, the first that counts first. */
function standingIn({ folder, places, known, owners, closers }: Search): Stood[] {
  const all = places
    .map(place => join(folder, place))
    .map(path => ({ path, ...standingAt(path, known, owners, closers) }))
  const isAlone = all.every(({ path, is }) => isPackage(path) || is === 'nothing')
  return all.filter(each => (isPackage(each.path) ? mayCount(each, isAlone) : each.is !== 'nothing'))
}

interface Search extends Omit<SettingsFolder, 'standing'> {
  readonly places: readonly string[]
  /** A folder above that is known to be there. */
  readonly known: string
  /** Whose settings count. */
  readonly owners: Owners
  /** Whose closed folders may hold some. */
  readonly closers: Owners
}

/**
 * Nearly every project has a package.json, and next to none says anything about genrun. One that cannot be read may, where it is
 * our own and no other settings stand before it.
 */
function mayCount({ path, ...standing }: Stood, isAlone: boolean): boolean {
  switch (standing.is) {
    case 'nothing':
      return false
    case 'unread':
      return isAlone && standing.isOurs && standing.why !== aFolder
    case 'file':
      return standing.bytes > longestPackage ? isAlone : isOurs(sectionIn(packageText(path)), isAlone)
    case 'foreign':
      return isOurs(sectionIn(packageText(path)), isAlone)
  }
}

function isOurs(section: ReturnType<typeof sectionIn>, isAlone: boolean): boolean {
  return section === 'there' || (section === 'unread' && isAlone)
}

/** From `start` up to the folder that is the root of a repository, or of the disk. */
function foldersAbove(start: string): string[] {
  const folders: string[] = []
  for (let here = start; ; here = dirname(here)) {
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
