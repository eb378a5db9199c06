import { relative, resolve } from 'node:path'
import { type Checked, type Diagnostic, error, hasErrors, upToMostErrors } from '../../base/diagnostic.ts'
import { headOf, type SourceFile } from '../../base/source.ts'
import { addDeclared, type CustomModel } from '../../catalog/custom.ts'
import type { Model } from '../../catalog/index.ts'
import { builtIn, type ModelSet, modelSetOf } from '../../catalog/model-set.ts'
import { modelsIn } from '../../manifest/read/declared.ts'
import { readGuarded } from './guarded.ts'
import { longestFile } from './texts.ts'

/** The models that the files at `catalog` declare (relative to `cwd`), checked as those that a manifest names itself. */
export function ownModels(catalog: readonly string[], cwd: string): Checked<readonly Model[]> {
  const problems: Diagnostic[] = []
  const declared = new Map<string, CustomModel>()
  for (const full of new Set(catalog.map(path => resolve(cwd, path)))) {
    const file = openCatalog(full, cwd)
    if ('code' in file) {
      problems.push(file)
      continue
    }
    for (const own of upToMostErrors(problems, report => modelsIn(file, report)) ?? [])
      addDeclared(declared, own, problem => problems.push(problem))
  }
  const value = hasErrors(problems) ? undefined : [...declared.values()].map(({ model }) => model)
  return { value, problems }
}

/** The built-in models and those. */
export function openModelSet(catalog: readonly string[], cwd: string): Checked<ModelSet> {
  if (catalog.length === 0) return { value: builtIn, problems: [] }
  const { value, problems } = ownModels(catalog, cwd)
  return { value: value && modelSetOf(value), problems }
}

function openCatalog(full: string, cwd: string): SourceFile | Diagnostic {
  const name = relative(cwd, full) || full
  const refuse = (why: string): Diagnostic => {
    const hint = 'give the path of a YAML file with `models:`'
    return error('unreadable-catalog', headOf({ name, text: '' }), `the catalog cannot be read: ${why}`, hint)
  }
  const read = readGuarded(full, cwd, longestFile)
  return 'problem' in read ? refuse(read.problem) : { name, text: read.text }
}
