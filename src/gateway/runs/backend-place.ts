import { rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'

/** A folder for one order of a backend, in the system's folder for such. It is named for the process that it belongs to. */
export interface BackendPlace {
  readonly path: string
  remove(): Promise<void>
}

/** Makes a folder. The first time, those that killed processes have left are removed. */
export async function openPlace(): Promise<BackendPlace> {
  swept ??= sweep(tmpdir(), systemClock.wall()).catch(() => {})
  await swept
  const path = await mkdtemp(join(tmpdir(), `genrun-backend-${process.pid}-`))
  inUse.add(path)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true })
      inUse.delete(path)
    },
  }
}

let swept: Promise<void> | undefined

/** Folders of orders that are being made: a gateway that ends does not wait for them. */
const inUse = new Set<string>()
process.on('exit', () => {
  for (const path of inUse) removeAtLast(path)
})

function removeAtLast(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A command that does not end yet may still write to it.
  }
}

// Containers can share a folder and not see each other's processes: what was used lately is left alone.
const leastIdleMs = 3_600_000

/** Removes what processes that are no longer there have left in a folder. What cannot be removed stays. */
export async function sweep(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^genrun-backend-(\d+)-[A-Za-z0-9]{6}$/.exec(name)?.[1])
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue
    const path = join(folder, name)
    if (await isIdleAndOurs(path, now)) await rm(path, { recursive: true, force: true }).catch(() => {})
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

/** A link that stands there in place of a folder is somebody's trick. */
async function isIdleAndOurs(path: string, now: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  const isOurs = found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
  return isOurs && now - found.mtimeMs > leastIdleMs
}
