import type { SettingName, SettingOption } from '../flags/given.ts'
import { formOf, type Option, type OptionForm } from '../flags/option.ts'
import { options } from '../flags/options.ts'

/** An option that the settings have a say in: every face of a setting is a loop over the list below. */
export interface Declared extends Omit<Option, 'form' | 'setting'> {
  readonly option: SettingOption
  readonly name: SettingName
  readonly form: OptionForm
}

/** Every setting, in the order in which `genrun settings` shows them. */
export const settingsDeclared: readonly Declared[] = Object.entries<Option>(options).flatMap(
  ([option, declared]) =>
    declared.setting === undefined
      ? []
      : // Their names are those of the list that they come from.
        {
          ...declared,
          option: option as SettingOption,
          name: declared.setting as SettingName,
          form: formOf(declared),
        },
)
