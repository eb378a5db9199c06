import { dirname } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../../base/source.ts'
import type { LockEntry } from '../../base/state.ts'
import type { Manifest } from '../../manifest/job.ts'
import type { Machine } from '../ground/machine.ts'
import type { Ground } from '../ground/setting.ts'
import { type Naming, takenNames } from './taken-names.ts'

/** What stands in the way on disk, found before anything is bought. */
export function findObstacles(
  naming: Naming,
  { manifest, layout, machine }: Pick<Ground, 'manifest' | 'layout' | 'machine'>,
  entries: Iterable<LockEntry>,
): Diagnostic[] {
  const unwritable = findUnwritable(layout.output, manifest, machine)
  if (unwritable) return [unwritable]
  return takenNames(naming, { output: layout.output, entries: [...entries], disk: machine.disk })
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
