import { dirname, join } from 'node:path'
import { type Code, type Diagnostic, error } from '../base/diagnostic.ts'
import { headOf, type SourceFile, type Span, spanOf } from '../base/source.ts'
import type { Job, Manifest } from '../manifest/shapes/job.ts'
import type { Disk } from '../store/files/disk.ts'
import { findPlace } from '../store/files/safe-path.ts'
import { refuseForeignState } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { readAllResults } from '../store/lock/read-results.ts'
import type { ResultsOwner } from '../store/lock/results-text.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Machine } from '../workspace/machine.ts'
import { owner } from '../workspace/read/place.ts'
import { isOthers, resultsOfOthers } from '../workspace/records/others-results.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'
import { type Naming, ofOther, otherOutput, type Remedy, takenNames } from './taken-names.ts'

type Obstructed = Pick<Workspace, 'manifest' | 'layout' | 'machine' | 'place'>

/** What stands in the way on disk, found before anything is bought. */
export function findObstacles(
  naming: Naming,
  workspace: Obstructed,
  { purchases, lock }: Pick<Recorded, 'purchases' | 'lock'>,
): Diagnostic[] {
  const { manifest, layout, machine } = workspace
  const foreign = whyForeign(layout.state, machine.disk)
  if (foreign) return [error('output-folder', headOf(manifest.file), foreign.message, 'remove it')]
  const unwritable = findUnwritable(workspace)
  if (unwritable) return [unwritable]
  const closed = closedFolders(naming, layout.output, machine)
  if (closed.length > 0) return closed
  const { output } = layout
  const { disk } = machine
  const remedyFor = recovery(workspace)
  const away = isSingle(manifest) && { away: `if an earlier call made it, ${lockBack}; else move it away` }
  const othersAt = resultsOfOthers(workspace, lock.lineage)
  return takenNames(naming, { output, purchases, disk, remedyFor, othersAt, ...away })
}

/** What belongs to genrun and is a link, or somebody else's: a run has seen to that before. */
function whyForeign(state: string, disk: Disk): StorageError | undefined {
  return troubleIn(() => refuseForeignState(disk, state))
}

function troubleIn(look: () => unknown): StorageError | undefined {
  try {
    const told = look()
    return told instanceof StorageError ? told : undefined
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return trouble
  }
}

/** The output folder is asked once, and only when something is in the way. */
function recovery(workspace: Obstructed): (path: string) => Remedy | undefined {
  const { layout, manifest, machine } = workspace
  let owners: ReadonlyMap<string, ResultsOwner> | undefined
  return path => {
    owners ??= new Map(
      readAllResults(layout.output, machine.disk).flatMap(({ owner, purchases }) =>
        [...purchases.values()].flatMap(each =>
          each.is === 'done' ? each.files.map(of => [of.path, owner] as const) : [],
        ),
      ),
    )
    const its = owners.get(path)
    if (!its) return undefined
    const why = 'neither lock nor journal knows it'
    if (isSingle(manifest))
      return { why, hint: `an earlier call made it: ${lockBack}, and nothing is bought` }
    if (isOthers(its, workspace)) return { why: ofOther(its.manifest), hint: otherOutput }
    const hint = `\`genrun recover ${shellWord(manifest.file.name)}\` takes up what is bought, and buys nothing`
    return { why, hint }
  }
}

/** Of one job without a manifest there is nothing by which a lock could be made anew. */
function isSingle({ name }: Manifest): boolean {
  return name === owner
}

const lockBack = 'put its lock back, or give another name with `-o`'

/** A file in the place of the output folder, where no result could come to its name. */
export function findFileInTheWay({ manifest, layout, machine: { disk } }: Obstructed): Diagnostic[] {
  const here = nearest(layout.output, disk)
  return isFile(here, disk) ? [fileInTheWay(here, manifest)] : []
}

/** The nearest that exists decides whether a folder can be made. */
function nearest(path: string, disk: Disk): string {
  let here = path
  while (!disk.look(here) && dirname(here) !== here) here = dirname(here)
  return here
}

function isFile(path: string, disk: Disk): boolean {
  return disk.look(disk.realPath(path))?.is !== 'folder'
}

function fileInTheWay(here: string, manifest: Manifest): Diagnostic {
  const message = `the output folder cannot be made: ${here} is a file`
  return error('output-folder', outputSpan(manifest), message, 'give another `output`')
}

/** Where a run has to write whatever it buys; asked once. */
function findUnwritable({ layout, manifest, machine }: Obstructed): Diagnostic | undefined {
  const { output, lock } = layout
  const { disk, whyReadOnly } = machine
  const here = nearest(output, disk)
  if (isFile(here, disk)) return fileInTheWay(here, manifest)
  const closed = (what: string, at: Span, { detail }: StorageError, hint: string) =>
    error('output-folder', at, `the ${what} cannot be written: ${detail}`, `${hint} its permissions`)
  const trouble = whyReadOnly(here)
  if (trouble)
    return closed(`output folder ${output}`, outputSpan(manifest), trouble, 'give another `output`, or mend')
  const unsaved = whyReadOnly(nearest(dirname(lock), disk))
  return unsaved && closed(`folder of the lock ${lock}`, headOf(manifest.file), unsaved, 'mend')
}

/** Each folder for what is bought is looked at once, with the first job that needs it. What is paid for already may wait for a better disk. */
function closedFolders({ plan }: Naming, output: string, machine: Machine): Diagnostic[] {
  const jobs = new Map<string, Job>()
  for (const step of plan.steps) {
    const folder = step.do === 'buy' ? dirname(step.job.output) : '.'
    if (step.do === 'buy' && folder !== '.' && !jobs.has(folder)) jobs.set(folder, step.job)
  }
  return [...jobs].flatMap(([folder, job]) => {
    const trouble = whyClosed(output, folder, machine)
    if (!trouble) return []
    const message = `the folder ${trouble.path} cannot be used: ${trouble.detail}`
    const hint = trouble.remedy ?? 'mend it, or give the job another `output`'
    return error('output-folder', job.written.locate(['output'], 'value'), message, hint)
  })
}

/** Why no file of a run could get its name there, by the nearest folder that exists. */
function whyClosed(output: string, folder: string, { disk, whyReadOnly }: Machine): StorageError | undefined {
  return troubleIn(() => {
    findPlace(disk, output, `${folder}/file`)
    let here = join(output, folder)
    while (!disk.look(here) && here !== output) here = dirname(here)
    return here === output ? undefined : whyReadOnly(here)
  })
}

/** Where a manifest says where its files go. */
export function outputSpan({ file, outputAt }: Manifest): Span {
  return outputAt ?? headOf(file)
}

interface Setting {
  readonly name: string
  readonly value: string
}

/** A problem with a setting that stands in no file: it points into the setting's own text. */
export function settingProblem(
  { name, value }: Setting,
  code: Code,
  message: string,
  hint?: string,
): Diagnostic {
  const file: SourceFile = { name, text: value }
  return error(code, spanOf(file, 0, value.length), message, hint)
}
