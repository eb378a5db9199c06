import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the bytes of outputs lie. Names are ours: a run's id and a file name without a slash. */
export interface FileStore {
  write(run: string, name: string, bytes: Uint8Array): Promise<void>
  read(run: string, name: string, start: number, end: number): AsyncIterable<Uint8Array>
  remove(run: string, names: readonly string[]): Promise<void>
}

/** A file that an earlier gateway left on a shelf. */
export interface Leftover {
  readonly run: string
  readonly name: string
  readonly bytes: number
  readonly at: number
}

export function memoryFileStore(): FileStore {
  const files = new Map<string, Uint8Array>()
  return {
    write: async (run, name, bytes) => {
      files.set(`${run}/${name}`, bytes)
    },
    read: async function* (run, name, start, end) {
      const bytes = files.get(`${run}/${name}`)
      if (bytes) yield bytes.subarray(start, end)
    },
    remove: async (run, names) => {
      for (const name of names) files.delete(`${run}/${name}`)
    },
  }
}

/** One folder a run. */
export function folderFileStore(folder: string): FileStore {
  const pathOf = (run: string, name: string) => join(folder, run, name)
  return {
    write: async (run, name, bytes) => {
      await mkdir(join(folder, run), { recursive: true })
      await writeFile(pathOf(run, name), bytes, { flag: 'wx' })
    },
    read: (run, name, start, end) =>
      end > start ? createReadStream(pathOf(run, name), { start, end: end - 1 }) : nothing(),
    remove: async (run, names) => {
      for (const name of names) await rm(pathOf(run, name), { force: true })
      // Whatever else somebody put there stays, and the folder with it.
      await rmdir(join(folder, run)).catch(() => undefined)
    },
  }
}

/** The files of earlier runs in a folder, oldest first, so that its size limit holds across restarts. */
export async function leftoversIn(folder: string): Promise<Leftover[]> {
  await mkdir(folder, { recursive: true })
  const entries = await readdir(folder, { withFileTypes: true })
  const runs = entries.filter(entry => entry.isDirectory() && /^[0-9a-f]{32}$/.test(entry.name))
  const found = await Promise.all(runs.map(run => filesOf(folder, run.name)))
  return found.flat().toSorted((a, b) => a.at - b.at)
}

async function filesOf(folder: string, run: string): Promise<Leftover[]> {
  const names = (await readdir(join(folder, run))).filter(name => /^\d+\.[a-z0-9]+$/.test(name))
  return Promise.all(
    names.map(async name => {
      const { size, mtimeMs } = await stat(join(folder, run, name))
      return { run, name, bytes: size, at: mtimeMs }
    }),
  )
}

async function* nothing(): AsyncIterable<Uint8Array> {}
