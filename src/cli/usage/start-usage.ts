import { starters } from '../words/starter.ts'
import { catalogOption, plain } from './options.ts'
import type { Usage } from './usage-form.ts'

/** What one begins with: a manifest to change, and an editor that knows the words. */
export const startCommands: readonly Usage[] = [
  {
    name: 'init',
    args: '[name]',
    says: 'write a small manifest to begin with',
    examples: [
      ['genrun init', 'asks two questions, on a terminal only'],
      ['genrun init teapots --make video', 'writes teapots.yaml'],
    ],
    options: [
      { flags: '--make <what>', says: 'campaign, image, video, speech or sound', values: starters },
      { flags: '--yes', says: 'ask nothing' },
      plain,
    ],
    notes: ['Nothing is overwritten.'],
  },
  {
    name: 'schema',
    args: '[model]',
    says: 'the JSON Schema of manifests, or of a model',
    examples: [
      ['genrun schema > genrun.schema.json', 'for an editor'],
      ['genrun schema famc-v3', 'the parameters of one model'],
    ],
    options: [catalogOption, plain],
    notes: [
      'The first line of a manifest names the schema to an editor:',
      '# yaml-language-server: $schema=./genrun.schema.json',
    ],
  },
  {
    name: 'learn',
    says: 'a guide for agents, of exactly this version',
    examples: [['genrun learn > AGENTS.md', 'as Markdown']],
    options: [plain],
  },
]
