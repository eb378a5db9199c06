import { dirname, join, sep } from 'node:path'
import { defined } from '../../base/defined.ts'
import { shardMarked } from '../../base/shard.ts'
import { isClosed, mustBeWritable, nameAt, namesIn } from '../../disk/look.ts'
import { readRegular } from '../../disk/open.ts'
import { seeHolder } from '../../store/claim/claim.ts'
import { systemDisk } from '../../store/files/disk.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { stateFolder } from '../../store/files/state-folder.ts'
import type { Planned } from '../../wording/report.ts'
import { stateOf } from '../../workspace/layout.ts'
import type { ProjectPlace } from '../../workspace/read/place.ts'
import { contentsOf, folderStampOf, isSameStamp, stampOf } from '../../workspace/read/stamp.ts'
import {
  type Memory,
  memoryPath,
  type ReadMemory,
  type RememberedFile,
  type RememberedOutput,
  readMemory,
} from './memory.ts'

/** What a run of this very request found, where it found nothing to do; `key` as `requestDigest` makes it. Throws what the disk says. */
export function recalled(place: ProjectPlace, key: string): ReadMemory | undefined {
  const text = Buffer.from(readRegular(memoryPath(stateOf(place, false)), { mostBytes: longest }))
  const read = readMemory(text.toString('utf8'))
  return read?.memory.key === key && read.memory.root === place.root ? read : undefined
}

const longest = 512 * 1024 * 1024

/** Whether nothing of it has changed since, but for what globs find. Throws what the disk says. */
export function isUnchanged({ memory, outputs }: ReadMemory, place: ProjectPlace): boolean {
  const { claim } = stateFolder(stateOf(place, false))
  // A run would take the claim: one that cannot, for whatever reason, has another answer.
  mustBeWritable(claim)
  if (seeHolder(claim) || isShardBeside(place)) return false
  const isSame = memory.folders.every(each => isSameStamp(each, folderStampOf(each.path)))
  return isSame && memory.files.every(isAsItWas) && areThere(outputs, memory.output)
}

/** One that was not merged is told, and refused: see `unmergedProblem`. */
function isShardBeside({ folder, stem }: ProjectPlace): boolean {
  const names = [folder, join(folder, '.genrun')].flatMap(namesIn)
  return names.some(
    name =>
      name.startsWith(`${stem}.`) && shardMarked(name.slice(stem.length + 1).replace(/\.lock\.json$/, '')),
  )
}

/** As `run/account.ts` puts it, for a plan that keeps everything. */
export function plannedToKeep({ jobs, output, currency }: Memory, at: number): Planned {
  const none = { buy: 0, resume: 0, fetch: 0, adopt: 0, hold: 0, doubt: 0, restore: 0, drop: 0 }
  return {
    at,
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
