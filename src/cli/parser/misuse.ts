import { listed, nearest } from '../../base/nearest.ts'
import { wordTable } from '../../base/word-table.ts'
import { commands } from '../declared/commands.ts'
import type { Command, Misused } from '../flags/command.ts'
import { formsOf } from '../flags/option.ts'
import { options } from '../flags/options.ts'

/** `genrun valdate x.yaml`: a word that is no path was meant as a command. */
export function unknownCommand(
  word: string | undefined,
  exists: (path: string) => boolean,
): Misused | undefined {
  if (!word || word.startsWith('-') || names.includes(word)) return undefined
  if (/[./\\]/.test(word) || exists(word)) return undefined
  return { message: `there is no command ${word}`, hint: meant(word, exists) }
}

function meant(word: string, exists: (path: string) => boolean): string {
  const file = ['yaml', 'yml', 'json'].map(extension => `${word}.${extension}`).find(exists)
  if (file) return `did you mean the manifest ${file}?`
  const asked = ofOthers[word]
  if (asked) return asked
  const known = nearest(word, [...names, 'help'])
  if (known) return `did you mean \`genrun ${known}\`?`
  return 'a manifest is given by its path, for instance campaign.yaml; `genrun --help` lists the commands'
}

const names = commands.map(usage => usage.name).filter(name => !name.includes(' '))

/** What many will try and what has an answer of its own. */
export function commonMisuse(argv: readonly string[]): Misused | undefined {
  if (argv.length === 0) {
    return {
      message: 'no manifest is given',
      hint: '`genrun init` writes one to begin with; `genrun --help` shows what else there is',
    }
  }
  if (argv.some(word => /^--(api-)?key(=|$)/.test(word))) {
    return {
      message: 'the key is not taken from the command line, where other users of the machine can read it',
      hint: 'set GENRUN_API_KEY, or GENRUN_API_KEY_FILE to a file that only you can read',
    }
  }
  return undefined
}

/** The code of a trouble whose message is the flag, as in `--output a --output b`, with the name of a variable behind it. */
export const duplicateFlag = 'genrun.duplicateFlag'

/** What the parser found wrong, in the house's form: no "error:", no quotes, its suggestion as a hint. */
export function parserMisuse(
  { code, message }: { code: string; message: string },
  argv: readonly string[],
): Misused {
  return wording(code, message, argv)
}

function wording(code: string, message: string, argv: readonly string[]): Misused {
  const [head = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const hint = suggestion?.replace(/^\(Did you mean (.*?)\?\)$/, 'did you mean $1?')
  const bare = head.replaceAll(/(^| )'([^']*)'/g, '$1$2').replace(/\.$/, '')
  switch (code) {
    case duplicateFlag: {
      const flag = message.trim()
      return {
        code: 'duplicate-flag',
        message: `${flag} is given twice`,
        hint: flag.includes(' ') ? 'a variable has one value' : `${flag} takes one value`,
      }
    }
    case 'commander.missingArgument': {
      const argument = /argument (\w+)/.exec(bare)?.[1] ?? ''
      const list = argument === 'takes' ? '; `genrun audit campaign.yaml` lists what there is' : ''
      return { message: missing[argument] ?? bare, hint: `${exampleOf(argv)}${list}` }
    }
    case 'commander.excessArguments':
      return {
        message: bare.replace(
          /^too many.* for (.*)\. Expected (\d).* got (\d+)$/,
          'too many words: $1 takes $2, $3 are given',
        ),
        hint: seeHelp,
      }
    case 'commander.optionMissingArgument':
      return {
        message: bare.replace(/^option (.*) argument missing$/, '$1 is given without its value'),
        hint: seeHelp,
      }
    case 'commander.invalidArgument':
      return {
        message: bare.replace(
          /^option (.*?) argument (.*) is invalid\. it/,
          (_, option: string, value: string) =>
            `${value.trim() || 'an empty text'} is no value for ${option}: it`,
        ),
      }
    default:
      return {
        message: bare,
        hint: foreignHint(bare) ?? otherCommandsHint(bare) ?? hint ?? talkHint(bare) ?? seeHelp,
      }
  }
}

/** By the names of the arguments in the usage. */
const missing: { readonly [argument: string]: string } = wordTable({
  manifest: 'no manifest is given',
  manifests: 'no manifest is given',
  jobs: 'no job is named',
  address: 'no job is named',
  takes: 'no take is named',
  id: 'no model is named',
  run: 'no id of a run is given',
  plan: 'no saved plan is given',
  file: 'no file is given',
  shell: 'no shell is named',
})

/** A line that would have worked, by the first words of one that did not. */
function exampleOf(argv: readonly string[]): string {
  return `for instance \`${commandMeant(argv)?.examples[0]?.[0]}\``
}

/** Whether a line that cannot be read is that of a program which reads JSON, of a command that tells it. */
export function isJsonAsked(argv: readonly string[]): boolean {
  return flagsIn(argv).includes('--json') && commandMeant(argv)?.flags.includes('json') === true
}

/** The words of a line that may be flags. */
export function flagsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** The command of a line that cannot be read, by its first words; `run` may be left out. */
export function commandMeant(argv: readonly string[]): Command | undefined {
  const words = argv.filter(word => !word.startsWith('-'))
  const run = commands.find(({ name }) => name === 'run')
  return commands.findLast(({ name }) => `${words.join(' ')} `.startsWith(`${name} `)) ?? run
}

/** Words of other tools, and what does here what they are known for. */
const ofOthers: { readonly [word: string]: string } = wordTable({
  resume: '`genrun campaign.yaml` goes on where the last run stopped; what is paid for is not paid again',
  continue: '`genrun campaign.yaml` goes on where the last run stopped; what is paid for is not paid again',
  retry: '`genrun campaign.yaml --failed` orders again what failed',
  clean: '`genrun prune campaign.yaml` removes files that no job asks for any more',
  'dry-run': '`genrun plan campaign.yaml` shows what a run would do, and sends nothing',
  '--dry-run':
    '`genrun plan campaign.yaml` shows what a run would do; --local rehearses it with placeholders',
  '--concurrency': '--execute and --submit say how many at a time',
  '--parallel': '--execute and --submit say how many at a time',
  '--jobs': '--execute and --submit say how many at a time; jobs are named without an option',
  '--force':
    '--failed orders again what failed, --rebuy what is gone; `genrun redo campaign.yaml hero` makes one more take',
  '--resume': 'every run goes on where the last one stopped',
  '--continue': 'every run goes on where the last one stopped',
  '--retry': '--failed orders again what failed',
})

function foreignHint(message: string): string | undefined {
  return ofOthers[/^unknown option (--[\w-]+)/.exec(message)?.[1] ?? '']
}

/** An option that other commands have, written out. */
function otherCommandsHint(message: string): string | undefined {
  const form = /^unknown option (--[\w-]+)$/.exec(message)?.[1]
  const having = form === undefined || /^--(quiet|verbose)$/.test(form) ? [] : commandsWith(form)
  return having.length > 0 ? `${form} is for ${listed(having)}` : undefined
}

function commandsWith(form: string): string[] {
  const having = commands.filter(({ flags }) => flags.some(name => formsOf(options[name]).includes(form)))
  return having.map(({ name }) => name)
}

/** Many try these two everywhere. */
function talkHint(message: string): string | undefined {
  const form = /^unknown option (-q|--quiet|-v|--verbose)$/.exec(message)?.[1]
  if (form === undefined) return undefined
  return `this command says no more than its result; ${form} is for ${listed(commandsWith(form))}`
}

const seeHelp = 'add --help to see what there is'
