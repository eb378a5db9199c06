import { builtIn } from '../../src/catalog/model-set.ts'
import { formsOf, type Option } from '../../src/cli/flags/option.ts'
import { options } from '../../src/cli/flags/options.ts'
import { modelInfo } from '../../src/forms/info.ts'

/** Every flag of genrun, of its models, and of the programs that pages call beside it. */
export const knownFlags: ReadonlySet<string> = new Set([
  ...Object.values<Option>(options).flatMap(option => formsOf(option)),
  ...builtIn.models.flatMap(model =>
    modelInfo(model).params.flatMap(({ flag, longFlag }) => [flag, longFlag]),
  ),
  ...['--help', '--version', '--no-color', '--kebab-case', '--save-dev', '--ignore-scripts', '--no-verify'],
])
