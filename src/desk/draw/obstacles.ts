import { dirname } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Purchase } from '../../base/purchase.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../../base/source.ts'
import type { Manifest } from '../../manifest/job.ts'
import type { Disk } from '../../store/disk.ts'
import { readAllResults } from '../../store/results.ts'
import type { Machine } from '../ground/machine.ts'
import type { Ground } from '../ground/setting.ts'
import { quoted } from '../telling/command.ts'
import { type Naming, takenNames } from './taken-names.ts'

/** What stands in the way on disk, found before anything is bought. */
export function findObstacles(
  naming: Naming,
  { manifest, layout, machine }: Pick<Ground, 'manifest' | 'layout' | 'machine'>,
  purchases: readonly Purchase[],
): Diagnostic[] {
  const unwritable = findUnwritable(layout.output, manifest, machine)
  if (unwritable) return [unwritable]
  const { output } = layout
  const { disk } = machine
  const remedyFor = recovery(output, manifest, disk)
  return takenNames(naming, { output, purchases, disk, remedyFor })
}

/** The output folder is asked once, and only when something is in the way. */
function recovery(output: string, { file }: Manifest, disk: Disk): (path: string) => string | undefined {
  let paths: ReadonlySet<string> | undefined
  return path => {
    paths ??= new Set(
      readAllResults(output, disk).flatMap(({ purchases }) =>
        [...purchases.values()].flatMap(each => (each.is === 'done' ? each.files.map(of => of.path) : [])),
      ),
    )
    const command = `genrun recover ${quoted(file.name)}`
    return paths.has(path) ? `\`${command}\` takes up what is bought, and buys nothing` : undefined
  }
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
