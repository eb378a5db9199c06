/** What a setting may be. Paths count from the folder of the file that they stand in. */
export type Form =
  | { readonly is: 'path' | 'paths' | 'switch' | 'amount' | 'size' | 'address' | 'words' }
  | { readonly is: 'choice'; readonly values: readonly string[] }
  | { readonly is: 'count'; readonly least: number; readonly most: number }

export type SettingValue = string | number | boolean | readonly string[]

/** One setting: every face of it (file, environment, flag, schema, `genrun settings`) is a loop over the list below. */
export interface Declared {
  /** As in the file; `limits.maxCost` is `maxCost` in the section `limits`. */
  readonly name: string
  readonly says: string
  readonly form: Form
  readonly variable?: string
  /** The flag of the same meaning, on the commands that have it. */
  readonly flag?: string
  readonly builtIn?: SettingValue
  /** Of several, the lowest counts, whoever gave it. */
  readonly lowest?: true
  /** Never taken from a project, which others may have written: why, as a sentence goes on after the setting's name. */
  readonly outside?: string
  /** A project has a say only where the person has none: theirs goes first. */
  readonly person?: true
  /** A project can switch it on, and never off. */
  readonly onlyOn?: true
}

export const ofKey = 'decides where the key is sent'
const ofTrust = 'decides what of the project is believed'
const ofCache = 'decides what is written and thrown away outside of the project'

const count = (least: number, most = 10_000): Form => ({ is: 'count', least, most })

/** Every setting, in the order in which `genrun settings` shows them. */
export const declared = [
  {
    name: 'baseUrl',
    says: 'the address of the service, ending in /gw-v2',
    form: { is: 'address' },
    variable: 'GENRUN_BASE_URL',
    outside: ofKey,
  },
  {
    name: 'apiKeyFile',
    says: 'the file that holds the key of the service',
    form: { is: 'path' },
    variable: 'GENRUN_API_KEY_FILE',
    outside: ofKey,
  },
  {
    name: 'uploadOrigins',
    says: 'origins beside the address that files may be sent to',
    form: { is: 'words' },
    variable: 'GENRUN_UPLOAD_ORIGINS',
    outside: ofKey,
  },
  {
    name: 'allowHosts',
    says: 'hosts of a private network that results may come from',
    form: { is: 'words' },
    variable: 'GENRUN_ALLOW_HOSTS',
    outside: ofKey,
  },
  {
    name: 'ca',
    says: 'certificate authorities of your own, as PEM',
    form: { is: 'path' },
    variable: 'GENRUN_CA',
    flag: '--ca',
    outside: ofKey,
  },
  {
    name: 'profile',
    says: 'how the service speaks, as YAML',
    form: { is: 'path' },
    variable: 'GENRUN_PROFILE',
    flag: '--profile',
    person: true,
    builtIn: 'gw-v2',
  },
  {
    name: 'prices',
    says: 'what the models cost, as YAML',
    form: { is: 'path' },
    variable: 'GENRUN_PRICES',
    flag: '--prices',
    person: true,
  },
  {
    name: 'trust',
    says: 'files of checkouts that you have read, by their digests',
    form: { is: 'words' },
    variable: 'GENRUN_TRUST',
    outside: ofTrust,
  },
  {
    name: 'untrusted',
    says: "the checkout may be a stranger's; else by what CI says",
    form: { is: 'switch' },
    variable: 'GENRUN_UNTRUSTED',
    flag: '--untrusted',
    onlyOn: true,
  },
  {
    name: 'output',
    says: 'the folder in which manifests that name none have their own',
    form: { is: 'path' },
    variable: 'GENRUN_OUTPUT',
  },
  {
    name: 'cache',
    says: 'a folder with results by recipe, shared with others',
    form: { is: 'path' },
    variable: 'GENRUN_CACHE',
    flag: '--cache',
    outside: ofCache,
  },
  {
    name: 'cacheReadOnly',
    says: 'take from the cache, put nothing in',
    form: { is: 'switch' },
    variable: 'GENRUN_CACHE_READ_ONLY',
    flag: '--cache-read-only',
    builtIn: false,
  },
  {
    name: 'cacheSize',
    says: 'the largest size of the cache, for instance 5GB',
    form: { is: 'size' },
    variable: 'GENRUN_CACHE_SIZE',
    flag: '--cache-size',
    outside: ofCache,
  },
  {
    name: 'catalog',
    says: 'files that declare models of your own',
    form: { is: 'paths' },
    variable: 'GENRUN_CATALOG',
  },
  {
    name: 'limits.execute',
    says: 'at most so many requests in flight',
    form: count(1),
    variable: 'GENRUN_EXECUTE',
    flag: '--execute',
  },
  {
    name: 'limits.submit',
    says: 'at most so many runs alive at the service',
    form: count(1),
    variable: 'GENRUN_SUBMIT',
    flag: '--submit',
  },
  {
    name: 'limits.maxPaid',
    says: 'at most so many paid requests in one run',
    form: count(0, 999_999),
    variable: 'GENRUN_MAX_PAID',
    flag: '--max-paid',
    lowest: true,
  },
  {
    name: 'limits.maxCost',
    says: 'at most so much in one run, by the prices',
    form: { is: 'amount' },
    variable: 'GENRUN_MAX_COST',
    flag: '--max-cost',
    lowest: true,
  },
  {
    name: 'limits.maxUseless',
    says: 'paid orders in a row without a usable file, before there was any, that end the buying',
    form: count(1),
    variable: 'GENRUN_MAX_USELESS',
    flag: '--max-useless',
    builtIn: 5,
    lowest: true,
  },
  {
    name: 'limits.maxFailures',
    says: 'a run buys nothing more once so many jobs failed',
    form: count(1),
    variable: 'GENRUN_MAX_FAILURES',
    flag: '--max-failures',
    lowest: true,
  },
  {
    name: 'pollsPerSecond',
    says: 'results are asked for at most so often a second, by everything together',
    form: count(1, 50),
    variable: 'GENRUN_POLLS_PER_SECOND',
    lowest: true,
  },
  {
    name: 'rebuyGuard',
    says: 'more paid results than this are bought anew only with --yes',
    form: count(0, 100_000),
    variable: 'GENRUN_REBUY_GUARD',
    builtIn: 20,
    lowest: true,
  },
  {
    name: 'verify',
    says: 'results that differ from what was asked: told, failed, or not looked at',
    form: { is: 'choice', values: ['warn', 'fail', 'off'] },
    variable: 'GENRUN_VERIFY',
    flag: '--verify',
    builtIn: 'warn',
  },
  {
    name: 'strict',
    says: 'warnings about a manifest count as errors',
    form: { is: 'switch' },
    variable: 'GENRUN_STRICT',
    flag: '--strict',
    builtIn: false,
  },
  {
    name: 'color',
    says: 'auto, always or never; NO_COLOR and FORCE_COLOR go before it',
    form: { is: 'choice', values: ['auto', 'always', 'never'] },
    flag: '--no-color',
    builtIn: 'auto',
  },
] as const satisfies readonly Declared[]

export type SettingName = (typeof declared)[number]['name']

/** The same list, each entry with every key it may have. */
export const settingsDeclared: readonly (Declared & { readonly name: SettingName })[] = declared
