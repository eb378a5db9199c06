import { join } from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import { removeQuietly, writeAtomically, writeSynced } from '../files/atomic-write.ts'
import { type Disk, type Look, looksTheSame, makeFolders, systemDisk, writeFully } from '../files/disk.ts'
import { linkNew } from '../files/publish.ts'
import { isStorageError } from '../files/storage-error.ts'
import { type Holder, thisProcess, whereabouts } from './process.ts'

/** The right to work on one manifest, as long as nobody has taken it over. */
export interface Claim {
  /** Higher than that of every claim before it. */
  readonly number: number
  /** From whom it was taken over. */
  readonly from?: HolderSeen
  /** Asked before each paid request: false as soon as there is a higher number, or the claim was wiped away. */
  isMine(): boolean
  /** `vanished`: nobody has it, ours is gone, for instance with the whole folder. Throws StorageError. */
  standing(): ClaimStanding
  /** Gives the claim back. Does nothing when it was taken over. */
  release(): Promise<void>
}

/** What one look at the claim's folder says of this process: it holds the claim, another took it over, or the claim is gone. */
export type ClaimStanding = 'mine' | 'taken' | 'vanished'

type Claimed =
  | { readonly got: 'claim'; readonly claim: Claim }
  | { readonly got: 'busy'; readonly holder: HolderSeen }

/** Who holds the claim. `unknown`: the claim cannot be read. */
export type HolderSeen =
  | (Holder & { readonly is: 'alive' | 'elsewhere'; readonly since: number; readonly work?: string })
  | { readonly is: 'unknown'; readonly path: string }

interface ClaimOptions {
  /** Takes the claim over, whoever holds it: for a machine that is gone, or a process that hangs. */
  readonly force?: boolean
  /** The claim's number is higher than this one as well. Default 0. */
  readonly above?: number
  /** What the holder works at, for others whose claims lie beside this one. */
  readonly work?: string | undefined
  readonly disk?: Disk
  readonly clock?: Clock
  readonly random?: Random
  /** For tests. */
  readonly self?: Holder
}

/**
 * One genrun per manifest (docs/contract.md section 3). Claims are files with numbers, each made in one step by a link
 * that fails when the number is taken; the highest counts. Nobody removes or alters a claim that is in force: a holder
 * who was paused sees the higher number when it wakes, and buys nothing. Rejects with StorageError.
 */
export async function takeClaim(folder: string, options: ClaimOptions = {}): Promise<Claimed> {
  const { disk = systemDisk, clock = systemClock, random = systemRandom } = options
  const { force = false, above = 0, self = thisProcess(), work } = options
  const mine: Mine = { ...self, token: random.token(), ...(work !== undefined && { work }) }
  await makeFolders(disk, folder, 0o700)
  for (;;) {
    const number = highest(disk, folder)
    const holder = holderOf(disk, folder, number, self)
    if (holder && !force) return { got: 'busy', holder }
    const next = 1 + Math.max(number, above)
    // Nobody comes so far by runs: somebody wrote it there, and no number is left above it.
    if (next > mostClaims)
      return { got: 'busy', holder: { is: 'unknown', path: join(folder, String(number)) } }
    if (await makeClaim(folder, next, mine, options)) {
      removeOlder(disk, folder, next)
      const claim = claimOf(folder, next, mine, { disk, clock })
      return { got: 'claim', claim: holder ? { ...claim, from: holder } : claim }
    }
    // Someone was faster: look at them.
  }
}

/** Who holds the claim now, if anybody does. Looks, and touches nothing. Throws StorageError. */
export function seeHolder(
  folder: string,
  { disk = systemDisk, self = thisProcess() }: Pick<ClaimOptions, 'disk' | 'self'> = {},
): HolderSeen | undefined {
  return holderOf(disk, folder, highest(disk, folder), self)
}

/** What one attempt to take the claim writes; the token tells it from every other. */
interface Mine extends Holder {
  readonly token: string
  readonly work?: string
}

function claimOf(
  folder: string,
  number: number,
  mine: Mine,
  { disk, clock }: { readonly disk: Disk; readonly clock: Clock },
): Claim {
  const path = join(folder, String(number))
  const isDated = disk.datesNames(folder)
  // How our file, and the folder where its dates tell of every name in it, looked when they were read last. Both are asked for
  // several times a job, and what looks the same is not read again.
  let knownFile: Look | undefined
  let knownFolder: Look | undefined
  const ifOld = (seen: Look | undefined) => {
    const date = Math.max(seen?.changed ?? Number.NaN, seen?.touched ?? Number.NaN)
    return clock.wall() - date > coarsestDateMs ? seen : undefined
  }
  const isHighest = () => {
    // Before it is listed: what comes in between makes it look different the next time.
    const seen = isDated ? disk.look(folder) : undefined
    if (knownFolder && isUntouched(knownFolder, seen)) return true
    const isOurs = highest(disk, folder) === number
    knownFolder = isOurs ? ifOld(seen) : undefined
    return isOurs
  }
  const isMine = () => {
    if (!isHighest()) return false
    const seen = disk.look(path)
    if (knownFile && looksTheSame(knownFile, seen)) return true
    const isOurs = isOwn(disk, path, mine)
    knownFile = isOurs ? ifOld(seen) : undefined
    return isOurs
  }
  return {
    number,
    isMine,
    standing() {
      if (isMine()) return 'mine'
      return highest(disk, folder) === 0 ? 'vanished' : 'taken'
    },
    async release() {
      // The number stays in use: were it given out again, a holder of it who was paused would believe to be the one.
      if (isMine()) await writeAtomically(disk, path, content({ ...mine, released: true }), { mode: 0o600 })
    },
  }
}

