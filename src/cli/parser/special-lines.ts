import { commands } from '../declared/commands.ts'
import type { AnyArgs, Command, ReadLine } from '../flags/command.ts'
import { readClientGenerate } from '../flags/generate-line.ts'
import { type AskedLine, blanks } from './asked.ts'
import { helpText } from './help.ts'

/** Another command line that means the same. */
interface Again {
  readonly again: readonly string[]
}

/**
 * Commands whose words are not for the usual parser, because each model has flags of its own, and lines of the service's
 * client. Undefined for all others.
 */
export function specialLine(argv: readonly string[]): AskedLine | Again | undefined {
  const [first, second, ...others] = argv
  const own = commands.find(({ name, read }) => name === first && read)
  if (own?.read) return asked(own, own.read(`genrun ${own.name}`, argv.slice(1)))
  if (first !== 'gen-ai') return undefined
  switch (second) {
    case 'generate':
      return asked(named('generate'), readClientGenerate('gen-ai generate', others))
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
      return { do: 'help', text: helpText(named('gen-ai')) }
    default:
      return {
        do: 'misused',
        message: `gen-ai has no command ${second}`,
        hint: 'there are generate, models, models info and pricing',
      }
  }
}

function asked(command: Command, read: ReadLine<AnyArgs>): AskedLine | Again {
  switch (read.is) {
    case 'args':
      return { do: 'command', command, args: { ...blanks, ...read.args } }
    case 'misused':
      return { do: 'misused', ...read.misused }
    case 'help':
      // With a model, its own flags are what is asked for.
      return read.model === undefined
        ? { do: 'help', text: helpText(command) }
        : { again: ['models', 'info', read.model] }
  }
}

function named(name: string): Command {
  const found = commands.find(each => each.name === name)
  if (!found) throw new Error(`there is no command ${name}`)
  return found
}
