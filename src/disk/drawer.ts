import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realPathAt } from './look.ts'
import { readRegular } from './open.ts'

/**
 * A folder of small files that can be made anew at any time: thumbnails, by the digests of what they show. Names are checked here once
 * more, and nothing is synced.
 */
interface Drawer {
  /** What was put there under a name; undefined where nothing was, or it cannot be read. */
  take(name: string): Uint8Array | undefined
  /** Puts a file there, in one step. Nothing happens where the disk does not take it: it is only made once more then. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Takes out what nobody needs any more, and what was left half written. */
  tidy(isNeeded: (name: string) => boolean): void
}

/** A larger file is none of ours. */
const mostBytes = 4 * 1024 * 1024

/** Nothing is read, written or removed there unless it `isOurs`, asked before each step: it may be swapped meanwhile. */
export function openDrawer(folder: string, isOurs: () => boolean): Drawer {
  return {
    take(name) {
      try {
        return isOurs()
          ? readRegular(join(folder, checked(name)), { mostBytes, within: realPathAt(folder) })
          : undefined
      } catch {
        return undefined
      }
    },
    async put(name, bytes) {
      const path = join(folder, checked(name))
      const temporary = `${path}.${randomBytes(8).toString('hex')}`
      try {
        if (isOurs()) await mkdir(folder, { recursive: true, mode: 0o700 })
        if (!isOurs()) return
        await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 })
        if (isOurs()) await rename(temporary, path)
        else await rm(temporary)
      } catch {
        await rm(temporary, { force: true }).catch(() => undefined)
      }
    },
    tidy(isNeeded) {
      try {
        for (const name of isOurs() ? fs.readdirSync(folder) : [])
          if (isLeft(name, isNeeded) && isOurs()) fs.rmSync(join(folder, name))
      } catch {
        // Not there, or in use: it is tidied another time.
      }
    },
  }
}

const fits = /^[0-9a-f]{64}\.[a-z]{2,8}$/

function isLeft(name: string, isNeeded: (name: string) => boolean): boolean {
  return /^[0-9a-f]{64}\./.test(name) && !(fits.test(name) && isNeeded(name))
}

function checked(name: string): string {
  if (!fits.test(name)) throw new Error(`not a name for a drawer: ${name}`)
  return name
}
