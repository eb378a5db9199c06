import type { Checked } from '../base/diagnostic.ts'
import { hasErrors } from '../base/diagnostic.ts'
import type { JsonObject } from '../base/names.ts'
import type { ModelSet } from '../catalog/model-set.ts'
import { askOfFlags, type FlagLine, type Texts } from '../run/one-shot/ask-flags.ts'
import { judgeAsk } from '../run/one-shot/single-job.ts'
import { statedParams } from './convert-to.ts'

/** The parameters that a line of flags gives, as `generate` reads them; what is required may be missing. */
export function readPriceFlags(
  line: FlagLine,
  { texts, modelSet, cwd }: { readonly texts: Texts; readonly modelSet: ModelSet; readonly cwd: string },
): Checked<JsonObject> {
  const { ask, problems } = askOfFlags(line, texts, modelSet)
  if (!ask) return { value: undefined, problems }
  const judged = judgeAsk(ask, 'job', { cwd, modelSet, files: 'unread', isPartial: true })
  const found = [...problems, ...judged.problems].filter(each => each.severity === 'error')
  const value = judged.value && !hasErrors(found) ? statedParams(judged.value) : undefined
  return { value, problems: found }
}
