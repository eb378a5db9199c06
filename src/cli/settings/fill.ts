import { type Verify, verifies } from '../../workspace/verifies.ts'
import type { Args, RunArgs } from '../flags/arguments.ts'
import type { SettingName } from '../flags/given.ts'
import type { RunSelectionArgs, SelectionArgs } from '../flags/selection-args.ts'
import type { Env } from '../io/surroundings.ts'
import type { Settings } from './settle.ts'

type Given = Pick<Settings, 'given'>

/** What a command line leaves open, as the settings have it. Of caps the lowest counts, also against a flag. */
export function withSettings(args: Args, settings: Given): Args {
  const { profile, prices } = paths(settings)
  switch (args.do) {
    case 'run':
      return runWith(args, settings)
    case 'plan':
    case 'why':
    case 'graph':
    case 'verify':
    case 'accept':
    case 'prune':
    case 'pick':
    case 'report':
    case 'watch':
    case 'status':
    case 'resolve':
    case 'adopt':
    case 'recover':
      return {
        ...args,
        selection: wantedWith(args.selection, settings),
      }
    case 'apply':
      return { ...args, selection: wantedWith(args.selection, settings) }
    case 'generate':
      return {
        ...args,
        profile: args.profile ?? profile,
        prices: args.prices ?? prices,
        maxCost: lowest(args.maxCost, settings, 'limits.maxCost'),
        ...catalogOf(args.catalog, settings),
        strict: args.strict || settings.given('strict') === true,
        ...verifyOf(args.verify, settings),
      }
    case 'mcp':
      return {
        ...args,
        ...outputsOf(settings),
        profile: args.profile ?? profile,
        prices: args.prices ?? prices,
        maxPaid: lowest(args.maxPaid, settings, 'limits.maxPaid'),
        maxCost: lowest(args.maxCost, settings, 'limits.maxCost'),
        ...catalogOf(args.catalog, settings),
      }
    case 'validate':
      return {
        ...args,
        strict: args.strict || settings.given('strict') === true,
        ...catalogOf(args.catalog, settings),
      }
    case 'convert':
      return { ...args, profile: args.profile ?? profile, ...catalogOf(args.catalog, settings) }
    case 'pricing':
      return { ...args, prices: args.prices ?? prices, ...catalogOf(args.catalog, settings) }
    case 'models':
    case 'model-info':
    case 'schema':
    case 'import':
    case 'result':
    case 'complete':
      return { ...args, ...catalogOf(args.catalog, settings) }
    default:
      return args
  }
}

function runWith(args: RunArgs, settings: Given): RunArgs {
  const selection = wantedWith(args.selection ?? nothingWanted, settings)
  const isNothing =
    !args.selection && Object.entries(selection).every(([name, value]) => isEmpty(name, value))
  return {
    ...args,
    execute: args.execute ?? number(settings, 'limits.execute'),
    submit: args.submit ?? number(settings, 'limits.submit'),
    ...(!isNothing && { selection }),
  }
}

function isEmpty(name: string, value: unknown): boolean {
  return value === nothingWanted[name as keyof RunSelectionArgs] // a key of the record itself
}

const nothingWanted: RunSelectionArgs = {
  selectors: [],
  vars: [],
  tags: [],
  models: [],
  changed: false,
  profile: undefined,
  prices: undefined,
  maxCost: undefined,
  maxPaid: undefined,
  cache: undefined,
  cacheReadOnly: false,
  cacheBytes: undefined,
  redo: false,
  yes: false,
  frozen: false,
}

