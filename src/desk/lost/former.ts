import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { type Lock, readLock } from '../../store/lock.ts'
import { stateFolder } from '../../store/state-folder.ts'
import { isTrouble } from '../../store/trouble.ts'
import type { Refused } from '../draw/draw.ts'
import { settingProblem } from '../draw/obstacles.ts'
import { absolute, stateOf } from '../ground/layout.ts'
import { placeOf } from '../ground/place.ts'
import type { FormerName, Ground } from '../ground/setting.ts'
import { matchesAmong } from './proofs.ts'

/** A lock of the manifest under another name, with what belongs to that name. Paths are absolute. */
export interface Former {
  readonly path: string
  readonly lock: Lock
  readonly text: string
  /** The journal, and what else is this user's only. */
  readonly state: string
  /** Where the files lie, if the manifest that is there now had the other name. */
  readonly output: string
}

/** Where the output folder is asked for beside the manifest. */
export interface Asked {
  readonly cwd: string
  readonly output?: string
  readonly outputs?: string
}

/**
 * The lock beside a manifest that has none, when it names a manifest that is not there any more, and is about the same:
 * one recipe is the same, or all its jobs are there. Reads only. Throws StorageTrouble.
 */
export function findFormer(ground: Ground, asked: Asked): Former | undefined {
  const { layout, machine } = ground
  const { disk } = machine
  const own = readFormer(layout.lock, ground, asked)
  if (own && own !== 'damaged' && isNamed(own, ground)) return undefined
  // One that is there, and is no lock that could be gone on with: it is told as damaged.
  const paths = disk.look(layout.lock) ? [layout.lock] : locksIn(ground)
  const fitting = paths.flatMap(path => {
    const former = readFormer(path, ground, asked)
    if (!former || former === 'damaged' || !isGone(former, ground)) return []
    const fit = fitOf(former.lock, ground)
    return fit > 0 ? [{ former, fit }] : []
  })
  return fitting.toSorted((a, b) => b.fit - a.fit)[0]?.former
}

function locksIn({ place, layout, machine: { disk } }: Ground): string[] {
  return disk
    .list(place.folder)
    .filter(name => name.endsWith('.lock.json') && !name.endsWith('.preview.lock.json'))
    .map(name => join(place.folder, name))
    .filter(path => path !== layout.lock)
    .toSorted()
}

/** What was made without a manifest has a lock that names none. */
function isGone({ path, lock: { manifest } }: Former, { machine }: Ground): boolean {
  return (
    /^[^/\\]+\.(ya?ml|json)$/i.test(manifest) &&
    machine.disk.look(join(dirname(path), manifest)) === undefined
  )
}

function fitOf({ jobs }: Lock, ground: Ground): number {
  const matches = matchesAmong(jobs, ground)
  if (matches > 0) return matches
  const wanted = new Set(ground.manifest.jobs.map(job => job.address))
  return jobs.length > 0 && jobs.every(job => wanted.has(job.address)) ? 1 : 0
}

/** Undefined when nothing is there. Throws StorageTrouble. */
export function readFormer(path: string, ground: Ground, asked: Asked): Former | 'damaged' | undefined {
  const { disk } = ground.machine
  let text: string
  try {
    text = Buffer.from(disk.readAll(path)).toString()
  } catch (error) {
    if (isTrouble(error, 'ENOENT')) return undefined
    throw error
  }
  const reading = readLock(text)
  if (reading.got === 'damaged') return 'damaged'
  const { lock } = reading
  const was = placeOf(join(dirname(path), lock.manifest))
  return { path, lock, text, state: stateOf(was, false), output: outputBefore(ground, was, asked) }
}

/** A manifest that says no name and no folder has those of its file. */
function outputBefore(
  { manifest, place }: Ground,
  was: { readonly folder: string; readonly stem: string },
  asked: Asked,
): string {
  const isByFile = manifest.name === basename(place.manifest, extname(place.manifest))
  const name = isByFile ? was.stem : manifest.name
  const { outputAt } = manifest
  const given = absolute(asked, { name, ...(outputAt && { outputAt }) })
  return given ?? resolve(was.folder, outputAt ? manifest.output : `out/${name}`)
}

/** Whether the files lie where they lay under the former name. */
export function isOutputBefore({ output }: Former, { layout, machine: { disk } }: Ground): boolean {
  return output !== layout.output && disk.look(output) !== undefined && disk.look(layout.output) === undefined
}

/** The same ground with everything where it lies under the former name: to look at. */
export function formerGround(former: Former, ground: Ground): Ground {
  const { disk } = ground.machine
  const state = disk.look(former.state) ? former.state : ground.layout.state
  const output = isOutputBefore(former, ground) ? former.output : ground.layout.output
  return { ...ground, layout: { ...ground.layout, state, output }, folders: stateFolder(state) }
}

export function formerName(
  { path, lock }: Former,
  { place }: Ground,
  { manifest, cwd }: { readonly manifest: string; readonly cwd: string },
): FormerName {
  const isBeside = dirname(path) === place.folder
  return {
    lock: isBeside ? join(dirname(manifest), basename(path)) : relative(cwd, path),
    manifest: lock.manifest,
    now: basename(place.manifest),
    purchases: lock.jobs.length,
  }
}

export type FormerAsked =
  | { readonly got: 'former'; readonly former: Former }
  /** The manifest has the lock by now. */
  | { readonly got: 'settled' }
  | Refused

/** The lock that somebody says is the manifest's own. Throws StorageTrouble. */
export function formerAsked(ground: Ground, asked: Asked & { readonly continues: string }): FormerAsked {
  const { place, layout } = ground
  const { continues } = asked
  const path = resolve(asked.cwd, continues)
  const refuse = (code: string, message: string, hint: string): Refused => ({
    got: 'refused',
    problems: [settingProblem('continue', continues, code, message, hint)],
  })
  const own = readFormer(layout.lock, ground, asked)
  const isOwn = own !== undefined && own !== 'damaged' && isNamed(own, ground)
  const former = readFormer(path, ground, asked)
  if (former === undefined)
    return isOwn
      ? { got: 'settled' }
      : refuse('no-such-lock', 'there is no such lock', 'name the lock of the manifest under its former name')
  if (former === 'damaged')
    return refuse('no-such-lock', 'it is no lock, or a damaged one', 'put it back from version control')
  if (isNamed(former, ground)) return { got: 'settled' }
  const { lock } = former
  if (!isGone(former, ground))
    return refuse(
      'lock-of-another',
      `${lock.manifest} is still there, and this lock is its own`,
      'copy no lock',
    )
  if (isOwn && own.lock.lineage !== lock.lineage)
    return refuse(
      'lock-of-another',
      `${basename(place.manifest)} has a lock of its own, of other purchases`,
      'one of the two counts: move the other away',
    )
  return { got: 'former', former }
}

/** Whether a lock is the one of this very manifest. */
function isNamed({ path, lock }: Former, { place }: Ground): boolean {
  return join(dirname(path), lock.manifest) === place.manifest
}
