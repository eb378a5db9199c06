import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { hasErrors } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { offered } from '../../base/nearest.ts'
import { importFormat, importJobs, imports } from '../../convert/import.ts'
import { isThere } from '../../disk/look.ts'
import { writeNewFile } from '../../disk/write.ts'
import { splitClientLine } from '../flags/generate-line.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedTexts, projectTexts } from '../io/texts.ts'
import { modelSetFor } from '../summary/model-set.ts'
import { problemsText, refuseFor } from '../words/problems.ts'

interface ImportArgs extends Given<'from' | 'outputFile' | 'catalog'> {
  readonly file: string
}

/** `genrun import`: jobs of other tools as a manifest, on stdout or in a file that is not there yet. */
export async function importFile(args: ImportArgs, around: Surroundings, out: Out): Promise<number> {
  const texts = namedTexts(around)
  const file = args.file === '-' ? texts.stdin() : texts.read(args.file)
  if ('problem' in file)
    return refuseFor({ code: 'unreadable-file', message: file.problem, hint: unreadHint(file.problem) }, out)
  const from = args.from === undefined ? importFormat(file) : imports.find(each => each === args.from)
  if (!from)
    return refuseFor(
      { code: 'usage', message: `nothing is imported from ${args.from}`, hint: offered(imports) },
      out,
    )
  const modelSet = await modelSetFor(args, around, out)
  if (!modelSet) return exit.refused
  const { cwd } = around
  const { text, jobs, problems } = importJobs(file, from, {
    texts: projectTexts(around, args.file === '-' ? undefined : args.file),
    cwd,
    modelSet,
    catalog: namedIn(args, cwd),
    ...(args.file !== '-' && { tableAt: fromManifest(args.file, args, cwd) }),
    splitLine: splitClientLine,
  })
  if (problems.length > 0) out.talk(problemsText(problems, out.paint))
  if (text === undefined) return exit.refused
  if (args.outputFile === undefined) out.result(text.trimEnd())
  else {
    const path = resolve(cwd, args.outputFile)
    if (isThere(path))
      return refuseFor(
        {
          code: 'file-in-the-way',
          message: `${args.outputFile} is there already`,
          hint: 'give another name',
        },
        out,
      )
    writeNewFile(path, text)
    out.talk(`${args.outputFile}: ${counted(jobs, 'job')}`)
  }
  return hasErrors(problems) ? exit.refused : exit.ok
}

function unreadHint(problem: string): string {
  return problem.includes('UTF-8')
    ? 'save it as UTF-8; spreadsheets call it "CSV UTF-8"'
    : 'give the path of a file, or `-` for what is piped in'
}

/** Files of models as the manifest names them, from its own folder on; it names none that lie elsewhere. */
function namedIn(args: ImportArgs, cwd: string): string[] {
  const paths = args.catalog.map(path => fromManifest(path, args, cwd))
  return paths.filter(path => !path.startsWith('../') && !isAbsolute(path))
}

function fromManifest(path: string, { outputFile = 'manifest.yaml' }: ImportArgs, cwd: string): string {
  return relative(dirname(resolve(cwd, outputFile)), resolve(cwd, path))
    .split(sep)
    .join('/')
}
