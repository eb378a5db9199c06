import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import { type Checked, type Diagnostic, error, sortProblems, upToMostErrors } from '../../base/diagnostic.ts'
import type { Json } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import { headOf, type SourceFile, type Span } from '../../base/source.ts'
import { isBelow } from '../../disk/open.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import { entryOf, nodeAt, type TextEntry, type TextMap, toJson, valueSpan } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import { leadsAway } from '../../workspace/read/guarded.ts'
import type { DeclaredService } from '../../workspace/service/service.ts'
import type { SettingName } from '../flags/given.ts'
import type { SettingValue } from '../flags/option.ts'
import { ofKey } from '../flags/options.ts'
import { readValue } from '../flags/read-value.ts'
import { type Declared, settingsDeclared } from './declared.ts'
import { readGates } from './gates.ts'
import { readServices } from './services.ts'

/** A file of settings, and whether others may have written it. */
export interface SettingsFile {
  readonly file: SourceFile
  /** What paths in it count from, absolute. */
  readonly folder: string
  readonly of: 'project' | 'user'
  /** No path leads out of it, absolute. Absent for one's own. */
  readonly root?: string
  /** What `~` at the beginning of a path stands for, absolute: of one's own alone. */
  readonly home?: string
  /** The key below which they stand, in a file that is not theirs alone. */
  readonly section?: string
}

interface FileSetting {
  readonly name: SettingName
  readonly value: SettingValue
  readonly at: Span
}

type Report = (problem: Diagnostic) => void

/** Reads a file of settings; all problems together. What is wrong has no value, the rest has. */
export function readSettings({
  file,
  folder,
  of,
  root,
  home,
  section,
}: SettingsFile): Checked<readonly FileSetting[]> {
  if (file.text.trim() === '') return { value: [], problems: [] }
  const read = readYaml(file)
  const problems = section === undefined ? [...read.problems] : []
  if (!read.value)
    return { value: onlyComments(file) ? [] : undefined, problems: onlyComments(file) ? [] : problems }
  const map = section === undefined ? read.value : nodeAt(read.value, [section])
  if (map?.kind !== 'map') {
    problems.push(
      error(
        'not-settings',
        section !== undefined && map ? map : headOf(file),
        'settings are a mapping',
        'for instance `output: media`',
      ),
    )
    return { value: undefined, problems }
  }
  const place = { of, folder, ...defined({ root }), ...(home && { home }) }
  const value = upToMostErrors(problems, report => settingsIn(map, '', { ...place, report }))
  return { value, problems: sortProblems(problems) }
}

/** What a file of one's own declares. A project's names gates alone, which wait for somebody who reads them. */
interface Declarations {
  readonly services: readonly DeclaredService[]
  readonly gates: readonly OwnGate[]
  /** Where `gates` stands. */
  readonly at?: Span
}

export function declaredIn({ file, folder, of, root, home, section }: SettingsFile): Checked<Declarations> {
  const tree = file.text.trim() === '' ? undefined : readYaml(file).value
  const map = tree && section !== undefined ? nodeAt(tree, [section]) : tree
  const entry = (key: string) => (map?.kind === 'map' ? entryOf(map, key) : undefined)
  const [services, gates] = [of === 'user' ? entry('services') : undefined, entry('gates')]
  const problems: Diagnostic[] = []
  const place = { folder, ...(home && { home }), report: (problem: Diagnostic) => problems.push(problem) }
  const value = {
    services: services ? readServices(services, place) : [],
    gates: gates ? readGates(gates, { ...place, ...defined({ root }) }) : [],
    ...(gates && { at: gates.key }),
  }
  return { value, problems: sortProblems(problems) }
}

