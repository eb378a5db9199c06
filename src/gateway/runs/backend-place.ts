import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { namesIn } from '../../disk/look.ts'
import { type MadeFolder, makeFolder, removeLeftFolder } from '../../disk/made.ts'

/** A folder for one order of a backend, in the system's folder for such. It is named for the process that it belongs to. */
interface BackendPlace {
  readonly path: string
  remove(): Promise<void>
}

/** Makes a folder. The first time, those that killed processes have left are removed. */
export async function openPlace(): Promise<BackendPlace> {
  swept ??= sweep(tmpdir(), systemClock.wall()).catch(() => {})
  await swept
  const folder = makeFolder(`genrun-backend-${process.pid}-`)
  inUse.add(folder)
  return {
    path: folder.path,
    async remove() {
      await folder.remove()
      inUse.delete(folder)
    },
  }
}

let swept: Promise<void> | undefined

/** Folders of orders that are being made: a gateway that ends does not wait for them. */
const inUse = new Set<MadeFolder>()
process.on('exit', () => {
  for (const folder of inUse) removeAtLast(folder)
})

function removeAtLast(folder: MadeFolder): void {
  try {
    folder.removeNow()
  } catch {
    // A command that does not end yet may still write to it.
  }
}

// Containers can share a folder and not see each other's processes: what was used lately is left alone.
const leastIdleMs = 3_600_000

/** Removes what processes that are no longer there have left in a folder. What cannot be removed stays. */
export async function sweep(folder: string, now: number): Promise<void> {
  for (const name of namesIn(folder)) {
    const pid = Number(/^genrun-backend-(\d+)-[A-Za-z0-9]{6}$/.exec(name)?.[1])
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue
    await removeLeftFolder(join(folder, name), now, leastIdleMs)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is one as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
