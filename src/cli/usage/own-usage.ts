import {
  caOption,
  continueOption,
  json,
  plain,
  pricesOption,
  profileOption,
  selectOptions,
} from './options.ts'
import type { Usage } from './usage-form.ts'

/** The commands around genrun itself: how it is set up, and how it is worked with all day. */
export const ownCommands: readonly Usage[] = [
  {
    name: 'watch',
    args: '<manifest> [jobs...]',
    says: 'plan anew on every save; nothing is bought',
    examples: [
      ['genrun watch campaign.yaml', 'what a run would buy, as you type'],
      ['genrun watch campaign.yaml --rehearse', 'and the placeholders'],
    ],
    options: [
      { flags: '--rehearse', says: 'rehearse what changed, whatever service is set' },
      ...selectOptions,
      profileOption,
      pricesOption,
      continueOption,
      plain,
    ],
    notes: ['The manifest and every file that it reads are watched. Ctrl-C ends it.'],
  },
  {
    name: 'settings',
    says: 'every setting, and where it comes from',
    examples: [
      ['genrun settings', 'as a table'],
      ['genrun settings --json', 'for a script'],
    ],
    options: [json('the settings as JSON on stdout'), plain],
    notes: [
      'Later ones win: built-in, ~/.config/genrun/config.yaml, the genrun.config.yaml',
      'of the project, the manifest, variables (GENRUN_MAX_COST), flags. Of several',
      'caps the lowest counts. The address of the service and its key never come from',
      'a project.',
    ],
  },
  {
    name: 'doctor',
    args: '[manifest]',
    says: 'is all here that a run needs? buys nothing',
    examples: [
      ['genrun doctor', 'what is well, what is not, what to do'],
      ['genrun doctor campaign.yaml', "with this manifest's folders"],
      ['genrun doctor --offline', 'without a request'],
    ],
    options: [
      { flags: '--offline', says: 'do not ask the service' },
      profileOption,
      caOption,
      json('the findings as JSON on stdout'),
      plain,
    ],
    notes: ['Exit 0 when a run can begin, 2 when something stands against it.'],
  },
  {
    name: 'completion',
    args: '<shell>',
    says: 'completion for bash, zsh or fish',
    examples: [
      ['eval "$(genrun completion bash)"', 'in ~/.bashrc'],
      ['eval "$(genrun completion zsh)"', 'in ~/.zshrc, behind compinit'],
      ['genrun completion fish | source', 'in config.fish'],
    ],
    options: [plain],
  },
]
