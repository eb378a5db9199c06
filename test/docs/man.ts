import { exit } from '../../src/base/exit.ts'
import { commands, genrun } from '../../src/cli/declared/commands.ts'
import type { Usage } from '../../src/cli/flags/command.ts'
import type { FlagOption } from '../../src/cli/flags/given.ts'
import { options } from '../../src/cli/flags/options.ts'
import { settingsDeclared } from '../../src/cli/settings/declared.ts'
import { exits } from '../../src/wording/outcomes.ts'
import { otherVariables } from './reference.ts'

/** The man page, in the macros of man(7), from what declares the commands themselves. */
export function manPage(): string {
  const listed = commands.filter(({ isLeading }) => !isLeading)
  return `${[
    '.\\" Made from the declarations by UPDATE=1 npx vitest run test/pages.test.ts',
    '.TH GENRUN 1 "" genrun "User Commands"',
    '.SH NAME',
    `genrun \\- ${plain(genrun.says)}`,
    '.SH SYNOPSIS',
    '.B genrun',
    `\\fI${plain(genrun.arguments ?? '')}\\fR [options]`,
    '.br',
    '.B genrun',
    '\\fI<command>\\fR [options]',
    '.SH EXAMPLES',
    ...genrun.examples.flatMap(([line, does]) => term(line, does)),
    '.SH COMMANDS',
    ...listed.flatMap(commandLines),
    '.SH ENVIRONMENT',
    ...settingsDeclared.flatMap(({ variable, says }) => (variable ? term(variable, says) : [])),
    ...otherVariables.flatMap(([names, says]) => term(names, says)),
    '.SH EXIT STATUS',
    ...Object.entries(exits).flatMap(
      ([name, [about]]) => term(String(exit[name as keyof typeof exit]), about), // the keys of that very record
    ),
  ].join('\n')}\n`
}

function commandLines(usage: Usage): string[] {
  const { name, arguments: words = '', says, flags, saying, notes = [] } = usage
  const rows = flags.flatMap((flag: FlagOption) =>
    term(options[flag].flag, saying?.[flag] ?? options[flag].says),
  )
  return [
    `.SS "genrun ${plain([name, words].filter(Boolean).join(' '))}"`,
    plain(says),
    ...rows,
    ...(notes.length > 0 ? ['.PP', plain(notes.join(' '))] : []),
  ]
}

function term(what: string, says: string): string[] {
  return ['.TP', `\\fB${plain(what)}\\fR`, plain(says)]
}

/** A line that begins with a dot or a quote would be a command; a minus is one that can be copied. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('…', '...')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
}
