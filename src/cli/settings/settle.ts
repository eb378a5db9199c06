import { type Diagnostic, error, hasErrors } from '../../base/diagnostic.ts'
import { lineAt, spanOf } from '../../base/source.ts'
import type { OwnGate } from '../../looks/own-gate.ts'
import type { CheckoutGates } from '../../workspace/read/gate-trust.ts'
import type { DeclaredService } from '../../workspace/service/service.ts'
import type { SettingName } from '../flags/given.ts'
import type { SettingValue } from '../flags/option.ts'
import { readValue } from '../flags/read-value.ts'
import { type Env, variable } from '../io/surroundings.ts'
import { isVariable, settingsDeclared } from './declared.ts'
import { findSettings } from './places.ts'

/** A value and who gave it. */
export interface Settled {
  readonly name: SettingName
  readonly says: string
  /** Undefined: nobody sets it. */
  readonly value: SettingValue | undefined
  /** `built-in`, `GENRUN_OUTPUT`, `genrun.config.yaml:3`. */
  readonly from: string
  readonly by: Layer
  /** Others that gave a value which does not count, the nearest first. */
  readonly over: readonly { readonly value: SettingValue; readonly from: string }[]
}

type Layer = 'built-in' | 'user' | 'project' | 'environment'

export interface Settings {
  readonly all: readonly Settled[]
  /** Files that were read, as a user names them. */
  readonly files: readonly string[]
  readonly problems: readonly Diagnostic[]
  /** Those that jobs may name: the person's own. */
  readonly services: readonly DeclaredService[]
  /** Looks of the person's own. */
  readonly gates: readonly OwnGate[]
  /** Those that the project names, if it does. */
  readonly theirGates?: CheckoutGates
  /** Whether something is wrong enough to stop. */
  readonly isWrong: boolean
  get(name: SettingName): SettingValue | undefined
  /** What somebody has set; undefined for what is built in. */
  given(name: SettingName): SettingValue | undefined
  /** Who has set what counts. */
  byOf(name: SettingName): Layer
  /** What was set outside of the project, whatever counts; undefined where nothing was. */
  ofPerson(name: SettingName): SettingValue | undefined
}

interface Candidate {
  readonly value: SettingValue
  readonly from: string
  readonly by: Layer
}

/**
 * Built-in, then the user's file, the project's file, the environment: later ones win, but of caps the lowest, and of prices and
 * profile the project's only where the person has none. Of several files of a project the nearer ones win in the same way. What
 * the project sets is sought from `start`, absolute.
 */
export async function openSettings(cwd: string, env: Env, start: string = cwd): Promise<Settings> {
  const { files, problems } = await findSettings(cwd, env, start)
  const found = [...problems]
  const candidates = new Map<SettingName, Candidate[]>()
  const add = (name: SettingName, candidate: Candidate) =>
    candidates.set(name, [...(candidates.get(name) ?? []), candidate])
  for (const { name, variable: from, form } of settingsDeclared) {
    const text = from === undefined ? undefined : variable(env, from)
    if (from === undefined || text === undefined) continue
    // An address that is none is told by whoever needs it, and is no matter for a rehearsal.
    const read = form.is === 'address' ? { value: text } : readValue(form, { text }, cwd)
    if ('value' in read) add(name, { value: read.value, from, by: 'environment' })
    else {
      const file = { name: from, text }
      found.push(error('bad-setting', spanOf(file, 0, text.length), `it ${read.problem}`, read.hint))
    }
  }
  // Mostly there are none, and nothing is loaded that finds the word that was meant.
  if (mayHoldSlips(env)) found.push(...(await import('./slips.ts')).slipsIn(env))
  const services: DeclaredService[] = []
  const gates: OwnGate[] = []
  let theirGates: CheckoutGates | undefined
  for (const file of files) {
    // Where nobody has such a file, nothing is loaded that reads YAML.
    const { declaredIn, readSettings } = await import('./read.ts')
    const read = readSettings(file)
    const declared = declaredIn(file)
    found.push(...read.problems, ...declared.problems)
    services.push(...(declared.value?.services ?? []))
    const { gates: named = [], at: place } = declared.value ?? {}
    if (file.of === 'user') gates.push(...named)
    else if (place)
      theirGates ??= { gates: named, at: place, folder: file.folder, root: file.root ?? file.folder }
    for (const { name, value, at } of read.value ?? []) {
      const from = `${at.file.name}:${lineAt(at.file, at.start)}`
      add(name, { value, from, by: file.of })
    }
  }
  const all = settingsDeclared.map(({ name, says, builtIn, lowest, person, onlyOn }): Settled => {
    const isHeard = ({ by, value }: Candidate) => !onlyOn || by !== 'project' || value === true
    const told = (candidates.get(name) ?? []).filter(isHeard)
    const given = person
      ? told.toSorted((a, b) => Number(a.by === 'project') - Number(b.by === 'project'))
      : told
    const counted = lowest ? lowestFirst(given, builtIn) : given
    const [first, ...over] = counted
    if (!first)
      return {
        name,
        says,
        value: builtIn,
        from: builtIn === undefined ? '' : 'built-in',
        by: 'built-in',
        over,
      }
    return { name, says, value: first.value, from: first.from, by: first.by, over }
  })
  const settled = (name: SettingName) => all.find(each => each.name === name)
  return {
    all,
    files: files.map(({ file }) => file.name),
    problems: found,
    services,
    gates,
    ...(theirGates && { theirGates }),
    isWrong: hasErrors(found),
    get: name => settled(name)?.value,
    given: name => {
      const each = settled(name)
      return each?.by === 'built-in' ? undefined : each?.value
    },
    byOf: name => settled(name)?.by ?? 'built-in',
    ofPerson: name => candidates.get(name)?.find(({ by }) => by !== 'project')?.value,
  }
}

function mayHoldSlips(env: Env): boolean {
  return Object.entries(env).some(
    ([name, text]) => name.startsWith('GENRUN_') && (text === '' || !isVariable(name)),
  )
}

/** A project makes a guard stricter, and never wider than it is built in; a person may. */
function lowestFirst(given: readonly Candidate[], builtIn: SettingValue | undefined): readonly Candidate[] {
  const isWider = ({ by, value }: Candidate) =>
    by === 'project' && builtIn !== undefined && Number(value) > Number(builtIn)
  return given.filter(each => !isWider(each)).toSorted((a, b) => Number(a.value) - Number(b.value))
}
