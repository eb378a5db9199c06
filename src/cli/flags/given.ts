import type { options } from './options.ts'

type Options = typeof options

/** What an option is called in the code. */
export type OptionName = keyof Options

/** Options that the settings have a say in. */
export type SettingOption = {
  [Name in OptionName]: Options[Name] extends { readonly setting: string } ? Name : never
}[OptionName]

/** Options that stand on command lines. */
export type FlagOption = {
  [Name in OptionName]: Options[Name] extends { readonly flag: string } ? Name : never
}[OptionName]

/** As `genrun settings` and the files have it: `limits.maxCost`. */
export type SettingName = Options[SettingOption]['setting']

/** What came of the options that a command has: a list or a switch is always there, all else where it was given. */
export type Given<Name extends OptionName> = { readonly [Each in Name]: ValueOf<Options[Each]> }

type ValueOf<Each> = Each extends { readonly form: infer Its }
  ? ValueIn<Its>
  : Each extends { readonly flag: `${string}<${string}` }
    ? string | undefined
    : boolean

type ValueIn<Its> = Its extends { readonly is: 'switch' }
  ? boolean
  : Its extends { readonly is: 'texts' | 'paths' | 'words' | 'variables' }
    ? readonly string[]
    : Its extends { readonly is: 'count' | 'amount' | 'size' | 'date' }
      ? number | undefined
      : Its extends { readonly is: 'choice'; readonly values: infer Values extends readonly string[] }
        ? Values[number] | undefined
        : string | undefined
