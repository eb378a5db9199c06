/**
 * The command line as data: the parser, the help screens and (later) the completions are loops over it.
 * Flags are written as they stand in help: `-q, --quiet`, `--output <folder>`.
 */
export interface Usage {
  /** As it is typed: `run`, `models info`; empty for genrun itself. */
  readonly name: string
  /** `<manifest>`, `[words...]`. */
  readonly args?: string
  /** One line. */
  readonly says: string
  /** A command line and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  readonly options: readonly OptionUsage[]
  /** What help says at its end. */
  readonly notes?: readonly string[]
}

export interface OptionUsage {
  readonly flags: string
  readonly says: string
  /** What its value must be; a text where it is absent. */
  readonly takes?: 'count' | 'port'
  /** The option that cannot be given beside it, by its name without dashes. */
  readonly not?: string
}

const json = (says: string): OptionUsage => ({ flags: '--json', says })
const plain: OptionUsage = {
  flags: '--no-color',
  says: 'no colours; NO_COLOR and FORCE_COLOR work too',
}

const serviceNotes = [
  'GENRUN_BASE_URL and GENRUN_API_KEY (or GENRUN_API_KEY_FILE) name the service.',
  'With neither, genrun rehearses against the embedded gateway: placeholders of',
  'the right size and length, nothing is paid. In CI that needs --local.',
]

export const genrun: Usage = {
  name: '',
  args: '<manifest>',
  says: 'makes the media that a manifest describes, and pays for nothing twice',
  examples: [
    ['genrun campaign.yaml', 'make it; the files go to out/campaign'],
    ['genrun campaign.yaml --local', 'rehearse: nothing is paid'],
    ['genrun validate campaign.yaml', 'check the manifest: no key, no network'],
    ['genrun models', 'which models there are'],
    ['genrun models info famc-v3', 'what one model takes'],
  ],
  options: [{ flags: '-V, --version', says: 'the version of genrun' }],
  notes: [
    ...serviceNotes,
    '',
    'Exit codes: 0 all well, 1 a job failed, 2 the manifest or the settings are',
    'against it, 3 a paid request is in doubt, 4 not finished: run again, 5 another',
    'genrun is at work here, 6 the budget is spent, 7 the disk or the state is',
    'damaged, 130 and 143 stopped, 70 a bug in genrun.',
  ],
}

export const commands: readonly Usage[] = [
  {
    name: 'run',
    args: '<manifest>',
    says: 'make what is not made yet; `run` may be left out',
    examples: [
      ['genrun campaign.yaml', 'make it; the files go to out/campaign'],
      ['genrun campaign.yaml --local', 'rehearse: nothing is paid'],
      ['genrun campaign.yaml --output media', 'other folder for the files'],
      ['genrun campaign.yaml --failed', 'order again what failed'],
      ['genrun campaign.yaml --json > tea.json', 'a report for a script'],
    ],
    options: [
      { flags: '-o, --output <folder>', says: 'the folder for the files' },
      { flags: '--local', says: 'rehearse, whatever service is configured' },
      { flags: '--failed', says: 'order again what failed (it may cost again)' },
      { flags: '--rebuy', says: 'buy again what is gone and cannot be fetched' },
      { flags: '--execute <count>', says: 'at most so many requests in flight', takes: 'count' },
      { flags: '--submit <count>', says: 'at most so many runs alive at the service', takes: 'count' },
      json('the final report as JSON on stdout'),
      { flags: '-q, --quiet', says: 'say only what went wrong', not: 'verbose' },
      { flags: '-v, --verbose', says: 'one line for everything that happens' },
      plain,
    ],
    notes: serviceNotes,
  },
  {
    name: 'validate',
    args: '<manifest>',
    says: 'check a manifest; needs no key and no network',
    examples: [
      ['genrun validate campaign.yaml', 'every problem with its line'],
      ['genrun validate campaign.yaml --strict', 'warnings count as errors'],
      ['genrun validate campaign.yaml --json', 'for an editor or a script'],
    ],
    options: [json('the verdict as JSON on stdout'), { flags: '--strict', says: 'warnings fail too' }, plain],
  },
  {
    name: 'models',
    args: '[words...]',
    says: 'list the models, or those that match all words',
    examples: [
      ['genrun models', 'all models'],
      ['genrun models famc i2v', 'one family, models that take an image'],
      ['genrun models info famc-v3', 'what one model takes'],
    ],
    options: [json('the models as JSON on stdout'), plain],
  },
  {
    name: 'models info',
    args: '<id>',
    says: 'show a model with all its parameters',
    examples: [
      ['genrun models info fama-imagine-image', 'as a table'],
      ['genrun models info famc-v3 --json', 'for a script'],
    ],
    options: [json('the model as JSON on stdout'), plain],
  },
  {
    name: 'serve',
    says: 'the embedded gateway on a port; it makes placeholders',
    examples: [
      ['genrun serve', 'this machine only'],
      ['GENRUN_API_KEY=abc123 genrun serve --port 80', 'your own key and port'],
      ['genrun serve --outputs ./served', 'keep what was made'],
    ],
    options: [
      { flags: '--port <port>', says: 'the port (4040); 0 takes a free one', takes: 'port' },
      { flags: '--host <address>', says: 'the address to listen on (127.0.0.1)' },
      { flags: '--outputs <folder>', says: 'keep results here instead of in memory' },
      plain,
    ],
    notes: [
      'Clients must send the key of GENRUN_API_KEY (or GENRUN_API_KEY_FILE); without',
      'it a random one is made and printed.',
    ],
  },
]