function wantedWith<W extends SelectionArgs>(selection: W, settings: Given): W {
  const { profile, prices, cache } = paths(settings)
  const guard = number(settings, 'rebuyGuard')
  const maxFailures = lowest(selection.maxFailures, settings, 'limits.maxFailures')
  const maxUseless = lowest(selection.maxUseless, settings, 'limits.maxUseless')
  return {
    ...selection,
    profile: selection.profile ?? profile,
    prices: selection.prices ?? prices,
    maxPaid: lowest(selection.maxPaid, settings, 'limits.maxPaid'),
    maxCost: lowest(selection.maxCost, settings, 'limits.maxCost'),
    ...(maxUseless !== undefined && { maxUseless }),
    ...(maxFailures !== undefined && { maxFailures }),
    cache: selection.cache ?? cache,
    // A word about the cache of the settings says nothing about another one.
    cacheReadOnly:
      selection.cacheReadOnly || (selection.cache === undefined && settings.given('cacheReadOnly') === true),
    cacheBytes:
      selection.cacheBytes ?? (selection.cache === undefined ? number(settings, 'cacheSize') : undefined),
    ...outputsOf(settings),
    ...catalogOf(selection.catalog, settings),
    ...((selection.strict || settings.given('strict') === true) && { strict: true }),
    ...(guard !== undefined && { rebuyGuard: guard }),
    ...verifyOf(selection.verify, settings),
  }
}

/**
 * The environment with what the user's own settings say about the service. The address and the key go together: where
 * the environment names one of them, neither comes from elsewhere, so that no key meets an address that was not meant.
 */
export function withService(env: Env, settings: Given): Env {
  const own: { [name: string]: string } = {}
  const put = (variable: string, name: SettingName) => {
    const value = settings.given(name)
    if (value !== undefined) own[variable] = Array.isArray(value) ? value.join(',') : String(value)
  }
  const isNamed = ['GENRUN_BASE_URL', 'GENRUN_API_KEY', 'GENRUN_API_KEY_FILE'].some(name => env[name])
  if (!isNamed) {
    put('GENRUN_BASE_URL', 'baseUrl')
    put('GENRUN_API_KEY_FILE', 'apiKeyFile')
  }
  put('GENRUN_UPLOAD_ORIGINS', 'uploadOrigins')
  put('GENRUN_ALLOW_HOSTS', 'allowHosts')
  put('GENRUN_CA', 'ca')
  put('GENRUN_POLLS_PER_SECOND', 'pollsPerSecond')
  return { ...env, ...own }
}

/** The environment and the flag, as the setting for colours has them where neither says anything. */
export function colourOf(env: Env, noColour: boolean, settings: Given): { env: Env; noColour: boolean } {
  const choice = settings.given('color')
  if (noColour || env.NO_COLOR || env.FORCE_COLOR || choice === undefined) return { env, noColour }
  return choice === 'always'
    ? { env: { ...env, FORCE_COLOR: '1' }, noColour }
    : { env, noColour: choice === 'never' }
}

/** Where manifests that name no output folder have theirs: the same for every command, or none finds what another made. */
function outputsOf(settings: Given): { readonly outputs?: string } {
  const outputs = text(settings, 'output')
  return outputs === undefined ? {} : { outputs }
}

function paths(settings: Given) {
  const [profile, prices, cache] = (['profile', 'prices', 'cache'] as const).map(name => text(settings, name))
  return { profile, prices, cache }
}

function text(settings: Given, name: SettingName): string | undefined {
  const value = settings.given(name)
  return typeof value === 'string' ? value : undefined
}

function number(settings: Given, name: SettingName): number | undefined {
  const value = settings.given(name)
  return typeof value === 'number' ? value : undefined
}

/** Models of the settings and of the command line are all there. */
function catalogOf(given: readonly string[] = [], settings: Given): { readonly catalog?: readonly string[] } {
  const own = settings.given('catalog')
  const all = [...(Array.isArray(own) ? own : []), ...given]
  return all.length > 0 ? { catalog: all } : {}
}

/** The flag goes before the setting, and the usual way is not said. */
function verifyOf(flag: Verify | undefined, settings: Given): { readonly verify?: Verify } {
  const verify = flag ?? verifies.find(each => each === settings.given('verify'))
  return verify ? { verify } : {}
}

function lowest(flag: number | undefined, settings: Given, name: SettingName): number | undefined {
  const setting = number(settings, name)
  if (flag === undefined || setting === undefined) return flag ?? setting
  return Math.min(flag, setting)
}