function isUntouched(known: Look, seen: Look | undefined): boolean {
  return looksTheSame(known, seen) && known.touched === seen?.touched
}

/** Within so much time some disks give two files one date, and the second may have the place of the first. */
const coarsestDateMs = 2500

/** Whether we are the holder now. */
async function makeClaim(
  folder: string,
  number: number,
  mine: Mine,
  options: ClaimOptions,
): Promise<boolean> {
  const { disk = systemDisk, clock = systemClock, random = systemRandom } = options
  const draft = join(folder, `.${random.token()}.tmp`)
  const place = join(folder, String(number))
  const bytes = content({ ...mine, since: clock.wall() })
  try {
    await writeSynced(disk, draft, 0o600, async file => writeFully(disk, file, bytes))
    const linked = linkNew(disk, draft, place)
    if (linked === 'taken') return false
    if (linked === 'no-link' && !(await createClaim(disk, place, bytes))) return false
    await disk.syncFolder(folder)
    // While we looked, others may have come and gone, and taken away the number that we found free.
    return highest(disk, folder) === number && isOwn(disk, place, mine)
  } finally {
    removeQuietly(disk, draft)
  }
}

/**
 * On a disk that gives a file one name only: the number is taken in one step all the same, and only then written to. Who
 * looks in between, and everybody after a crash in between, finds a claim that cannot be read, which is somebody's.
 */
async function createClaim(disk: Disk, place: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeSynced(disk, place, 0o600, async file => writeFully(disk, file, bytes))
    return true
  } catch (error) {
    if (isStorageError(error, 'EEXIST')) return false
    removeQuietly(disk, place)
    throw error
  }
}

/** The same number with another token: the folder was wiped away and someone began anew. */
function isOwn(disk: Disk, path: string, mine: Mine): boolean {
  const said = readContent(disk, path)
  return typeof said === 'object' && said.token === mine.token
}

/** 0 when nobody ever held it, or the folder was wiped away. */
function highest(disk: Disk, folder: string): number {
  try {
    return Math.max(0, ...numbers(disk, folder))
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return 0
    throw error
  }
}

/** A name of more digits than a claim ever has is another thing's. */
function numbers(disk: Disk, folder: string): number[] {
  return disk
    .list(folder)
    .filter(name => /^\d{1,15}$/.test(name))
    .map(Number)
}

/** The largest number of fifteen digits, which a number holds exactly. */
const mostClaims = 999_999_999_999_999

/** Undefined when the claim may be taken. */
function holderOf(disk: Disk, folder: string, number: number, self: Holder): HolderSeen | undefined {
  if (number === 0) return undefined
  const path = join(folder, String(number))
  const said = readContent(disk, path)
  // Gone since we counted: there is a higher number, and taking this one will fail.
  if (said === 'gone') return undefined
  if (said === 'unreadable') return { is: 'unknown', path }
  const { released, since, token: _, ...holder } = said
  const is = released ? 'gone' : whereabouts(holder, self)
  return is === 'gone' ? undefined : { ...holder, is, since }
}

interface Content extends Mine {
  readonly released: boolean
  readonly since: number
}

function content(said: Partial<Content>): Buffer {
  return Buffer.from(`${JSON.stringify(said)}\n`)
}

function readContent(disk: Disk, path: string): Content | 'gone' | 'unreadable' {
  try {
    const said: Partial<Content> | null = JSON.parse(disk.readAll(path).toString())
    if (typeof said?.host !== 'string' || typeof said.pid !== 'number') return 'unreadable'
    const { host, pid, machine = '', boot = '', space = '', start = '', token = '' } = said
    const { released = false, since = 0, work } = said
    const more = typeof work === 'string' && { work }
    return { host, pid, machine, boot, space, start, token, released, since, ...more }
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return 'gone'
    if (error instanceof SyntaxError) return 'unreadable'
    throw error
  }
}

/** Claims below one that is in force can never come into force again; without this there would be one more a run. */
function removeOlder(disk: Disk, folder: string, number: number): void {
  for (const older of numbers(disk, folder)) {
    if (older < number) removeQuietly(disk, join(folder, String(older)))
  }
}
