import { createRequire } from 'node:module'
import { basename, dirname, relative } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../../base/source.ts'
import { realPathAt } from '../../disk/look.ts'
import { jsonFault } from '../../text/json-fault.ts'
import { type Guarded, leadsNowhere, readGuarded } from '../../workspace/read/guarded.ts'
import { settingsFiles } from '../../workspace/read/place.ts'
import { isPackage, sectionIn } from './package-section.ts'
import type { SettingsFile } from './read.ts'
import { aFolder, denied, type Stood } from './standing.ts'

/** A folder in which settings may stand. */
export interface SettingsFolder extends Pick<SettingsFile, 'of' | 'home'> {
  readonly folder: string
  /** What stands there, the first that counts first. */
  readonly standing: readonly Stood[]
  /** Of a project's: the folder in whose project every link has to end. */
  readonly within?: string
  /** The root of its repository; without one no path leads out of the folder where settings stand. */
  readonly root?: string | undefined
  /** A path as a user names it. */
  readonly called: (path: string) => string
}

export interface FoundSettings {
  /** The nearest first, one's own last. */
  readonly files: readonly SettingsFile[]
  readonly problems: readonly Diagnostic[]
}

interface Loaded {
  readonly file?: SettingsFile
  readonly problems: readonly Diagnostic[]
}

/** The settings that count in each folder, and what is to be told: of programs in their places, too, as a user names them. */
export function loadSettings(folders: readonly SettingsFolder[], programs: readonly string[]): FoundSettings {
  const loaded = folders.map(loadFrom)
  const problems = [...programs.map(notRun), ...loaded.flatMap(each => each.problems)]
  return { files: loaded.flatMap(({ file }) => file ?? []), problems: onceEach(problems) }
}

/** Settings that would have to be run are not read, and no one has to wonder why they do nothing. */
function notRun(name: string): Diagnostic {
  const why = 'it is a program, and nothing in a checkout is run: it is not read'
  const hint = `write settings as data: ${settingsFiles[0]}`
  return warning('settings-not-read', headOf({ name, text: '' }), why, hint)
}

/** A folder that may not be entered is in the way of several places. */
function onceEach(problems: readonly Diagnostic[]): Diagnostic[] {
  const key = ({ at, message }: Diagnostic) => `${at.file.name} ${message}`
  return [...new Map(problems.map(each => [key(each), each])).values()]
}

/** The settings that count in a folder, and what is to be told of others there. Where something cannot be read nothing is. */
function loadFrom(search: SettingsFolder): Loaded {
  const { folder, standing, within, called } = search
  const head = (path: string) => headOf({ name: called(path), text: '' })
  const foreign = standing.flatMap(({ is, path }) => {
    if (is !== 'foreign') return []
    const why = 'it belongs to another user, and is not read'
    return warning('settings-not-read', head(path), why, 'make it yours, or remove it')
  })
  const tell = ({ path, why, text }: Unread) => {
    const at = text === undefined ? head(path) : faultIn({ name: called(path), text })
    return error('unreadable-settings', at, `the settings cannot be read: ${why}`, remedyFor(why))
  }
  const unread = standing.flatMap(each => unreadOf(each, within) ?? [])
  if (unread.length > 0) return { problems: [...foreign, ...unread.map(tell)] }
  const files = standing.flatMap(each => (each.is === 'file' ? each : []))
  const places = files.map(({ path }) => relative(folder, path))
  const read = places.length === 0 ? undefined : load(folder, places, within)
  if (!read) return { problems: foreign }
  if ('why' in read) return { problems: [...foreign, tell(read)] }
  const first = basename(read.path)
  const second = files.flatMap(({ path, bytes }) => {
    if (path === read.path || bytes === 0) return []
    const why = `${first} counts alone of the settings in this folder: it is not read`
    return warning('settings-not-read', head(path), why, `move what it says into ${first}`)
  })
  return { file: fileOf(read, search), problems: [...foreign, ...second] }
}

function fileOf({ path, folder, text }: ReadPlace, { of, root, home, called }: SettingsFolder): SettingsFile {
  const part = of === 'project' ? { root: root ?? folder } : defined({ home })
  const section = isPackage(path) && { section: 'genrun' }
  return { file: { name: called(path), text }, folder, of, ...part, ...section }
}

interface ReadPlace {
  readonly path: string
  /** What paths in it count from. */
  readonly folder: string
  readonly text: string
}

interface Unread {
  readonly path: string
  readonly why: string
  /** What should be JSON. */
  readonly text?: string
}

const noJson = 'it is no JSON'

function faultIn(file: SourceFile): Span {
  const at = jsonFault(file.text)
  return spanOf(file, at, at + 1)
}

const longest = 1024 * 1024

function unreadOf(each: Stood, within: string | undefined): Unread | undefined {
  if (each.is === 'unread') return { path: each.at, why: each.why }
  if (each.is !== 'file' || each.bytes <= longest) return undefined
  // cosmiconfig would read all of it into memory.
  const read = readPlace(each.path, within)
  return typeof read === 'string' ? { path: each.path, why: read } : undefined
}

/** What to do about it. */
function remedyFor(why: string): string {
  switch (why) {
    case leadsNowhere:
      return 'lead it to a file, or remove it'
    case aFolder:
      return 'put a file in its place, or remove it'
    case noJson:
      return 'write what should stand here; JSON has no comments, and no comma before `}` or `]`'
    case denied:
      return 'let this user read it, or remove it'
    default:
      return 'make it a text file of the project'
  }
}

/**
 * The explorer of cosmiconfig without its own meta configuration: `cosmiconfig()` reads and executes `.config/config.*`
 * of the working directory when it is called (docs/contract.md section 5). The loader hands the text on unread, so that
 * `$import` means nothing and our own reader knows every place. `within`: of a project's, which may lead nowhere else.
 */
function load(
  folder: string,
  places: readonly string[],
  within: string | undefined,
): ReadPlace | Unread | undefined {
  // Loaded only where there is a file to read. The package has no types for this class; its version is pinned.
  const { ExplorerSync } = createRequire(import.meta.url)('cosmiconfig/dist/ExplorerSync.js') as {
    readonly ExplorerSync: new (options: object) => Explorer
  }
  const loader = (path: string, text: string) => {
    const read = readPlace(path, within)
    const got = typeof read === 'string' ? { path, why: read } : read
    return isPackage(path) ? { genrun: sectionOf(got, sectionIn(text)) } : got
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
  return explorer.search(folder)?.config
}

/** What counts of a package.json. */
function sectionOf(
  got: ReadPlace | Unread,
  section: ReturnType<typeof sectionIn>,
): ReadPlace | Unread | undefined {
  if (section === 'none' || 'why' in got) return section === 'none' ? undefined : got
  return section === 'there' ? got : { path: got.path, why: noJson, text: got.text }
}

interface Explorer {
  search(folder: string): { readonly config: ReadPlace | Unread } | null
}

/** A text, or why it is not read. */
function readPlace(path: string, within: string | undefined): ReadPlace | string {
  const folder = basename(dirname(path)) === '.config' ? dirname(dirname(path)) : dirname(path)
  const read = within === undefined ? readOwn(path) : readGuarded(path, within, longest)
  return 'text' in read ? { path, folder, text: read.text } : read.problem
}

/** One's own may be a link to wherever one keeps them. */
function readOwn(path: string): Guarded {
  const real = realPathAt(path)
  return readGuarded(real, dirname(real), longest)
}
