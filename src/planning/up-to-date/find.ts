import { dirname, resolve, sep } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { defined } from '../../base/defined.ts'
import { isClosed, mustBeWritable, nameAt, realPathAt } from '../../disk/look.ts'
import { readRegular } from '../../disk/open.ts'
import { seeHolder } from '../../store/claim/claim.ts'
import { systemDisk } from '../../store/files/disk.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { stateFolder } from '../../store/files/state-folder.ts'
import type { Planned } from '../../wording/report.ts'
import { stateOf } from '../../workspace/layout.ts'
import { type ProjectPlace, placeOf } from '../../workspace/read/place.ts'
import { contentsOf, foundDigest, isSameStamp, stampOf } from '../../workspace/read/stamp.ts'
import type { RunRequest } from '../../workspace/workspace.ts'
import { cannotUseUpToDateMark, requestDigest } from './key.ts'
import { type Memory, memoryPath, type RememberedFile, type RememberedOutput, readMemory } from './memory.ts'

/** Nothing is to be done: what a run tells that has looked at everything, short of a line for every job. */
export interface UpToDate {
  readonly got: 'unchanged'
  readonly planned: Planned
}

/**
 * Whether an earlier run of this very request found nothing to do, and nothing that it stood on has changed since. Reads
 * and writes nothing else. Undefined says nothing at all: whatever differs, is missing, cannot be read or is odd, a run
 * that looks at everything has to tell.
 */
export async function findUpToDate(request: RunRequest): Promise<UpToDate | undefined> {
  if (cannotUseUpToDateMark(request)) return undefined
  try {
    return await recallNothing(request)
  } catch {
    return undefined
  }
}

async function recallNothing(request: RunRequest): Promise<UpToDate | undefined> {
  const place = placeOf(realPathAt(resolve(request.cwd, request.manifest)))
  const state = stateOf(place, false)
  const read = readMemory(textAt(memoryPath(state)))
  if (!read || read.memory.key !== requestDigest(request)) return undefined
  const { memory, outputs } = read
  const { claim } = stateFolder(state)
  // A run would take the claim: one that cannot, for whatever reason, has another answer.
  mustBeWritable(claim)
  if (seeHolder(claim)) return undefined
  const isSame =
    memory.root === place.root &&
    memory.files.every(isAsItWas) &&
    (await findTheSame(memory.globs, place)) &&
    areThere(outputs, memory.output)
  if (!isSame) return undefined
  return { got: 'unchanged', planned: plannedOf(memory) }
}

function textAt(path: string): string {
  return Buffer.from(readRegular(path, { mostBytes: longest })).toString('utf8')
}

const longest = 512 * 1024 * 1024

/** As `run/account.ts` puts it, for a plan that keeps everything. */
function plannedOf({ jobs, output, currency }: Memory): Planned {
  const none = { buy: 0, resume: 0, fetch: 0, adopt: 0, hold: 0, doubt: 0, restore: 0, drop: 0 }
  return {
    at: systemClock.now(),
    event: 'planned',
    jobs,
    steps: { ...none, keep: jobs },
    work: [],
    ...defined({ currency }),
    output,
    rehearsal: false,
    remarks: [],
  }
}

function isAsItWas(file: RememberedFile): boolean {
  if (!isSameStamp(file, stampOf(file.path))) return false
  return file.digest === undefined || contentsOf(file.path) === file.digest
}

async function findTheSame(globs: Memory['globs'], place: ProjectPlace): Promise<boolean> {
  // Most manifests have none, and are answered sooner without what finds them.
  if (globs.length === 0) return true
  const { globFiles } = await import('../../workspace/read/globs.ts')
  return globs.every(({ pattern, found }) => foundDigest(globFiles(pattern, place)) === found)
}

/** As `findSaved` looks: by name and size. A folder is walked down to once for all files that stand behind each other. */
function areThere(outputs: Iterable<RememberedOutput>, root: string): boolean {
  let here: string | undefined
  let at: string | undefined
  for (const { folder, name, bytes } of outputs) {
    if (folder !== here) at = folderAt(root, folder)
    here = folder
    const path = `${at}${sep}${name}`
    const stat = at && nameAt(path)
    if (!stat || !stat.isFile() || stat.size !== bytes || isClosed(path, stat)) return false
  }
  return true
}

function folderAt(root: string, folder: string): string | undefined {
  const place = findPlace(systemDisk, root, folder === '' ? 'x' : `${folder}/x`)
  return place && dirname(place)
}
