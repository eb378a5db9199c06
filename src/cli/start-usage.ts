import { catalogOption } from './desk-usage.ts'
import type { Usage } from './usage-form.ts'

const plain = { flags: '--no-color', says: 'no colours; NO_COLOR and FORCE_COLOR work too' }

/** What one begins with: a manifest to change, and an editor that knows the words. */
export const startCommands: readonly Usage[] = [
  {
    name: 'init',
    args: '[name]',
    says: 'write a small manifest to begin with; nothing is overwritten',
    examples: [
      ['genrun init', 'writes campaign.yaml'],
      ['genrun init teapots', 'writes teapots.yaml'],
    ],
    options: [plain],
  },
  {
    name: 'schema',
    args: '[model]',
    says: 'print the JSON Schema of manifests, or of one model',
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
