import { inputTypes, models } from '../../catalog/index.ts'
import { faceCommands } from './face-usage.ts'
import {
  caOption,
  catalogOption,
  continueOption,
  json,
  limitOption,
  output,
  plain,
  rehearse,
  runOptions,
  selectionFlags,
  selectNotes,
  strictOption,
  talkOptions,
  trustOptions,
  varOption,
  verifyOption,
  yesOption,
} from './options.ts'
import { ownCommands } from './own-usage.ts'
import { recoveryCommands } from './recovery-usage.ts'
import { reportOptions } from './report-args.ts'
import { serveUsage } from './serve-usage.ts'
import { startCommands } from './start-usage.ts'
import type { Usage } from './usage-form.ts'
import { deskCommands } from './verb-usage.ts'

export type { OptionUsage, Usage } from './usage-form.ts'

const families = [...new Set<string>(Object.values(models).map(({ family }) => family))]

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
    ['genrun init', 'write a manifest to begin with'],
    ['genrun campaign.yaml --local', 'rehearse it: nothing is paid'],
    ['genrun plan campaign.yaml', 'what would be bought, why, and at what cost'],
    ['genrun campaign.yaml', 'make it; the files go to out/campaign'],
    ['genrun report campaign.yaml', 'a page with all results'],
  ],
  options: [{ flags: '-V, --version', says: 'the version of genrun' }],
  notes: [
    ...serviceNotes,
    '',
    'Exit codes: 0 all well, 1 a job failed, 2 the manifest or the settings are',
    'against it, 3 a paid request is in doubt, 4 not finished: run again, 5 another',
    'genrun is at work here, 6 the budget is spent, or the service failed too often,',
    '7 the disk or the state is damaged, 8 `verify` found a difference, 130 and 143',
    'stopped, 70 a bug in genrun.',
  ],
}

export const commands: readonly Usage[] = [
  {
    name: 'run',
    args: '<manifest> [jobs...]',
    says: 'make what is not made yet; `run` may be left out',
    examples: [
      ['genrun campaign.yaml', 'make it; the files go to out/campaign'],
      ['genrun campaign.yaml --local', 'rehearse: nothing is paid'],
      ['genrun campaign.yaml --output media', 'other folder for the files'],
      ['genrun campaign.yaml --failed', 'order again what failed'],
      ['genrun campaign.yaml --json > tea.json', 'a report for a script'],
    ],
    options: [
      output,
      rehearse,
      { flags: '--failed', says: 'order again what failed (it may cost again)' },
      { flags: '--rebuy', says: 'buy again what is gone and cannot be fetched' },
      { flags: '--execute <count>', says: 'at most so many requests in flight', takes: 'count' },
      { flags: '--submit <count>', says: 'at most so many runs alive at the service', takes: 'count' },
      limitOption,
      ...runOptions,
      { flags: '--take-claim', says: 'go on where a genrun that is gone was at work' },
      ...reportOptions,
      json('the final report as JSON on stdout'),
      ...talkOptions,
      plain,
    ],
    notes: [...selectNotes, '', ...serviceNotes],
  },
  ...deskCommands.slice(0, 2),
  {
    name: 'redo',
    args: '<manifest> <jobs...>',
    says: 'order another take of jobs, and pick it',
    examples: [
      ['genrun redo campaign.yaml hero', 'hero#2 is the result by then'],
      ['genrun pick campaign.yaml hero', 'back to the first, which stays'],
    ],
    options: [
      output,
      rehearse,
      ...selectionFlags,
      ...trustOptions,
      caOption,
      verifyOption,
      continueOption,
      yesOption,
      ...reportOptions,
      json('the final report as JSON on stdout'),
      ...talkOptions,
      plain,
    ],
    notes: [...selectNotes, '', 'What failed, or is gone for good, is ordered again as it is.'],
  },
  ...deskCommands.slice(2),
  ...recoveryCommands,
  {
    name: 'validate',
    args: '<manifests...>',
    says: 'check manifests; needs no key and no network',
    examples: [
      ['genrun validate campaign.yaml', 'every problem with its line'],
      ['genrun validate campaign.yaml --strict', 'warnings count as errors'],
      ['genrun validate campaign.yaml --json', 'for an editor or a script'],
      ['genrun validate "jobs/*.yaml" --sarif', 'several, for a code scanner'],
      ['genrun validate - < campaign.yaml', 'what is piped in'],
    ],
    options: [
      json('the verdict as JSON on stdout'),
      { flags: '--sarif', says: 'the problems as a SARIF 2.1.0 log', not: 'json' },
      strictOption,
      varOption,
      catalogOption,
      { flags: '-q, --quiet', says: 'say nothing of manifests that are valid' },
      plain,
    ],
  },
  {
    name: 'explain',
    args: '[code]',
    says: 'say what the code behind a message means',
    examples: [
      ['genrun explain idle-axis', 'what it is, with an example'],
      ['genrun explain', 'all codes'],
    ],
    options: [json('as JSON on stdout'), plain],
  },
  {
    name: 'models',
    args: '[words...]',
    says: 'the models, or those that match all words',
    examples: [
      ['genrun models', 'all models'],
      ['genrun models famc i2v', 'one family, models that take an image'],
      ['genrun models speech', 'by what is made: image, video, audio, speech'],
      ['genrun models --mode tts', 'by the code of the mode'],
      ['genrun models info famc-v3', 'what one model takes'],
    ],
    options: [
      { flags: '--family <name>', says: 'only this family', values: families },
      { flags: '--mode <code>', says: `only what serves it: ${inputTypes.join(' ')}`, values: inputTypes },
      catalogOption,
      json('the models as JSON on stdout'),
      plain,
    ],
    notes: ['Where one model is left, its card is shown.'],
  },
  {
    name: 'models info',
    args: '<id>',
    says: 'show a model with all its parameters',
    examples: [
      ['genrun models info fama-imagine-image', 'as a table'],
      ['genrun models info famc-v3 --json', 'for a script'],
    ],
    options: [catalogOption, json('the model as JSON on stdout'), plain],
  },
  ...faceCommands,
  serveUsage,
  ...startCommands,
  ...ownCommands,
]
