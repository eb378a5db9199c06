import { command } from '../flags/command.ts'

/** To begin with: what there is, and whether a manifest is right. */
export const beginCommands = [
  command({
    name: 'init',
    arguments: '[name]',
    says: 'write a small manifest to begin with',
    examples: [
      ['genrun init', 'asks two questions, on a terminal only'],
      ['genrun init teapots --make video', 'writes teapots.yaml'],
    ],
    flags: ['make', 'yes'],
    saying: { yes: 'ask nothing' },
    notes: ['Nothing is overwritten.'],
    ignoresSettings: true,
    run: async (args, around, out) => (await import('../commands/init.ts')).init(args, around, out),
  }),
  command({
    name: 'validate',
    arguments: '<manifests...>',
    says: 'check manifests; needs no key and no network',
    examples: [
      ['genrun validate campaign.yaml', 'every problem with its line'],
      ['genrun validate campaign.yaml --strict', 'warnings count as errors'],
      ['genrun validate campaign.yaml --json', 'for an editor or a script'],
      ['genrun validate "jobs/*.yaml" --sarif s.sarif', 'several, for a code scanner'],
      ['genrun validate - < campaign.yaml', 'what is piped in'],
    ],
    flags: ['json', 'sarifFile', 'strict', 'vars', 'catalog', 'quiet'],
    saying: {
      quiet: 'say nothing of manifests that are valid',
      sarifFile: 'the problems as a SARIF 2.1.0 log; `-` is stdout',
    },
    run: async (args, around, out) => (await import('../commands/validate.ts')).validate(args, around, out),
  }),
  command({
    name: 'models',
    arguments: '[words...]',
    says: 'the models, or those that match all words',
    examples: [
      ['genrun models', 'all models'],
      ['genrun models famc i2v', 'one family, models that take an image'],
      ['genrun models speech', 'by what is made: image, video, audio, speech'],
      ['genrun models --mode tts', 'by the code of the mode'],
      ['genrun models info famc-v3', 'what one model takes'],
    ],
    flags: ['family', 'inputType', 'catalog', 'json'],
    notes: ['Where one model is left, its card is shown.'],
    run: async (args, around, out) => (await import('../commands/models.ts')).showModels(args, around, out),
  }),
  command({
    name: 'models info',
    arguments: '<id>',
    says: 'show a model with all its parameters',
    examples: [
      ['genrun models info fama-imagine-image', 'as a table'],
      ['genrun models info famc-v3 --json', 'for a script'],
    ],
    flags: ['catalog', 'json'],
    run: async (args, around, out) => (await import('../commands/models.ts')).showModel(args, around, out),
  }),
  command({
    name: 'pricing',
    arguments: '<id> [flags...]',
    says: 'what one generation costs, and why',
    examples: [
      ['genrun pricing famc-v3 -d 10 --speed pro', 'by what it is counted'],
      ['genrun pricing famc-v3 -d 10 --prices p.yaml', 'and the amount'],
    ],
    flags: ['prices', 'catalog', 'json'],
    anyFlags: true,
    notes: ['The flags are those of the model: `genrun models info <id>` lists them.'],
    run: async (args, around, out) => (await import('../commands/pricing.ts')).pricing(args, around, out),
  }),
  command({
    name: 'schema',
    arguments: '[model]',
    says: 'the JSON Schema of manifests, or of a model',
    examples: [
      ['genrun schema > genrun.schema.json', 'for an editor'],
      ['genrun schema famc-v3', 'the parameters of one model'],
    ],
    flags: ['catalog'],
    notes: [
      'The first line of a manifest names the schema to an editor:',
      '# yaml-language-server: $schema=./genrun.schema.json',
    ],
    run: async (args, around, out) => (await import('../commands/schema.ts')).showSchema(args, around, out),
  }),
  command({
    name: 'explain',
    arguments: '[code]',
    says: 'say what the code behind a message means',
    examples: [
      ['genrun explain idle-axis', 'what it is, with an example'],
      ['genrun explain', 'all codes'],
    ],
    flags: ['json'],
    ignoresSettings: true,
    run: async (args, _, out) => (await import('../commands/explain.ts')).explainCode(args, out),
  }),
  command({
    name: 'learn',
    says: 'a guide for agents, of exactly this version',
    examples: [['genrun learn > AGENTS.md', 'as Markdown']],
    flags: [],
    ignoresSettings: true,
    run: async (_, __, out, commands) => (await import('../commands/learn.ts')).learn(out, commands),
  }),
]