// A file whose lines are all comments sets nothing, and is a good file.
function onlyComments({ text }: SourceFile): boolean {
  return text.split('\n').every(line => /^\s*(#|$)/.test(line))
}

interface Reading extends Pick<SettingsFile, 'of' | 'folder' | 'root' | 'home'> {
  readonly report: Report
}

function settingsIn(map: TextMap, section: string, reading: Reading): FileSetting[] {
  return map.entries.flatMap(entry => {
    const key = entry.key.source
    if (section === '' && (key === '$schema' || key.startsWith('x-'))) return []
    if (section === '' && sections.has(key)) return inSection(entry, reading)
    if (section === '' && (key === 'gates' || (key === 'services' && reading.of === 'user'))) return [] // by `declaredIn`
    const found = settingsDeclared.find(each => each.name === section + key)
    if (found && (reading.of === 'user' || !found.outside)) return settingOf(found, entry, reading)
    reading.report(
      reading.of === 'project' ? (outsideOnly(entry) ?? unknownKey(entry, section)) : notHere(entry, section),
    )
    return []
  })
}

function inSection(entry: TextEntry, reading: Reading): FileSetting[] {
  const { key, value } = entry
  if (value.kind === 'map') return settingsIn(value, `${key.source}.`, reading)
  const hint = `for instance \`${key.source}: { maxPaid: 20 }\``
  reading.report(error('wrong-type', valueSpan(entry), `\`${key.source}\` is a mapping`, hint))
  return []
}

function settingOf(
  found: Declared & { name: SettingName },
  entry: TextEntry,
  reading: Reading,
): FileSetting[] {
  const read = readValue(found.form, { value: fromHome(toJson(entry.value), found, reading) }, reading.folder)
  if ('value' in read) {
    if (leadsOut(read.value, found, reading)) reading.report(outsideProject(found, entry))
    return [{ name: found.name, value: read.value, at: entry.key }]
  }
  reading.report(error('bad-setting', valueSpan(entry), `\`${found.name}\` ${read.problem}`, read.hint))
  return []
}

/** As a shell has it, and as the file itself is named. */
function fromHome(value: Json, { form }: Declared, { home }: Reading): Json {
  if (home === undefined || !isOfPaths(form)) return value
  if (Array.isArray(value)) return value.map(each => inHome(each, home))
  return inHome(value, home)
}

function isOfPaths({ is }: Declared['form']): boolean {
  return is === 'path' || is === 'paths' || is === 'place'
}

function inHome(value: Json, home: string): Json {
  return typeof value === 'string' && value.startsWith('~/') ? join(home, value.slice(2)) : value
}

/** A checkout that a stranger wrote could have any file shown, or written to. */
function leadsOut(value: SettingValue, { form, name }: Declared, { root }: Reading): boolean {
  if (root === undefined || !isOfPaths(form)) return false
  const paths = [value].flat().map(String)
  // What is written is looked at by whoever writes there.
  return paths.some(path => !isBelow(path, root) || (name !== 'output' && leadsAway(path, root)))
}

function outsideProject({ name, variable }: Declared, entry: TextEntry): Diagnostic {
  const message = `\`${name}\` leads out of the project, and is not taken from it`
  const hint = `set it in your own settings${variable === undefined ? '' : `, or by ${variable}`}`
  return error('outside-project', valueSpan(entry), message, hint)
}

/** A key that would say where the key goes, or what it is; undefined for every other. */
function outsideOnly({ key }: TextEntry): Diagnostic | undefined {
  const bare = key.source.toLowerCase().replaceAll(/[-_]/g, '')
  if (secretWords.has(bare)) {
    const hint = 'remove it, get a new one, and keep that in GENRUN_API_KEY_FILE or GENRUN_API_KEY'
    return error('key-in-project', key, 'a key is never kept in a project, where others read it', hint)
  }
  const why = outsideWords.get(bare)
  if (why === undefined) return undefined
  const message = `\`${key.source}\` ${why}, so it is not taken from a project`
  return error(
    'outside-only',
    key,
    message,
    'set it in your own settings or in the environment; `genrun settings` names both',
  )
}

function notHere(entry: TextEntry, section: string): Diagnostic {
  const bare = entry.key.source.toLowerCase().replaceAll(/[-_]/g, '')
  if (section !== '' || !secretWords.has(bare)) return unknownKey(entry, section)
  return error(
    'key-in-settings',
    entry.key,
    'the key itself stands in a file of its own',
    '`apiKeyFile: key` names it; only you may be able to read it (chmod 600)',
  )
}

function unknownKey({ key }: TextEntry, section: string): Diagnostic {
  const known = [...settingsDeclared.map(each => each.name), ...sections]
    .filter(name => name.startsWith(section))
    .map(name => name.slice(section.length))
  const near = nearest(key.source, known) ?? elsewhere(key.source)
  const hint = near ? `did you mean ${near}` : '`genrun settings` lists all of them'
  return error('unknown-key', key, `there is no setting \`${section}${key.source}\``, hint)
}

/** `maxCost` at the top is `limits.maxCost`. */
function elsewhere(key: string): string | undefined {
  return settingsDeclared.find(({ name }) => name.split('.').at(-1)?.toLowerCase() === key.toLowerCase())
    ?.name
}

const sections: ReadonlySet<string> = new Set(
  settingsDeclared.flatMap(({ name }) => (name.includes('.') ? [name.slice(0, name.indexOf('.'))] : [])),
)

const outsideWords: ReadonlyMap<string, string> = new Map([
  ...['url', 'base', 'endpoint', 'origin', 'keyfile', 'services'].map(name => [name, ofKey] as const),
  ...settingsDeclared.flatMap(({ name, outside }) =>
    outside === undefined ? [] : [[name.toLowerCase(), outside] as const],
  ),
])

const secretWords: ReadonlySet<string> = new Set([
  'key',
  'apikey',
  'token',
  'secret',
  'authorization',
  'bearer',
])
