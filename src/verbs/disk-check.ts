import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { tryPart } from '../wire/transfer/part.ts'

/** What a folder can do of all that keeps results safe (docs/contract.md section 3). */
export interface DiskSeen {
  /** The folder that was tried: the nearest that is there. */
  readonly folder: string
  /** Why nothing can be written; then nothing else is known. */
  readonly unwritable?: string
  /** Why a result cannot be saved as a download saves it; absent where it can. */
  readonly unsaved?: string
  /** Whether contents can be made durable; how long one small sync took. */
  readonly sync?: { readonly tasks: boolean; readonly ms: number }
  /** Whether one file can take another's place in one step. */
  readonly rename?: boolean
  /** Whether a second name fails when it is taken: what the claim and the publishing of files stand on. */
  readonly link?: boolean
  /** Whether `A` and `a` are two files. */
  readonly isCaseSensitive?: boolean
  readonly freeBytes?: number
}

/** Tries a folder out, and leaves nothing behind. Never throws. */
export async function checkDisk(options: string): Promise<DiskSeen> {
  const folder = nearestFolder(options)
  let trial: string
  try {
    trial = fs.mkdtempSync(join(folder, '.genrun-doctor-'))
  } catch (cause) {
    return { folder, unwritable: codeOf(cause) }
  }
  try {
    return { folder, ...tryOut(trial), ...(await trySaving(trial)), ...spaceIn(folder) }
  } catch (cause) {
    return { folder, unwritable: codeOf(cause) }
  } finally {
    fs.rmSync(trial, { recursive: true, force: true })
  }
}

function tryOut(trial: string): Omit<DiskSeen, 'folder'> {
  const [one, two, three] = ['one', 'two', 'three'].map(name => join(trial, name)) as [string, string, string]
  const began = process.hrtime.bigint()
  const tasks = synced(one)
  const ms = Number(process.hrtime.bigint() - began) / 1e6
  fs.writeFileSync(two, 'two')
  const isCaseSensitive = !fs.existsSync(join(trial, 'ONE'))
  const rename = does(() => fs.renameSync(two, one)) && fs.readFileSync(one, 'utf8') === 'two'
  fs.writeFileSync(three, 'three')
  const link =
    does(() => fs.linkSync(one, join(trial, 'link'))) && !does(() => fs.linkSync(three, join(trial, 'link')))
  return { sync: { tasks, ms }, rename, link, isCaseSensitive }
}

async function trySaving(trial: string): Promise<Pick<DiskSeen, 'unsaved'>> {
  const failure = await tryPart(join(trial, 'part'))
  return failure?.why === 'unsaved' ? { unsaved: failure.detail } : {}
}

function synced(path: string): boolean {
  const file = fs.openSync(path, 'w')
  try {
    fs.writeSync(file, 'one')
    return does(() => fs.fdatasyncSync(file))
  } finally {
    fs.closeSync(file)
  }
}

function spaceIn(folder: string): Pick<DiskSeen, 'freeBytes'> {
  try {
    const { bavail, bsize } = fs.statfsSync(folder)
    return { freeBytes: bavail * bsize }
  } catch {
    return {}
  }
}

function does(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

function nearestFolder(options: string): string {
  for (let here = options; ; here = dirname(here))
    if (fs.statSync(here, { throwIfNoEntry: false })?.isDirectory() || dirname(here) === here) return here
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}
