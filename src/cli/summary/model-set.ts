import { hasErrors } from '../../base/diagnostic.ts'
import { builtIn, type ModelSet } from '../../catalog/model-set.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { problemsText } from '../words/problems.ts'
import { tellAgainst } from './against.ts'

/** What a command was asked for, as far as models go. */
export interface CatalogAsked {
  /** Files that declare models, of the command line and the settings. */
  readonly catalog?: readonly string[]
  readonly json?: boolean
}

/** The built-in models and those of the user; undefined when they cannot be read, which is told. */
export async function modelSetFor(
  { catalog = [], json = false }: CatalogAsked,
  { cwd }: Pick<Surroundings, 'cwd'>,
  out: Out,
): Promise<ModelSet | undefined> {
  if (catalog.length === 0) return builtIn
  const { openModelSet } = await import('../../workspace/read/model-set.ts')
  const { value, problems } = openModelSet(catalog, cwd)
  if (!value || hasErrors(problems)) {
    tellAgainst({ got: 'refused', problems }, { json }, out)
    return undefined
  }
  if (problems.length > 0) out.talk(problemsText(problems, out.paint))
  return value
}
