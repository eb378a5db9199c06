import { reportOptions } from './reports/asked.ts'
import type { OptionUsage, Usage } from './usage-form.ts'

const json = (says: string): OptionUsage => ({ flags: '--json', says })
const plain: OptionUsage = {
  flags: '--no-color',
  says: 'no colours; NO_COLOR and FORCE_COLOR work too',
}
const local: OptionUsage = { flags: '--local', says: "the rehearsal's files and lock, not the real" }
const output: OptionUsage = { flags: '-o, --output <folder>', says: 'the folder for the files' }

/** Which jobs: the same words everywhere. */
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

/** Which jobs. */
export const selectOptions: readonly OptionUsage[] = [
  varOption,
  catalogOption,
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

export const verifyOption: OptionUsage = {
  flags: '--verify <how>',
  says: 'another size than asked: warn, fail or off',
  takes: 'verify',
  values: ['warn', 'fail', 'off'],
}

/** What it costs and may cost. */
export const moneyOptions: readonly OptionUsage[] = [
  { flags: '--prices <file>', says: 'what the models cost, as YAML' },
  { flags: '--max-paid <count>', says: 'at most so many paid requests', takes: 'paid' },
  { flags: '--max-cost <amount>', says: 'at most so much, by the prices', takes: 'amount' },
]

export const cacheOptions: readonly OptionUsage[] = [
  { flags: '--cache <folder>', says: 'results by recipe, shared with others' },
  { flags: '--cache-read-only', says: 'take from the cache, put nothing in' },
  { flags: '--cache-size <size>', says: 'its largest size, for instance 5GB', takes: 'size' },
]

const failed: OptionUsage = { flags: '--failed', says: 'only what failed, ordered again' }
const rebuy: OptionUsage = { flags: '--rebuy', says: 'buy again what is gone and cannot be fetched' }

const selectNotes = [
  'Jobs are named by id, address or glob: still, still[fox,front], still[*,front],',
  'hero#2, or by axes: still[view=front]; !still leaves out. What they need comes',
  'along.',
]

/** The commands around the plan. */
export const deskCommands: readonly Usage[] = [
  {
    name: 'plan',
    args: '<manifest> [jobs...]',
    says: 'what a run would buy, why, and at what cost',
    examples: [
      ['genrun plan campaign.yaml', 'as a table; nothing is sent'],
      ['genrun plan campaign.yaml --prices p.yaml', 'with its cost'],
      ['genrun plan campaign.yaml --summary', 'for a pull request'],
      ['genrun plan campaign.yaml -o saved.plan', 'to carry out exactly that'],
      ['genrun plan campaign.yaml --max-paid 0', 'exit 6 if it would buy'],
    ],
    options: [
      { flags: '-o, --output <file>', says: 'save the plan, for `genrun apply`' },
      { flags: '--output-folder <folder>', says: 'the folder for the files' },
      { flags: '--summary', says: 'Markdown for a pull request', not: 'json' },
      local,
      failed,
      rebuy,
      ...selectOptions,
      profileOption,
      ...moneyOptions,
      ...cacheOptions,
      json('the plan as JSON on stdout'),
      plain,
    ],
    notes: selectNotes,
  },
  {
    name: 'apply',
    args: '<plan>',
    says: 'carry out a saved plan, if nothing changed since',
    examples: [['genrun apply saved.plan', 'exactly what was planned, or nothing']],
    options: [
      output,
      { flags: '--local', says: 'rehearse, whatever service is configured' },
      profileOption,
      caOption,
      verifyOption,
      { flags: '--prices <file>', says: 'what the models cost, as YAML' },
      ...cacheOptions,
      ...reportOptions,
      json('the final report as JSON on stdout'),
      { flags: '-q, --quiet', says: 'say only what went wrong', not: 'verbose' },
      { flags: '-v, --verbose', says: 'one line for everything that happens' },
      plain,
    ],
  },
  {
    name: 'why',
    args: '<manifest> <address>',
    says: 'one job: what is done, why, and its recipe',
    examples: [
      ['genrun why campaign.yaml hero', 'every value, and its origin'],
      ['genrun why campaign.yaml still[fox,front]', 'one cell'],
    ],
    options: [local, output, ...moneyOptions.slice(0, 1), json('the record as JSON on stdout'), plain],
  },
  {
    name: 'graph',
    args: '<manifest> [jobs...]',
    says: 'jobs and what flows between them',
    examples: [
      ['genrun graph campaign.yaml', 'Mermaid, for a page'],
      ['genrun graph campaign.yaml --form dot', 'for Graphviz'],
    ],
    options: [
      { flags: '--form <form>', says: 'mermaid (the usual one) or dot', values: ['mermaid', 'dot'] },
      local,
      ...selectOptions,
      plain,
    ],
  },
  {
    name: 'verify',
    args: '<manifest>',
    says: 'do manifest, inputs, lock and files agree?',
    examples: [
      ['genrun verify campaign.yaml', 'exit 8 if not; no key, no network'],
      ['genrun verify campaign.yaml --allow missing', 'files may be elsewhere'],
    ],
    options: [
      {
        flags: '--allow <drift>',
        says: 'stale, missing, altered or untracked is fine',
        takes: 'list',
        values: ['stale', 'missing', 'altered', 'untracked'],
      },
      local,
      output,
      json('the verdict as JSON on stdout'),
      plain,
    ],
  },
  {
    name: 'report',
    args: '<manifest>',
    says: 'a page with all results: prompts, costs, files',
    examples: [
      ['genrun report campaign.yaml', 'writes out/campaign/report.html'],
      ['genrun report campaign.yaml --local', 'of the rehearsal'],
      ['genrun report campaign.yaml --junit r.xml', 'and how the jobs stand'],
    ],
    options: [
      local,
      output,
      ...moneyOptions.slice(0, 1),
      ...reportOptions.slice(1),
      json('how the jobs stand as JSON on stdout'),
      plain,
    ],
    notes: ['It lies beside the files and shows them from there; no key and no network.'],
  },
  {
    name: 'accept',
    args: '<manifest> <jobs...>',
    says: 'keep files although their recipe changed',
    examples: [['genrun accept campaign.yaml hero', 'a mended typo buys nothing']],
    options: [local, output, ...selectOptions, json('what was accepted as JSON on stdout'), plain],
    notes: selectNotes,
  },
  {
    name: 'pick',
    args: '<manifest> <address>',
    says: 'choose a take: it gets the bare name',
    examples: [
      ['genrun pick campaign.yaml hero#2', 'others are made from it by now'],
      ['genrun pick campaign.yaml hero', 'back to the first'],
    ],
    options: [local, output, json('what was picked as JSON on stdout'), plain],
  },
  {
    name: 'prune',
    args: '<manifest>',
    says: 'remove what is no longer in the manifest',
    examples: [
      ['genrun prune campaign.yaml', 'only says what it would remove'],
      ['genrun prune campaign.yaml --yes', 'removes it'],
    ],
    options: [
      { flags: '--yes', says: 'do it; files of others are never touched' },
      local,
      output,
      json('what is removed as JSON on stdout'),
      plain,
    ],
  },
  {
    name: 'pricing',
    args: '<id> [flags...]',
    says: 'what one generation costs, and what decides it',
    examples: [
      ['genrun pricing famc-v3 -d 10 --speed pro', 'by what it is counted'],
      ['genrun pricing famc-v3 -d 10 --prices p.yaml', 'and the amount'],
    ],
    options: [
      { flags: '--prices <file>', says: 'what the models cost, as YAML' },
      catalogOption,
      json('the price as JSON on stdout'),
      plain,
    ],
    anyFlags: true,
    notes: ['The flags are those of the model: `genrun models info <id>` lists them.'],
  },
  {
    name: 'lock',
    says: 'tools for the lock: `genrun lock merge`',
    examples: [['genrun lock merge --install', 'git merges locks job by job']],
    options: [plain],
  },
  {
    name: 'lock merge',
    args: '[files...]',
    says: 'merge two locks job by job, for git',
    examples: [
      ['genrun lock merge --install', 'sets it up in this repository'],
      ['genrun lock merge %O %A %B', 'how git calls it'],
    ],
    options: [{ flags: '--install', says: 'tell git and .gitattributes about it' }, plain],
  },
]

/** `redo` and what `run` takes beside its own flags. */
export const wantedOptions: readonly OptionUsage[] = [
  ...selectOptions,
  profileOption,
  ...moneyOptions,
  ...cacheOptions,
]

export const runOptions: readonly OptionUsage[] = [
  ...wantedOptions,
  caOption,
  verifyOption,
  { flags: '--yes', says: 'many results may be bought anew, unasked' },
  { flags: '--frozen', says: 'verify, and make nothing' },
]

export const runNotes = selectNotes
