import { dirname, join } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../../base/source.ts'
import type { LockEntry } from '../../base/state.ts'
import { outputKind } from '../../catalog/index.ts'
import type { Job, Manifest } from '../../manifest/job.ts'
import { mediaTypes } from '../../media/sniff.ts'
import type { Plan } from '../../plan/step.ts'
import { finalPath, findSaved } from '../../store/outputs.ts'
import type { Layout } from '../ground/layout.ts'
import type { Machine } from '../ground/machine.ts'

/** What stands in the way on disk, found before anything is bought. */
export function findObstacles(
  plan: Plan,
  manifest: Manifest,
  layout: Layout,
  entries: Iterable<LockEntry>,
  machine: Machine,
): Diagnostic[] {
  const { disk } = machine
  const unwritable = findUnwritable(layout.output, manifest, machine)
  if (unwritable) return [unwritable]
  const ours = new Map([...entries].flatMap(entry => entry.files.map(file => [file.path, file] as const)))
  return plan.steps.flatMap(step => {
    if (step.do !== 'buy') return []
    return possiblePaths(step.job).flatMap(path => {
      if (!disk.look(join(layout.output, path))) return []
      const made = ours.get(path)
      if (made && findSaved(made, layout.output, disk) === 'same') return []
      return [inTheWay(step.job, path, made !== undefined)]
    })
  })
}

/** Every name that a job's files may get; the extension is only known by the bytes that come. */
function possiblePaths(job: Job): string[] {
  const kind = outputKind(job.model)
  const types = Object.values(mediaTypes).filter(type => type.kind === kind)
  return types.flatMap(type =>
    Array.from({ length: job.count }, (_, nth) => finalPath(job.output, nth, job.count, type)),
  )
}

function inTheWay(job: Job, path: string, isAltered: boolean): Diagnostic {
  const message = isAltered
    ? `${path} was altered since genrun made it`
    : `${path} is there already, and genrun did not make it`
  return error(
    'file-in-the-way',
    job.locate(['output'], 'value'),
    message,
    'move it away, or give the job another `output`',
  )
}

/** The nearest folder that exists decides whether the output folder can be made. */
function findUnwritable(
  output: string,
  manifest: Manifest,
  { disk, whyReadOnly }: Machine,
): Diagnostic | undefined {
  let here = output
  while (!disk.look(here) && dirname(here) !== here) here = dirname(here)
  if (disk.look(disk.realPath(here))?.is !== 'folder') {
    return error(
      'output-folder',
      outputSpan(manifest),
      `the output folder cannot be made: ${here} is a file`,
      'give another `output`',
    )
  }
  const trouble = whyReadOnly(here)
  if (!trouble) return undefined
  return error(
    'output-folder',
    outputSpan(manifest),
    `the output folder ${output} cannot be written: ${trouble.detail}`,
    'give another `output`, or mend its permissions',
  )
}

function outputSpan({ file, outputAt }: Manifest): Span {
  return outputAt ?? headOf(file)
}

/** A problem with a setting that stands in no file: it points into the setting's own text. */
export function settingProblem(
  name: string,
  value: string,
  code: string,
  message: string,
  hint?: string,
): Diagnostic {
  const file: SourceFile = { name, text: value }
  return error(code, spanOf(file, 0, value.length), message, hint)
}
