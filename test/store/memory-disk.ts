import { dirname } from 'node:path'
import type { Disk, Handle, Look } from '../../src/store/files/disk.ts'
import { type Doing, StorageError } from '../../src/store/files/storage-error.ts'

/** A disk in memory that knows what was written from what would outlive a power cut. */
export interface MemoryDisk extends Disk {
  /** The calls so far that change or sync something, in order: `write /a`. */
  readonly calls: readonly string[]
  /** From the given call on (counted from 1), everything fails: the machine stops there. */
  stopAt(call: number): void
  /** Only that one call fails. */
  failAt(call: number): void
  /** Writes take at most so many bytes at a time. */
  takeAtMost(bytes: number): void
  /** Renames and links across folders do not work, or links nowhere. */
  without(what: 'links' | 'other-folders'): void
  /** The disk after a power cut: `keep` decides, for everything that was not synced, whether it is there. */
  restarted(keep: (what: string) => boolean): MemoryDisk
  readonly files: () => { readonly [path: string]: string }
}

type Node =
  | { readonly is: 'file'; readonly id: number; data: Buffer; synced: Buffer }
  | { readonly is: 'folder'; readonly id: number }
  | { readonly is: 'link'; readonly id: number; readonly to: string }

export function memoryDisk(start?: ReadonlyMap<string, Node>): MemoryDisk {
  let ids = 0
  const names = new Map<string, Node>(start ?? [['/', { is: 'folder', id: ids++ }]])
  for (const node of names.values()) ids = Math.max(ids, node.id + 1)
  const durable = new Map(names)
  const open = new Map<number, Node & { is: 'file' }>()
  const calls: string[] = []
  const lacks = new Set<'links' | 'other-folders'>()
  let stop = Number.POSITIVE_INFINITY
  let failing = Number.POSITIVE_INFINITY
  let most = Number.POSITIVE_INFINITY

  function call(doing: Doing, path: string): void {
    calls.push(`${doing} ${path}`)
    if (calls.length >= stop) throw new StorageError(path, doing, 'the machine has stopped', 'EIO')
    if (calls.length === failing) throw new StorageError(path, doing, 'no space left on the disk', 'ENOSPC')
  }

  function found(path: string, doing: Doing): Node {
    const node = names.get(path)
    if (!node) throw new StorageError(path, doing, 'it is not there', 'ENOENT')
    return node
  }

  function contents(path: string): Node & { is: 'file' } {
    const node = found(path, 'read')
    if (node.is !== 'file') throw new StorageError(path, 'read', 'it is a folder', 'EISDIR')
    return node
  }

  function opened(handle: Handle): Node & { is: 'file' } {
    const node = open.get(handle.fd)
    if (!node) throw new Error(`${handle.path} is closed`)
    return node
  }

  function free(path: string, doing: Doing): void {
    if (names.has(path)) throw new StorageError(path, doing, 'something is there already', 'EEXIST')
    if (names.get(dirname(path))?.is !== 'folder')
      throw new StorageError(path, doing, 'it is not there', 'ENOENT')
  }

  function across(from: string, to: string, doing: Doing): void {
    const isFar = lacks.has('other-folders') && dirname(from) !== dirname(to)
    if (isFar) throw new StorageError(to, doing, 'it lies on another disk', 'EXDEV')
  }

  function syncNames(folder: string): void {
    for (const path of new Set([...names.keys(), ...durable.keys()])) {
      if (dirname(path) === folder) carry(path)
    }
  }

  function carry(path: string): void {
    const node = names.get(path)
    if (node) durable.set(path, node)
    else durable.delete(path)
  }

  const disk: MemoryDisk = {
    calls,
    files: () =>
      Object.fromEntries(
        [...names].flatMap(([path, node]) => (node.is === 'file' ? [[path, node.data.toString()]] : [])),
      ),
    stopAt: at => {
      stop = at
    },
    failAt: at => {
      failing = at
    },
    takeAtMost: bytes => {
      most = bytes
    },
    without: what => lacks.add(what),
    restarted(keep) {
      const after = new Map<string, Node>()
      for (const path of new Set([...durable.keys(), ...names.keys()])) {
        const isNew = names.get(path) !== durable.get(path)
        const node = isNew && keep(`name ${path}`) ? names.get(path) : durable.get(path)
        if (node) after.set(path, node)
      }
      const data = new Map<number, Node>()
      for (const [path, node] of after) {
        if (node.is !== 'file') continue
        const kept = data.get(node.id) ?? { ...node, data: keep(`data ${path}`) ? node.data : node.synced }
        data.set(node.id, kept.is === 'file' ? { ...kept, synced: kept.data } : kept)
        after.set(path, data.get(node.id) ?? node)
      }
      return memoryDisk(after)
    },
    open(path, how) {
      if (how === 'create') call('open', path)
      const isNew = how === 'create' || (how === 'append' && !names.has(path))
      if (isNew) {
        free(path, 'open')
        names.set(path, { is: 'file', id: ids++, data: Buffer.alloc(0), synced: Buffer.alloc(0) })
      }
      const fd = ids++
      open.set(fd, contents(path))
      return { path, fd }
    },
    close: handle => {
      open.delete(handle.fd)
    },
    write(handle, bytes) {
      const node = opened(handle)
      const taken = bytes.subarray(0, most)
      try {
        call('write', handle.path)
      } catch (error) {
        // A disk that fills up takes what still fits.
        node.data = Buffer.concat([node.data, taken.subarray(0, taken.length / 2)])
        throw error
      }
      node.data = Buffer.concat([node.data, taken])
      return taken.length
    },
    async sync(handle) {
      // As slow as one turn: what was written before the call is what is synced.
      const { data } = opened(handle)
      call('sync', handle.path)
      await Promise.resolve()
      opened(handle).synced = data
    },
    async syncFolder(folder) {
      call('sync', folder)
      syncNames(folder)
    },
    truncate(handle, length) {
      call('write', handle.path)
      opened(handle).data = opened(handle).data.subarray(0, length)
    },
    readAll: path => contents(path).data,
    async *readPieces(path) {
      const { data } = contents(path)
      for (let at = 0; at < data.length; at += 7) yield data.subarray(at, at + 7)
    },
    *readPiecesNow(path) {
      const { data } = contents(path)
      for (let at = 0; at < data.length; at += 7) yield data.subarray(at, at + 7)
    },
    rename(from, to) {
      call('rename', to)
      across(from, to, 'rename')
      names.set(to, found(from, 'rename'))
      names.delete(from)
    },
    link(from, to) {
      call('link', to)
      const node = found(from, 'link')
      if (lacks.has('links')) throw new StorageError(to, 'link', 'not permitted', 'EPERM')
      free(to, 'link')
      across(from, to, 'link')
      names.set(to, node)
    },
    remove(path) {
      call('remove', path)
      found(path, 'remove')
      names.delete(path)
    },
    removeFolder(path) {
      call('remove', path)
      const isEmpty = [...names.keys()].every(name => !name.startsWith(`${path}/`))
      if (found(path, 'remove').is !== 'folder' || !isEmpty)
        throw new StorageError(path, 'remove', 'it is not empty', 'ENOTEMPTY')
      names.delete(path)
    },
    makeFolder(path) {
      call('make the folder', path)
      free(path, 'make the folder')
      names.set(path, { is: 'folder', id: ids++ })
    },
    list(folder) {
      if (found(folder, 'list').is !== 'folder')
        throw new StorageError(folder, 'list', 'it is no folder', 'ENOTDIR')
      return [...names.keys()]
        .filter(path => path !== '/' && dirname(path) === folder)
        .map(path => path.slice(folder.length).replace(/^\//, ''))
    },
    look(path): Look | undefined {
      const node = names.get(path)
      return (
        node && { is: node.is, bytes: node.is === 'file' ? node.data.length : 0, identity: String(node.id) }
      )
    },
    realPath: path =>
      found(path, 'look at').is === 'link' ? (found(path, 'look at') as { to: string }).to : path, // a link
    datesNames: () => false,
  }
  return disk
}

/** Puts a file there, synced. */
export async function place(disk: MemoryDisk, path: string, contents: string): Promise<void> {
  let folder = ''
  for (const step of dirname(path).split('/').slice(1)) {
    folder = `${folder}/${step}`
    if (step !== '' && !disk.look(folder)) disk.makeFolder(folder)
  }
  if (disk.look(path)) disk.remove(path)
  const handle = disk.open(path, 'create')
  disk.write(handle, Buffer.from(contents))
  await disk.sync(handle)
  disk.close(handle)
  for (let up = dirname(path); ; up = dirname(up)) {
    await disk.syncFolder(up)
    if (up === '/') break
  }
}

/** Every way in which what was not synced may be there or not, up to `most` ways. */
export function* fates(disk: MemoryDisk, most = 64): Generator<MemoryDisk> {
  const questions: string[] = []
  disk.restarted(what => questions.push(what) > 0)
  const ways = Math.min(most, 2 ** questions.length)
  for (let way = 0; way < ways; way++) {
    yield disk.restarted(what => ((way >> questions.indexOf(what)) & 1) === 1)
  }
}
