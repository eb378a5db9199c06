import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasErrors } from '../../base/diagnostic.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { formOf, importJobs, imports } from '../../desk/import.ts'
import type { ImportAsked } from '../face-asked.ts'
import type { Out } from '../out.ts'
import { problemsText, troubleText } from '../problems.ts'
import type { Surroundings } from '../surroundings.ts'
import { textsOf } from '../texts.ts'

/** `genrun import`: jobs of other tools as a manifest, on stdout or in a file that is not there yet. */
export function importFile(asked: ImportAsked, around: Surroundings, out: Out): number {
  const texts = textsOf(around)
  const file = asked.file === '-' ? texts.stdin() : texts.read(asked.file)
  if ('problem' in file)
    return refuse(
      'unreadable-file',
      file.problem,
      'give the path of a file, or `-` for what is piped in',
      out,
    )
  const from = asked.from === undefined ? formOf(file) : imports.find(each => each === asked.from)
  if (!from)
    return refuse('usage', `nothing is imported from ${asked.from}`, `there are ${imports.join(', ')}`, out)
  const { text, jobs, problems } = importJobs(file, from, texts, around.cwd)
  if (problems.length > 0) out.talk(problemsText(problems, out.paint))
  if (text === undefined || hasErrors(problems)) return exit.refused
  if (asked.output === undefined) out.result(text.trimEnd())
  else {
    const path = resolve(around.cwd, asked.output)
    if (existsSync(path))
      return refuse('file-in-the-way', `${asked.output} is there already`, 'give another name', out)
    writeFileSync(path, text)
    out.talk(`${asked.output}: ${counted(jobs, 'job')}`)
  }
  return exit.ok
}

function refuse(code: string, message: string, hint: string | undefined, out: Out): number {
  out.talk(troubleText({ code, message, ...(hint && { hint }) }, out.paint))
  return exit.refused
}
