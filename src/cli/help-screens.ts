import { commands, genrun } from './declared/commands.ts'
import { completeCommand } from './declared/set-up.ts'
import { helpText } from './parser/help.ts'

// What a shell has typed so far is no question for help.
const asked = [genrun, ...commands].filter(({ name }) => name !== completeCommand.name)

/** Every help screen by the words of its command. The build puts the texts themselves here, which are asked for often. */
export const helpScreens: { readonly [words: string]: string } = Object.fromEntries(
  asked.map(usage => [usage.name, helpText(usage)]),
)
