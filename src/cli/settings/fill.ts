import type { AnyArgs } from '../flags/command.ts'
import { isList } from '../flags/option.ts'
import type { Env } from '../io/surroundings.ts'
import { type Declared, settingsDeclared } from './declared.ts'
import type { Settings } from './settle.ts'

type Given = Pick<Settings, 'given'>

/** What a command line leaves open, as the settings have it. Of caps the lowest counts, also against a flag. */
export function withSettings<Args extends AnyArgs>(args: Args, settings: Given): Args {
  const given: { readonly [name: string]: unknown } = args
  const filled = settingsDeclared.flatMap(declared => {
    const { option, name, about, ofService } = declared
    // A word about the cache of the settings says nothing about another one.
    if (ofService || (about !== undefined && given[about] !== undefined)) return []
    return [[option, settled(declared, given[option], settings.given(name))] as const]
  })
  // Each setting was read by the form of its option.
  return { ...args, ...(Object.fromEntries(filled) as Partial<Args>) }
}

function settled({ form, lowest }: Declared, flag: unknown, setting: unknown): unknown {
  if (setting === undefined) return flag
  // No flag is an empty list.
  if (isList(form)) return Array.isArray(flag) && flag.length > 0 ? flag : setting
  if (form.is === 'switch') return flag === true || setting === true
  if (lowest && flag !== undefined) return Math.min(Number(flag), Number(setting))
  return flag ?? setting
}

/**
 * The environment with what the user's own settings say about the service. The address and the key go together: where
 * the environment names one of them, neither comes from elsewhere, so that no key meets an address that was not meant.
 */
export function withServiceSettings(env: Env, settings: Given): Env {
  const isNamed = ['GENRUN_BASE_URL', 'GENRUN_API_KEY', 'GENRUN_API_KEY_FILE'].some(name => env[name])
  const own = settingsDeclared.flatMap(({ name, ofService, variable }) => {
    const value = settings.given(name)
    if (!ofService || variable === undefined || value === undefined) return []
    if (isNamed && (name === 'baseUrl' || name === 'apiKeyFile')) return []
    return [[variable, Array.isArray(value) ? value.join(',') : String(value)]]
  })
  return { ...env, ...Object.fromEntries(own) }
}

/** The environment and the flag, as the setting for colours has them where neither says anything. */
export function colourOf(env: Env, noColour: boolean, settings: Given): { env: Env; noColour: boolean } {
  const choice = settings.given('color')
  if (noColour || env.NO_COLOR || env.FORCE_COLOR || choice === undefined) return { env, noColour }
  return choice === 'always'
    ? { env: { ...env, FORCE_COLOR: '1' }, noColour }
    : { env, noColour: choice === 'never' }
}
