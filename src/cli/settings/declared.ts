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

// What is no setting of a file, too.
const others = ['GENRUN_API_KEY', 'GENRUN_STORE', 'GENRUN_DEBUG', 'GENRUN_MCP_TOKEN', 'GENRUN_MCP_URL']

/** Of the environment, by which genrun goes. */
export const variablesDeclared: readonly string[] = [
  ...settingsDeclared.flatMap(each => each.variable ?? []),
  ...others,
]

/** Also of a manifest, and of the action. */
export function isVariable(name: string): boolean {
  return variablesDeclared.includes(name) || /^GENRUN_(VAR|ACTION)_/.test(name)
}
