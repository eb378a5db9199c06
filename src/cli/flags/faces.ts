import { faceCommands } from '../usage/face-usage.ts'
import type { Args } from './arguments.ts'
import { generateArgs, splitClientLine, splitLine } from './generate-args.ts'
import { helpText } from './help.ts'

/** Another command line that means the same. */
export interface Again {
  readonly again: readonly string[]
}

/**
 * Commands whose words are not for the usual parser, because each model has flags of its own. Undefined for all
 * others.
 */
export function faceArgs(argv: readonly string[]): Args | Again | undefined {
  const [first, second, ...others] = argv
  if (first === 'generate') return generating('genrun generate', argv.slice(1), splitLine)
  if (first !== 'gen-ai') return undefined
  switch (second) {
    case 'generate':
      return generating('gen-ai generate', others, splitClientLine)
    case 'models':
    case 'pricing':
      return { again: argv.slice(1) }
    case 'batch':
      return {
        do: 'misused',
        message: 'a batch is a manifest here, which is bought once and gone on with',
        hint: `genrun import ${others.slice(1).find(word => !word.startsWith('-')) ?? 'jobs.json'} -o campaign.yaml, then genrun campaign.yaml`,
      }
    case undefined:
    case '-h':
    case '--help':
      return { do: 'help', text: helpOf('gen-ai') }
    default:
      return {
        do: 'misused',
        message: `gen-ai has no command ${second}`,
        hint: 'there are generate, models, models info and pricing',
      }
  }
}

function generating(head: string, words: readonly string[], split: typeof splitLine): Args | Again {
  const args = generateArgs(head, words, split)
  if (args.do !== 'generate-help') return args
  // With a model, its own flags are what is asked for.
  return args.model === undefined
    ? { do: 'help', text: helpOf('generate') }
    : { again: ['models', 'info', args.model] }
}

function helpOf(name: string): string {
  const usage = faceCommands.find(each => each.name === name)
  if (!usage) throw new Error(`there is no help for ${name}`)
  return helpText(usage, [])
}
