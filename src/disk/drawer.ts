import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// A folder of small files that can be made anew at any time: thumbnails, by the digests of what they show. Names are checked here once
// more, and nothing is synced.

const fits = /^[0-9a-f]{64}\.[a-z]{2,8}$/

/** What was put there under a name; undefined where nothing was, or it cannot be read. */
export async function takeFromDrawer(folder: string, name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(join(folder, checked(name)))
  } catch {
    return undefined
  }
}

/** Puts a file there, in one step. Nothing happens where the disk does not take it: it is only made once more then. */
export async function putInDrawer(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, checked(name))
  const temporary = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 })
    await rename(temporary, path)
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
}

/** Takes out what nobody needs any more, and what was left half written. */
export function tidyDrawer(folder: string, isNeeded: (name: string) => boolean): void {
  try {
    for (const name of fs.readdirSync(folder))
      if (/^[0-9a-f]{64}\./.test(name) && !(fits.test(name) && isNeeded(name))) fs.rmSync(join(folder, name))
  } catch {
    // Not there, or in use: it is tidied another time.
  }
}

function checked(name: string): string {
  if (!fits.test(name)) throw new Error(`not a name for a drawer: ${name}`)
  return name
}
