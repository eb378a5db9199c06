import { command } from '../flags/command.ts'

/** How genrun itself is set up. */
export const setUpCommands = [
  command({
    name: 'settings',
    says: 'every setting, and where it comes from',
    examples: [
      ['genrun settings', 'as a table'],
      ['genrun settings --json', 'for a script'],
    ],
    flags: ['json'],
    notes: [
      'Later ones win: built-in, ~/.config/genrun/config.yaml, the genrun.config.yaml',
      'of the project, the manifest, variables (GENRUN_MAX_COST), flags. Of several',
      'caps the lowest counts. The address of the service and its key never come from',
      'a project.',
    ],
    ignoresSettings: true,
    run: async (args, around, out) =>
      (await import('../commands/settings.ts')).showSettings(args, around, out),
  }),
  command({
    name: 'doctor',
    arguments: '[manifest]',
    says: 'is all here that a run needs? buys nothing',
    examples: [
      ['genrun doctor', 'what is well, what is not, what to do'],
      ['genrun doctor campaign.yaml', "with this manifest's folders"],
      ['genrun doctor --offline', 'without a request'],
    ],
    flags: ['offline', 'profile', 'ca', 'debug', 'json'],
    saying: { debug: 'each request and its answer, on stderr' },
    notes: ['Exit 0 when a run can begin, 2 when something forbids it.'],
    ignoresSettings: true,
    run: async (args, around, out) => (await import('../commands/doctor.ts')).doctor(args, around, out),
  }),
  command({
    name: 'completion',
    arguments: '<shell>',
    says: 'completion for bash, zsh or fish',
    examples: [
      ['eval "$(genrun completion bash)"', 'in ~/.bashrc'],
      ['eval "$(genrun completion zsh)"', 'in ~/.zshrc, behind compinit'],
      ['genrun completion fish | source', 'in config.fish'],
    ],
    flags: [],
    ignoresSettings: true,
    run: async (args, _, out) => (await import('../commands/completion.ts')).showCompletion(args, out),
  }),
]

/** What a shell asks at each Tab: what may stand at the end of a line. It may be anything, and is read by nobody else. */
export const completeCommand = command({
  name: '__complete',
  arguments: '[words...]',
  says: 'what may stand at the end of a line',
  examples: [],
  flags: [],
  run: async (args, around, out, commands) =>
    (await import('../commands/completion.ts')).complete({ ...args, commands }, around, out),
})
