import {
  type Checked,
  type Diagnostic,
  error,
  hasErrors,
  sortProblems,
  upToMostErrors,
} from '../../base/diagnostic.ts'
import type { JsonObject } from '../../base/names.ts'
import { headOf, type SourceFile } from '../../base/source.ts'
import type { Model } from '../../catalog/index.ts'
import { builtIn, modelSetOf } from '../../catalog/model-set.ts'
import { readYaml } from '../../text/yaml.ts'
import { type ProfileReport, readFields, recordSchema } from './form.ts'
import { gwV2 } from './gw-v2.ts'
import type { Profile } from './profile.ts'
import { profileFields } from './profile-fields.ts'
import { mergeProfile } from './profile-merge.ts'

/**
 * Reads a profile. What it leaves out is as in the built-in one; there is no value where there is an error. `own` are
 * models that the user declares: a profile may speak of them and of their parameters.
 */
export function readProfile(file: SourceFile, own: readonly Model[] = []): Checked<Profile> {
  const { value: tree, problems: found } = readYaml(file)
  if (!tree) return { value: undefined, problems: found }
  const problems: Diagnostic[] = [...found]
  const modelSet = own.length > 0 ? modelSetOf(own) : builtIn
  const value = upToMostErrors(problems, told => {
    const report: ProfileReport = Object.assign((problem: Diagnostic) => told(problem), { modelSet })
    if (tree.kind !== 'map') report(error('bad-profile', tree, 'a profile is a mapping'))
    const read = readFields(profileFields, tree.kind === 'map' ? tree.entries : [], 'a profile', report)
    return mergeProfile(read, gwV2, message => report(error('bad-profile', headOf(file), message)))
  })
  const sorted = sortProblems(problems)
  const whole = value && own.length > 0 ? { ...value, own } : value
  return { value: hasErrors(sorted) ? undefined : whole, problems: sorted }
}

/** A schema for editors. */
export function profileSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'genrun profile',
    description:
      'What the specification leaves open about a service. What is left out is as in the profile gw-v2.',
    ...recordSchema(profileFields),
  }
}
