import { posix } from 'node:path'
import { error } from '../../base/diagnostic.ts'
import type { SourceFile } from '../../base/source.ts'
import { addDeclared, type CustomModel, readCustomModels } from '../../catalog/custom.ts'
import type { Model } from '../../catalog/index.ts'
import { builtIn, type ModelSet, modelSetOf } from '../../catalog/model-set.ts'
import { entryOf } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import { readSource, type Sources } from '../fill/sources.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import type { Layer } from './include.ts'
import { ownKeys } from './shape.ts'
import { readTexts, type Word } from './values.ts'

/** Models, and the files that declare those which neither genrun nor the command line knows. */
interface Declared {
  readonly modelSet: ModelSet
  readonly catalogs: readonly SourceFile[]
}

/** The built-in models, those declared elsewhere, and those of the files that `catalog:` names, which win over them. */
export function readModelSet(
  layers: readonly Layer[],
  sources: Sources,
  elsewhere: readonly Model[],
  report: ReportProblem,
): Declared {
  const paths = new Map<string, Word>()
  for (const { tree, path } of layers) {
    const entry = entryOf(tree, 'catalog')
    for (const word of entry ? readTexts(entry, report) : [])
      for (const each of pathsOf(word, path, sources, report)) paths.set(each, paths.get(each) ?? word)
  }
  const declared = new Map<string, CustomModel>()
  const catalogs = [...paths].flatMap(([path, word]) => readCatalog(path, word, sources, report) ?? [])
  for (const file of catalogs) {
    for (const custom of modelsIn(file, report)) addDeclared(declared, custom, report)
  }
  if (declared.size === 0 && elsewhere.length === 0) return { modelSet: builtIn, catalogs }
  const own = [...declared.values()].map(custom => custom.model)
  const ids = new Set(own.map(model => model.id))
  const modelSet = modelSetOf([...elsewhere.filter(model => !ids.has(model.id)), ...own])
  return { modelSet, catalogs }
}

function pathsOf(word: Word, from: string, sources: Sources, report: ReportProblem): readonly string[] {
  const path = posix.join(posix.dirname(from), word.text)
  if (!/[*?[{]/.test(path)) return [path]
  const paths = sources.project.glob(path)
  if (paths.length === 0)
    report(error('no-files', word.at, `no file fits ${word.text}`, 'a path counts from this file on'))
  return paths
}

function readCatalog(
  path: string,
  word: Word,
  sources: Sources,
  report: ReportProblem,
): SourceFile | undefined {
  const file = readSource(sources, path, word.at)
  if (!('code' in file)) return file
  report(file)
  return undefined
}

/** The models that a catalog file declares. */
export function modelsIn(file: SourceFile, report: ReportProblem): CustomModel[] {
  const { value, problems } = readYaml(file)
  problems.forEach(report)
  return value ? readCustomModels(value, reservedNames, report) : []
}

/** Names that no parameter may have: they are keys of a job. */
export const reservedNames: ReadonlySet<string> = new Set([...Object.keys(ownKeys), 'id', 'models', 'match'])
