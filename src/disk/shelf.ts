import * as fs from 'node:fs'
import { mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { madeMark } from './made.ts'

// The folder of a gateway: one folder a run, with the run's files. Names are the gateway's own, and checked here once more.

/** Makes a file of a run; what is there already is left alone (EEXIST). */
export async function shelve(folder: string, run: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = pathOf(folder, run, name)
  const own = join(folder, run)
  // A later gateway knows by the mark that genrun has made the folder.
  if ((await mkdir(own, { recursive: true })) !== undefined) await writeFile(join(own, madeMark), '')
  await writeFile(path, bytes, { flag: 'wx' })
}

/** Some bytes of a file of a run. */
export function takenFromShelf(
  folder: string,
  run: string,
  name: string,
  [start, end]: readonly [start: number, end: number],
): AsyncIterable<Uint8Array> {
  return end > start ? fs.createReadStream(pathOf(folder, run, name), { start, end: end - 1 }) : nothing()
}

/** Removes files of a run, and its folder when it is empty then: whatever else somebody put there stays. */
export async function unshelve(folder: string, run: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(pathOf(folder, run, name), { force: true })
  const left = await readdir(join(folder, run)).catch(() => [])
  if (left.length === 1 && left[0] === madeMark) await rm(join(folder, run, madeMark))
  await rmdir(join(folder, run)).catch(() => undefined)
}

/** A file of an earlier gateway. */
export interface Shelved {
  readonly run: string
  readonly name: string
  readonly bytes: number
  readonly at: number
}

/** Makes the folder where it is missing, and lists what a gateway has put there: under its names, in folders with its mark. */
export async function openShelf(folder: string): Promise<Shelved[]> {
  await mkdir(folder, { recursive: true })
  const entries = await readdir(folder, { withFileTypes: true })
  const runs = entries.filter(entry => entry.isDirectory() && /^[0-9a-f]{32}$/.test(entry.name))
  return (await Promise.all(runs.map(run => filesOf(folder, run.name)))).flat()
}

async function filesOf(folder: string, run: string): Promise<Shelved[]> {
  const entries = await readdir(join(folder, run), { withFileTypes: true })
  const isMade = entries.some(entry => entry.name === madeMark && entry.isFile())
  const files = isMade ? entries.filter(entry => entry.isFile()) : []
  const names = files.map(entry => entry.name).filter(name => /^\d+\.[a-z0-9]+$/.test(name))
  return Promise.all(
    names.map(async name => {
      const { size, mtimeMs } = await stat(join(folder, run, name))
      return { run, name, bytes: size, at: mtimeMs }
    }),
  )
}

function pathOf(folder: string, run: string, name: string): string {
  for (const step of [run, name])
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(step)) throw new Error(`not a name for a file of a run: ${step}`)
  return join(folder, run, name)
}

async function* nothing(): AsyncIterable<Uint8Array> {}
