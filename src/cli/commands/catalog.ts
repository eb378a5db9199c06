import { resolve } from 'node:path'
import type { Code } from '../../base/codes.ts'
import { hasErrors } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { importCatalog } from '../../convert/openapi/catalog-import.ts'
import { isThere } from '../../disk/look.ts'
import { writeNewFile } from '../../disk/write.ts'
import { toJson } from '../../text/tree.ts'
import { readYaml } from '../../text/yaml.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedTexts } from '../io/texts.ts'
import { problemsText, troubleText } from '../words/problems.ts'

interface CatalogArgs extends Given<'outputFile'> {
  readonly file: string
  readonly names: readonly string[]
}

/** `genrun catalog import`: models of an OpenAPI document, as a catalog to be read and put right. */
export function catalogImport(
  { file: path, names, outputFile }: CatalogArgs,
  around: Surroundings,
  out: Out,
): number {
  const texts = namedTexts(around, longest)
  const file = path === '-' ? texts.stdin() : texts.read(path)
  const refuse = (code: Code, message: string, hint: string) => {
    out.talk(troubleText({ code, message, hint }, out.paint))
    return exit.refused
  }
  if ('problem' in file)
    return refuse('unreadable-file', file.problem, 'give the path of a file, or `-` for what is piped in')
  const { value, problems } = readYaml(file)
  if (!value || hasErrors(problems)) {
    out.talk(problemsText(problems, out.paint))
    return exit.refused
  }
  const imported = importCatalog(toJson(value), names)
  if (imported.got === 'nothing') return refuse('no-jobs', imported.message, imported.hint)
  const { text, models, lost } = imported
  const told = `${counted(models, 'model')}${lost > 0 ? `; ${counted(lost, 'parameter')} could not be read, each named in a comment` : ''}`
  if (outputFile === undefined) out.result(text.trimEnd())
  else {
    const full = resolve(around.cwd, outputFile)
    if (isThere(full)) return refuse('file-in-the-way', `${outputFile} is there already`, 'give another name')
    writeNewFile(full, text)
  }
  out.talk(outputFile === undefined ? told : `${outputFile}: ${told}`)
  return exit.ok
}

/** Descriptions of whole services are long. */
const longest = 16 * 1024 * 1024
