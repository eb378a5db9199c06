import type { AnyArgs, Command, Misused } from '../flags/command.ts'
import { formOf, isList, type Option } from '../flags/option.ts'
import { options } from '../flags/options.ts'

/** What the user asked for, as written: nothing is looked up or decided yet. */
export type AskedLine =
  | { readonly do: 'command'; readonly command: Command; readonly args: AnyArgs }
  | { readonly do: 'help'; readonly text: string }
  | { readonly do: 'version' }
  | ({ readonly do: 'misused' } & Misused)

/** What the settings have a say in and no flag gave: they may fill it, whether the command has a flag for it or not. */
export const blanks: AnyArgs = Object.fromEntries(
  Object.entries<Option>(options).flatMap(([name, option]) => {
    if (option.setting === undefined) return []
    const form = formOf(option)
    return [[name, isList(form) ? [] : form.is === 'switch' ? false : undefined]]
  }),
)
