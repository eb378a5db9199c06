import { inputTypes, models } from '../../catalog/index.ts'
import { verifies } from '../../workspace/verifies.ts'
import { starters } from '../words/starters.ts'
import type { Option } from './option.ts'

export const ofKey = 'decides where the key is sent'
const ofTrust = 'decides what of the project is believed'
const ofCache = 'decides what is written and thrown away outside of the project'

const path = { is: 'path' } as const
const texts = { is: 'texts' } as const
const words = { is: 'words' } as const
const amount = { is: 'amount' } as const
const date = { is: 'date' } as const
const several = { is: 'count', least: 1, most: 10_000 } as const
const port = { is: 'count', least: 0, most: 65_535 } as const
const paid = { is: 'count', least: 0, most: 999_999 } as const

const families = [...new Set<string>(Object.values(models).map(({ family }) => family))]

/**
 * Every option of genrun, each declared once. Those with a setting stand in the order in which `genrun settings` shows
 * them; in help they stand in the order in which their command names them.
 */
export const options = {
  baseUrl: {
    says: 'the address of the service, ending in /gw-v2',
    form: { is: 'address' },
    setting: 'baseUrl',
    variable: 'GENRUN_BASE_URL',
    ofService: true,
    outside: ofKey,
  },
  apiKeyFile: {
    says: 'the file that holds the key of the service',
    form: path,
    setting: 'apiKeyFile',
    variable: 'GENRUN_API_KEY_FILE',
    ofService: true,
    outside: ofKey,
  },
  uploadOrigins: {
    says: 'origins beside the address that files may be sent to',
    form: words,
    setting: 'uploadOrigins',
    variable: 'GENRUN_UPLOAD_ORIGINS',
    ofService: true,
    outside: ofKey,
  },
  keyInQuery: {
    says: 'the key may stand in addresses, where a profile says so',
    form: { is: 'switch' },
    setting: 'keyInQuery',
    variable: 'GENRUN_KEY_IN_QUERY',
    ofService: true,
    outside: ofKey,
  },
  allowHosts: {
    says: 'hosts of a private network that results may come from',
    form: words,
    setting: 'allowHosts',
    variable: 'GENRUN_ALLOW_HOSTS',
    ofService: true,
    outside: ofKey,
  },
  ca: {
    flag: '--ca <file>',
    says: 'certificate authorities of your own, as PEM',
    form: path,
    setting: 'ca',
    variable: 'GENRUN_CA',
    ofService: true,
    outside: ofKey,
  },
  profile: {
    flag: '--profile <file>',
    says: 'how this service speaks, as YAML',
    form: path,
    setting: 'profile',
    variable: 'GENRUN_PROFILE',
    person: true,
    builtIn: 'gw-v2',
  },
  service: {
    flag: '--service <name>',
    says: 'the one of your services that is asked',
  },
  prices: {
    flag: '--prices <file>',
    says: 'what the models cost, as YAML',
    form: path,
    setting: 'prices',
    variable: 'GENRUN_PRICES',
    person: true,
  },
  /** Read by whoever judges the checkout; the flag `trust` adds to it. */
  trusted: {
    says: 'files of checkouts that you have read, by their digests',
    form: words,
    setting: 'trust',
    variable: 'GENRUN_TRUST',
    outside: ofTrust,
  },
  untrusted: {
    flag: '--untrusted',
    says: "the checkout is a stranger's: a cap is needed",
    setting: 'untrusted',
    variable: 'GENRUN_UNTRUSTED',
    onlyOn: true,
  },
  /** Where manifests have their folders; the flag `output` names the folder itself. */
  outputs: {
    says: 'the folder in which manifests that name none have their own',
    form: path,
    setting: 'output',
    variable: 'GENRUN_OUTPUT',
  },
  shards: {
    flag: '--shards <number>',
    says: 'into so many parts, each to be run by itself',
    form: { is: 'count', least: 1, most: 1000 },
    not: 'limit',
  },
  shard: {
    flag: '--shard <number>',
    says: 'one part of so many, as 3/16: its own lock and state',
    form: { is: 'shard' },
    not: 'limit',
  },
  fleet: { flag: '--fleet', says: 'made by the workers of GENRUN_STORE' },
  cache: {
    flag: '--cache <place>',
    says: 'results by recipe, shared with others: a folder or s3://bucket',
    form: { is: 'place' },
    setting: 'cache',
    variable: 'GENRUN_CACHE',
    outside: ofCache,
  },
  cacheReadOnly: {
    flag: '--cache-read-only',
    says: 'take from the cache, put nothing in',
    setting: 'cacheReadOnly',
    variable: 'GENRUN_CACHE_READ_ONLY',
    about: 'cache',
    builtIn: false,
  },
  cacheSize: {
    flag: '--cache-size <size>',
    says: 'the largest size of the folder, for instance 5GB',
    form: { is: 'size' },
    setting: 'cacheSize',
    variable: 'GENRUN_CACHE_SIZE',
    about: 'cache',
    outside: ofCache,
  },
  publish: {
    flag: '--publish <place>',
    says: 'put results in a folder or s3://bucket, by their digests',
    form: { is: 'place' },
    setting: 'publish',
    variable: 'GENRUN_PUBLISH',
    outside: 'decides what is sent and written outside of the project',
  },
  mark: {
    says: 'publish copies that say that a trained algorithm made them',
    setting: 'mark',
    variable: 'GENRUN_MARK',
    onlyOn: true,
  },
  catalog: {
    flag: '--catalog <file>',
    says: 'models of your own, as YAML',
    form: { is: 'paths' },
    setting: 'catalog',
    variable: 'GENRUN_CATALOG',
  },
  execute: {
    flag: '--execute <count>',
    says: 'at most so many requests in flight',
    form: several,
    setting: 'limits.execute',
    variable: 'GENRUN_EXECUTE',
  },
  submit: {
    flag: '--submit <count>',
    says: 'at most so many runs alive at the service',
    form: several,
    setting: 'limits.submit',
    variable: 'GENRUN_SUBMIT',
  },
  maxPaid: {
    flag: '--max-paid <count>',
    says: 'at most so many paid requests',
    form: paid,
    setting: 'limits.maxPaid',
    variable: 'GENRUN_MAX_PAID',
    lowest: true,
  },
  maxCost: {
    flag: '--max-cost <amount>',
    says: 'at most so much, by the prices',
    form: amount,
    setting: 'limits.maxCost',
    variable: 'GENRUN_MAX_COST',
    lowest: true,
  },
  maxUseless: {
    flag: '--max-useless <count>',
    says: 'so many useless results in a row end the buying',
    form: several,
    setting: 'limits.maxUseless',
    variable: 'GENRUN_MAX_USELESS',
    builtIn: 5,
    lowest: true,
  },
  maxFailures: {
    flag: '--max-failures <count>',
    says: 'buy nothing more once so many jobs failed',
    form: several,
    setting: 'limits.maxFailures',
    variable: 'GENRUN_MAX_FAILURES',
    lowest: true,
  },
  pollsPerSecond: {
    says: 'results are asked for at most so often a second, by everything together',
    form: { is: 'count', least: 1, most: 50 },
    setting: 'pollsPerSecond',
    variable: 'GENRUN_POLLS_PER_SECOND',
    ofService: true,
    lowest: true,
  },
  rebuyGuard: {
    says: 'more paid results than this are bought anew only with --yes',
    form: { is: 'count', least: 0, most: 100_000 },
    setting: 'rebuyGuard',
    variable: 'GENRUN_REBUY_GUARD',
    builtIn: 20,
    lowest: true,
  },
  verify: {
    flag: '--verify <how>',
    says: 'another size than asked: warn, fail or off',
    form: { is: 'choice', values: verifies },
    setting: 'verify',
    variable: 'GENRUN_VERIFY',
    builtIn: 'warn',
  },
  gate: {
    flag: '--gate <how>',
    says: 'what came blank, black, frozen, silent or twice: warn, fail or off',
    form: { is: 'choice', values: verifies },
    setting: 'gate',
    variable: 'GENRUN_GATE',
    builtIn: 'off',
  },
  strict: {
    flag: '--strict',
    says: 'warnings about the manifest count as errors',
    setting: 'strict',
    variable: 'GENRUN_STRICT',
    builtIn: false,
    onlyOn: true,
  },
  /** Settled before anything is shown; the flag `noColor` goes before it. */
  color: {
    says: 'auto, always or never; NO_COLOR and FORCE_COLOR go before it',
    form: { is: 'choice', values: ['auto', 'always', 'never'] },
    setting: 'color',
    builtIn: 'auto',
  },

  // How much is said, and to whom.
  noColor: { flag: '--no-color', says: 'no colours; NO_COLOR and FORCE_COLOR work too' },
  quiet: { flag: '-q, --quiet', says: 'say only what went wrong', not: 'verbose' },
  verbose: { flag: '-v, --verbose', says: 'one line for everything that happens' },
  debug: {
    flag: '--debug',
    says: 'also each request and answer, and why an order waits',
    not: 'quiet',
  },
  json: { flag: '--json', says: 'the result as JSON on stdout' },
  summary: { flag: '--summary', says: 'Markdown for a pull request', not: 'json' },
  events: { flag: '--events <file>', says: 'what happens, as JSON lines; `-` is stdout' },
  junitFile: { flag: '--junit <file>', says: 'a report as JUnit XML' },
  sarifFile: { flag: '--sarif <file>', says: 'a report as SARIF, for code scanners' },
  summaryFile: { flag: '--summary <file>', says: 'a report as Markdown' },
  singleFile: { flag: '--single-file <file>', says: 'one .html with everything in it, to send' },
  approved: { flag: '--approved', says: 'only what is approved' },
  csv: { flag: '--csv', says: 'the result as CSV on stdout', not: 'json' },
  copiesFolder: {
    flag: '--copies <folder>',
    says: 'copies for others: marked as made by an algorithm, records beside',
    form: { is: 'path' },
  },
  sheetFile: { flag: '--sheet <file>', says: 'one picture of all results (.png, .jpg)' },

  // Where files go.
  output: { flag: '-o, --output <folder>', says: 'the folder for the files' },
  outputFolder: { flag: '--output-folder <folder>', says: 'the folder for the files' },
  outputPath: { flag: '-o, --output <path>', says: 'the file, or a folder with / at its end' },
  outputFile: { flag: '-o, --output <file>', says: 'the file to write' },

  // What is rehearsed, bought and bought again.
  local: { flag: '--local', says: 'rehearse, whatever service is configured' },
  rehearse: { flag: '--rehearse', says: 'rehearse what changed, whatever service is set' },
  failed: { flag: '--failed', says: 'order again what failed (it may cost again)' },
  rebuy: { flag: '--rebuy', says: 'buy again what is gone and cannot be fetched' },
  yes: { flag: '--yes', says: 'many results may be bought anew, unasked' },
  frozen: { flag: '--frozen', says: 'verify, and make nothing' },
  takeClaim: { flag: '--take-claim', says: 'go on where a genrun that is gone was at work' },
  failFast: { flag: '--fail-fast', says: 'the same as --max-failures 1', not: 'maxFailures' },
  trust: { flag: '--trust', says: "the project's profile and gates are right" },
  continues: { flag: '--continue <lock>', says: 'the lock under a former name, or `none`' },
  maxTotalPaid: {
    flag: '--max-total-paid <count>',
    says: 'paid requests of all sessions together',
    form: paid,
  },
  maxTotalCost: {
    flag: '--max-total-cost <amount>',
    says: 'the same as an amount, by the prices',
    form: amount,
  },

  // Which jobs.
  vars: {
    flag: '--var <name=value>',
    says: 'set a variable that the manifest declares',
    form: { is: 'variables' },
  },
  tags: { flag: '--tag <tag>', says: 'only jobs with this tag', form: texts },
  models: { flag: '-m, --model <id>', says: 'only jobs of this model; `*` fits anything', form: texts },
  changed: { flag: '--changed', says: 'only what was made and differs by now' },
  limit: { flag: '--limit <count>', says: 'only the first so many that would be bought', form: several },

  // What became of orders.
  adopt: { flag: '--adopt <id>', says: 'the run at the service is this one' },
  resubmit: { flag: '--resubmit', says: 'order again; it may be paid a second time', not: 'adopt' },
  abandon: { flag: '--abandon', says: 'give up; not ordered again by itself', not: 'adopt' },
  workflow: { flag: '--workflow <name>', says: 'the workflow of the run, if not the usual one' },
  allDoubts: { flag: '--all-doubts', says: 'every job in doubt' },
  before: { flag: '--before <date>', says: 'only what was sent before', form: date },
  after: { flag: '--after <date>', says: 'only what was sent after', form: date },
  forget: { flag: '--forget', says: 'give up orders in doubt; they may have been paid', not: 'model' },
  allow: {
    flag: '--allow <drift>',
    says: 'stale, missing, altered or untracked is fine',
    form: texts,
    offers: ['stale', 'missing', 'altered', 'untracked'],
  },
  takes: { flag: '--takes', says: 'also takes beyond those of the manifest' },
  aside: { flag: '--aside', says: 'also what is kept aside for an edit that is taken back' },

  // One job, and models.
  model: { flag: '-m, --model <id>', says: 'the model' },
  mode: {
    flag: '--mode <mode>',
    says: 'execute or submit',
    form: { is: 'choice', values: ['execute', 'submit'] },
  },
  lock: { flag: '--lock <file>', says: 'buy it once: this file tells what was made' },
  open: { flag: '--open', says: 'show the files when they are there' },
  check: { flag: '--check', says: 'only say what is wrong: no key, no network' },
  family: { flag: '--family <name>', says: 'only this family', offers: families },
  inputType: {
    flag: '--mode <code>',
    says: `only what serves it: ${inputTypes.join(' ')}`,
    offers: inputTypes,
  },

  // Other forms, and other tools.
  form: {
    flag: '--form <form>',
    says: 'mermaid (the usual one) or dot',
    offers: ['mermaid', 'dot'],
  },
  to: {
    flag: '--to <form>',
    says: 'cli (the usual one), tool, curl or sdk',
    offers: ['cli', 'tool', 'curl', 'sdk'],
  },
  from: {
    flag: '--from <what>',
    says: 'cli, tool, curl, sdk, batch or table; usually seen',
    offers: ['cli', 'tool', 'curl', 'sdk', 'batch', 'table'],
  },
  make: {
    flag: '--make <what>',
    says: 'a template, or image, video, speech, sound',
    offers: starters,
  },
  project: { flag: '--project', says: 'a folder with package.json and .gitignore, too' },
  install: { flag: '--install', says: 'tell git and .gitattributes about it' },
  offline: { flag: '--offline', says: 'do not ask the service' },

  // Servers.
  http: { flag: '--http', says: 'streamable HTTP in place of stdio' },
  port: { flag: '--port <port>', says: 'the port (4040); 0 takes a free one', form: port },
  readOnly: { flag: '--read-only', says: 'nothing is made' },
  takeFile: { flag: '--take <file>', says: 'apply verdicts that somebody sent' },
  reviewer: { flag: '--as <name>', says: 'who judges: the name beside each verdict' },
  host: { flag: '--host <address>', says: 'the address to listen on (127.0.0.1)' },
  served: { flag: '--outputs <folder>', says: 'keep results here instead of in memory' },
  maxStore: { flag: '--max-store <size>', says: 'keep at most so much, for instance 500MB (2GB)' },
  format: {
    flag: '--format <format>',
    says: 'of images: png, jpeg or webp (png)',
    offers: ['png', 'jpeg', 'webp'],
  },
  linkSeconds: { flag: '--link-seconds <seconds>', says: 'links to files expire after so long' },
  resultSeconds: { flag: '--result-seconds <s>', says: 'results expire so long after the end' },
  fault: { flag: '--fault <faults>', says: 'faults: delay=~300, lose first=1', form: { is: 'texts' } },
  ledger: { flag: '--ledger', says: 'count paid requests at /__ledger' },
  s3: { flag: '--s3 <bucket>', says: 'a bucket for clients of S3, in memory, below /s3' },
  backend: { flag: '--backend <file>', says: 'models and the commands that make their files' },
  backendSeconds: { flag: '--backend-seconds <s>', says: 'end a command that takes longer (600)' },
} as const satisfies { readonly [name: string]: Option }
