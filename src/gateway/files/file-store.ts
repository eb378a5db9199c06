import { openShelf, type Shelved, shelve, takenFromShelf, unshelve } from '../../disk/shelf.ts'

/** Where the bytes of outputs lie. Names are ours: a run's id and a file name without a slash. */
interface FileStore {
  write(run: string, name: string, bytes: Uint8Array): Promise<void>
  read(run: string, name: string, start: number, end: number): AsyncIterable<Uint8Array>
  remove(run: string, names: readonly string[]): Promise<void>
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
  return {
    write: (run, name, bytes) => shelve(folder, run, name, bytes),
    read: (run, name, start, end) => takenFromShelf(folder, run, name, [start, end]),
    remove: (run, names) => unshelve(folder, run, names),
  }
}

/** The files of earlier runs in a folder, oldest first, so that its size limit holds across restarts. */
export async function leftoversIn(folder: string): Promise<Shelved[]> {
  return (await openShelf(folder)).toSorted((a, b) => a.at - b.at)
}
