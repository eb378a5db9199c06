import type { OptionUsage } from './usage-form.ts'

/** Of every command that has something for a script. */
export const json = (says: string): OptionUsage => ({ flags: '--json', says })

/** Of every command that takes its time: how much it says meanwhile. */
export const talkOptions: readonly OptionUsage[] = [
  { flags: '-q, --quiet', says: 'say only what went wrong', not: 'verbose' },
  { flags: '-v, --verbose', says: 'one line for everything that happens' },
  { flags: '--debug', says: 'also each request and answer, and why an order waits', not: 'quiet' },
]

/** Of every command. */
export const plain: OptionUsage = {
  flags: '--no-color',
  says: 'no colours; NO_COLOR and FORCE_COLOR work too',
}
/** Of every command that looks at what was made. */
export const local: OptionUsage = { flags: '--local', says: "the rehearsal's files and lock, not the real" }
/** Of every command that makes something. */
export const rehearse: OptionUsage = { flags: '--local', says: 'rehearse, whatever service is configured' }
export const output: OptionUsage = { flags: '-o, --output <folder>', says: 'the folder for the files' }

export const varOption: OptionUsage = {
  flags: '--var <name=value>',
  says: 'set a variable that the manifest declares',
  takes: 'var',
}

/** Of every command that knows models. */
export const catalogOption: OptionUsage = {
  flags: '--catalog <file>',
  says: 'models of your own, as YAML',
  takes: 'list',
}

export const strictOption: OptionUsage = {
  flags: '--strict',
  says: 'warnings about the manifest count as errors',
}

/** Of every command that reads a manifest: what it cannot say itself. */
export const manifestOptions: readonly OptionUsage[] = [varOption, catalogOption]

/** Which jobs. */
export const selectOptions: readonly OptionUsage[] = [
  ...manifestOptions,
  strictOption,
  { flags: '--tag <tag>', says: 'only jobs with this tag', takes: 'list' },
  { flags: '-m, --model <id>', says: 'only jobs of this model; `*` fits anything', takes: 'list' },
  { flags: '--changed', says: 'only what was made and differs by now' },
]

export const profileOption: OptionUsage = {
  flags: '--profile <file>',
  says: 'how this service speaks, as YAML',
}

export const caOption: OptionUsage = {
  flags: '--ca <file>',
  says: 'certificate authorities of your own, as PEM',
}

/** Of commands that buy: what of the checkout is believed. */
export const trustOptions: readonly OptionUsage[] = [
  { flags: '--trust', says: "the project's profile was read, and is right" },
  { flags: '--untrusted', says: "the checkout is a stranger's: a cap is needed" },
]

/** Of commands that count on what was bought. */
export const continueOption: OptionUsage = {
  flags: '--continue <lock>',
  says: 'the lock under a former name, or `none`',
}

export const verifyOption: OptionUsage = {
  flags: '--verify <how>',
  says: 'another size than asked: warn, fail or off',
  takes: 'verify',
  values: ['warn', 'fail', 'off'],
}

export const pricesOption: OptionUsage = { flags: '--prices <file>', says: 'what the models cost, as YAML' }

/** What it costs and may cost. */
export const moneyOptions: readonly OptionUsage[] = [
  pricesOption,
  { flags: '--max-paid <count>', says: 'at most so many paid requests', takes: 'paid' },
  { flags: '--max-cost <amount>', says: 'at most so much, by the prices', takes: 'amount' },
]

/** When a run buys nothing more. */
export const stopOptions: readonly OptionUsage[] = [
  { flags: '--max-useless <count>', says: 'so many useless results in a row end the buying', takes: 'count' },
  { flags: '--max-failures <count>', says: 'buy nothing more once so many jobs failed', takes: 'count' },
  { flags: '--fail-fast', says: 'the same as --max-failures 1', not: 'maxFailures' },
]

export const cacheOptions: readonly OptionUsage[] = [
  { flags: '--cache <folder>', says: 'results by recipe, shared with others' },
  { flags: '--cache-read-only', says: 'take from the cache, put nothing in' },
  { flags: '--cache-size <size>', says: 'its largest size, for instance 5GB', takes: 'size' },
]

/** Of what is selected. */
export const limitOption: OptionUsage = {
  flags: '--limit <count>',
  says: 'only the first so many that would be bought',
  takes: 'count',
}

/** How jobs are named, for the end of a help screen. */
export const selectNotes = [
  'Jobs are named by id, address or glob: still, still[fox,front], still[*,front],',
  'hero#2, or by axes: still[view=front]; !still leaves out. What they need comes',
  'along.',
]

/** What `redo` and `run` take beside their own flags. */
export const selectionFlags: readonly OptionUsage[] = [
  ...selectOptions,
  profileOption,
  ...moneyOptions,
  ...cacheOptions,
]

/** The word past the guard of what is bought again. */
export const yesOption: OptionUsage = { flags: '--yes', says: 'many results may be bought anew, unasked' }

export const runOptions: readonly OptionUsage[] = [
  ...selectionFlags,
  ...stopOptions,
  ...trustOptions,
  caOption,
  verifyOption,
  continueOption,
  yesOption,
  { flags: '--frozen', says: 'verify, and make nothing' },
]
