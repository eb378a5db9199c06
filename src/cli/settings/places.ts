import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { headOf } from '../../base/source.ts'
import { type Env, variable } from '../io/surroundings.ts'
import type { SettingsFile } from './read.ts'

/** The names of a project's settings. YAML and JSON only: nothing in a checkout is ever executed. */
export const projectPlaces = ['genrun.config.yaml', 'genrun.config.yml', 'genrun.config.json']

const userPlaces = ['config.yaml', 'config.yml', 'config.json']

export interface Found {
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
    const read = firstIn(all, places)
    if (!read) continue
    const name = of === 'project' ? relative(cwd, read.path) : shortened(read.path, env)
    const file = { name, text: read.text }
    if (read.problem === undefined) files.push({ file, path: read.path, of })
    else
      problems.push(
        error('unreadable-settings', headOf({ name, text: '' }), read.problem, 'save it as UTF-8 text'),
      )
  }
  return { files, problems }
}

/** Where the user's own settings belong: `$XDG_CONFIG_HOME/genrun`, `~/.config/genrun`, `%APPDATA%\genrun`. */
export function userFolder(env: Env, platform: NodeJS.Platform = process.platform): string | undefined {
  const xdg = variable(env, 'XDG_CONFIG_HOME')
  const home = variable(env, 'HOME') ?? variable(env, 'USERPROFILE')
  const roaming = variable(env, 'APPDATA')
  if (platform === 'win32' && roaming) return join(roaming, 'genrun')
  // A relative one is to be ignored (XDG Base Directory Specification): it could lead into a checkout.
  if (xdg?.startsWith('/')) return join(xdg, 'genrun')
  return home && join(home, '.config', 'genrun')
}

interface ReadPlace {
  readonly path: string
  readonly text: string
  readonly problem?: string
}

const longest = 1024 * 1024

/**
 * The explorer of cosmiconfig without its own meta configuration: `cosmiconfig()` reads and executes `.config/config.*`
 * of the working directory when it is called (docs/contract.md section 5). The loader hands the text on unread, so that
 * `$import` means nothing and our own reader knows every place.
 */
function firstIn(folders: readonly string[], places: readonly string[]): ReadPlace | undefined {
  if (!folders.some(folder => places.some(place => existsSync(join(folder, place))))) return undefined
  // Loaded only where there is a file to read. The package has no types for this class; its version is pinned.
  const { ExplorerSync } = createRequire(import.meta.url)('cosmiconfig/dist/ExplorerSync.js') as {
    readonly ExplorerSync: new (options: object) => Explorer
  }
  const loader = (path: string): ReadPlace => readPlace(path)
  const explorer = new ExplorerSync({
    moduleName: 'genrun',
    searchPlaces: places,
    loaders: { '.yaml': loader, '.yml': loader, '.json': loader },
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

function readPlace(path: string): ReadPlace {
  const { size } = statSync(path)
  if (size > longest) return { path, text: '', problem: 'the settings are larger than 1 MiB' }
  try {
    return { path, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch {
    return { path, text: '', problem: 'the settings are not UTF-8 text' }
  }
}

/** From `cwd` up to the folder that is the root of a repository, or of the disk. */
function foldersAbove(cwd: string): string[] {
  const folders: string[] = []
  for (let here = cwd; ; here = dirname(here)) {
    folders.push(here)
    if (existsSync(join(here, '.git')) || dirname(here) === here) return folders
  }
}

function shortened(path: string, env: Env): string {
  const home = variable(env, 'HOME')
  return home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
