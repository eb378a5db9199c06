import { hasErrors, problemRecord } from '../../base/diagnostic.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { readKeyFile } from '../../workspace/read/named-file.ts'
import { userFolder } from '../../workspace/read/user-folder.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedServices } from '../service/named.ts'
import { chosenKey } from '../service/service.ts'
import { gatesFor, trustFor } from '../settings/caution.ts'
import { withServiceSettings } from '../settings/fill.ts'
import { projectPlaces } from '../settings/places.ts'
import { openSettings, type Settings, type Settled } from '../settings/settle.ts'
import { problemsText } from '../words/problems.ts'

/** `genrun settings`: every value with its origin. The key is never shown, only whether there is one. */
export async function showSettings(
  args: { readonly json: boolean },
  around: Surroundings,
  out: Out,
): Promise<number> {
  const settings = await openSettings(around.cwd, around.env)
  const key = keyOf(settings, around)
  const services = servicesOf(settings, around)
  const gates = gatesOf(settings, around)
  if (args.json) out.json(recordOf(settings, key, { services, gates }))
  else {
    out.result(tableText(settings.all, key, out))
    if (services.length > 0) out.result(services.map(serviceText).join('\n'))
    if (gates.length > 0) out.result(gates.map(gateText).join('\n'))
    if (settings.problems.length > 0) out.talk(problemsText(settings.problems, out.paint))
    out.talk(placesText(settings, around))
  }
  return hasErrors(settings.problems) ? exit.refused : exit.ok
}

interface KeyState {
  readonly is: 'set' | 'unset' | 'wrong'
  readonly from: string
  readonly problem?: string
}

function keyOf(settings: Settings, { env, cwd }: Surroundings): KeyState {
  const all = withServiceSettings(env, settings)
  const from = env.GENRUN_API_KEY ? 'GENRUN_API_KEY' : originOf(settings, 'apiKeyFile')
  const key = chosenKey(all, path => readKeyFile(path, cwd))
  if (key === undefined) return { is: 'unset', from: '' }
  return 'code' in key ? { is: 'wrong', from, problem: key.message } : { is: 'set', from }
}

function originOf(settings: Settings, name: Settled['name']): string {
  return settings.all.find(each => each.name === name)?.from ?? ''
}

/** A service as it is declared, and what is wrong with it. */
interface ServiceState {
  readonly name: string
  readonly baseUrl: string
  readonly profile: string | null
  readonly problem?: string
}

function servicesOf({ services }: Settings, around: Surroundings): readonly ServiceState[] {
  const named = namedServices({ ...around, services })
  return services.map(({ name, baseUrl, profile = null }) => {
    const known = named[name]
    return { name, baseUrl, profile, ...(known && 'problem' in known && { problem: known.problem }) }
  })
}

function serviceText({ name, baseUrl, profile, problem }: ServiceState): string {
  const how = problem ?? (profile === null ? 'as the specification has it' : `by ${profile}`)
  return `service ${name}: ${display(baseUrl)}, ${display(how)}`
}

/** A gate as it would be asked here. */
interface GateState {
  readonly name: string
  /** Its program or address; absent where it is not asked. */
  readonly at?: string
  readonly problem?: string
}

function gatesOf(settings: Settings, { env }: Surroundings): readonly GateState[] {
  const trust = trustFor({ orders: undefined }, settings, env)
  return gatesFor({ orders: undefined }, settings, trust, env).gates.map(gate =>
    'barred' in gate
      ? { name: gate.name, problem: gate.barred }
      : { name: gate.name, at: 'url' in gate ? gate.url : gate.program },
  )
}

function gateText({ name, at, problem }: GateState): string {
  return `gate ${name}: ${display(problem === undefined ? (at ?? '') : `not asked, ${problem}`)}`
}

interface Declared {
  readonly services: readonly ServiceState[]
  readonly gates: readonly GateState[]
}

function recordOf(settings: Settings, key: KeyState, { services, gates }: Declared): object {
  return {
    ok: !settings.isWrong,
    settings: settings.all.map(({ name, value, from, by, over }) => ({
      name,
      value: value ?? null,
      from: from || null,
      by: from === '' ? null : by,
      over,
    })),
    key,
    ...(services.length > 0 && { services }),
    ...(gates.length > 0 && { gates }),
    files: settings.files,
    problems: settings.problems.map(problemRecord),
  }
}

function tableText(all: readonly Settled[], key: KeyState, out: Out): string {
  const rows = [
    ...all.map(({ name, value, from }) => [name, valueText(value), from]),
    [
      'the key',
      key.is === 'set' ? 'set, not shown' : key.is === 'wrong' ? display(key.problem ?? '') : '-',
      key.from,
    ],
  ]
  const widths = [0, 1].map(column => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows
    .map(([name = '', value = '', from = '']) => {
      const cells = [name.padEnd(widths[0] ?? 0), value.padEnd(from === '' ? 0 : (widths[1] ?? 0))]
      return `${cells.join('  ')}  ${out.resultPaint.dim(display(from))}`.trimEnd()
    })
    .join('\n')
}

function valueText(value: Settled['value']): string {
  if (value === undefined) return '-'
  return display(Array.isArray(value) ? value.join(' ') : String(value))
}

function placesText({ files }: Settings, { env }: Surroundings): string {
  const folder = userFolder(env)
  const own = folder === undefined ? '' : `; your own: ${display(folder)}/config.yaml`
  const read = files.length > 0 ? `read: ${files.map(file => display(file)).join(', ')}` : 'no file was read'
  return `${read}\nthe project's: ${projectPlaces[0]}, here or above${own}`
}
