import { type Checked, type Diagnostic, hasErrors } from '../../base/diagnostic.ts'
import type { SourceFile } from '../../base/source.ts'
import type { Model } from '../../catalog/index.ts'
import { modelsIn } from '../../manifest/read/declared.ts'

/** The models that a catalog file declares, checked as those of a manifest's `catalog:`. */
export function readCatalog(file: SourceFile): Checked<readonly Model[]> {
  const problems: Diagnostic[] = []
  const models = modelsIn(file, problem => problems.push(problem)).map(({ model }) => model)
  return { value: hasErrors(problems) ? undefined : models, problems }
}
