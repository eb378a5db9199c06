import type { Disk, Handle, Look } from '../../src/store/files/disk.ts'
import { type Doing, StorageError } from '../../src/store/files/storage-error.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'

/**
 * A disk in memory that knows what was written from what would outlive a power cut: of each file, the bytes that were
 * synced; of each folder, the names. It outlives the processes that use it.
 */
export interface Medium {
  /** The disk as one process sees it. */
  use(life: Life, faults?: DiskFaults): Disk
  /** What was not synced is cut: any suffix of the bytes, any of the changes of names. */
  cutPower(chance: Chance): void
  readonly files: () => ReadonlyMap<string, Buffer>
  /** The names in a folder; none when it is not there. */
  list(folder: string): readonly string[]
  read(path: string): Buffer | undefined
  /** By a hand from outside, and durable. */
  put(path: string, contents: Uint8Array): void
  drop(path: string): void
  makeFolder(path: string): void
  /** Takes away what lies at these places, and puts what was taken from them before in its stead. All of it is durable. */
  exchange(roots: readonly string[], other: Taken | undefined): Taken
}

/** What was taken from a disk, and is to come back. */
export type Taken = ReadonlyMap<string, Node>

export function readTaken(taken: Taken, path: string): Buffer | undefined {
  const node = taken.get(path)
  return node?.is === 'file' ? contents(node) : undefined
}

/** What goes wrong with the disk during one life. */
export type DiskFails =
  /** The first call that fails, counted from 1: only that one, or everything from there on that takes room. */
  | { readonly from: number; readonly only: boolean }
  /** It has so many bytes left, and what is removed makes room again. */
  | { readonly room: number }

export type DiskFaults = DiskFails & {
  /** Only below this folder; what lies elsewhere is on another disk. */
  readonly within?: string
  /** Called when it fails. */
  readonly onFailure?: (path: string, doing: Doing) => void
}

interface File {
  readonly is: 'file'
  readonly id: number
  bytes: Buffer
  length: number
  /** What it holds, for whoever reads it, until it changes. */
  seen: Buffer | undefined
  /** So many of the first bytes outlive a power cut. */
  durable: number
  /** What was cut off by `truncate` and would be there again after a power cut. */
  former: Buffer | undefined
  /**
   * A sync failed: what was not durable between these places then may never be, whatever later syncs say, because the
   * system believes that it has written it.
   */
  hole: readonly [from: number, to: number] | undefined
}

interface Folder {
  readonly is: 'folder'
  readonly id: number
  readonly names: Set<string>
  /** When a name was made or removed in it last, by the clock of whoever does it. */
  dated: number
}

type Node = File | Folder
type Names = Map<string, Node>

/** One change of names: all of it outlives a power cut, or nothing. */
type Change = readonly (readonly [path: string, node: Node | undefined])[]

interface Store {
  names: Names
  durable: Names
  /** Changes that are not durable, in order. */
  pending: Change[]
  ids: number
  readonly wall: () => number
}

export function medium(wall: () => number): Medium {
  const store: Store = { names: new Map(), durable: new Map(), pending: [], ids: 1, wall }
  change(store, [['/', newFolder(store, 0)]])
  syncNames(store, '/')
  return {
    use: (life, faults) => diskOf(store, life, faults),
    cutPower: chance => cutPower(store, chance),
    files: () =>
      new Map(
        [...store.names].flatMap(([path, node]) => (node.is === 'file' ? [[path, contents(node)]] : [])),
      ),
    list(folder) {
      const node = store.names.get(folder)
      return node?.is === 'folder' ? [...node.names] : []
    },
    read(path) {
      const node = store.names.get(path)
      return node?.is === 'file' ? contents(node) : undefined
    },
    put(path, bytes) {
      const file = newFile(store.ids++, bytes)
      change(store, [[path, file]])
      syncNames(store, parentOf(path))
    },
    makeFolder(path) {
      change(store, [[path, newFolder(store, store.ids++)]])
      syncNames(store, parentOf(path))
    },
    drop(path) {
      change(store, [[path, undefined]])
      syncNames(store, parentOf(path))
    },
    exchange: (roots, other) => exchange(store, roots, other ?? new Map()),
  }
}

function diskOf(store: Store, life: Life, faults: DiskFaults | undefined): Disk {
  const open = new Map<number, File>()
  const size = faults && 'room' in faults ? usedIn(store) + faults.room : Number.POSITIVE_INFINITY
  let calls = 0

  function trouble(path: string, doing: Doing, code: keyof typeof troubles): StorageError {
    return new StorageError(path, doing, troubles[code], code)
  }

  /** Nothing of what a dead process does reaches the disk. */
  function call(doing: Doing, path: string): void {
    if (!life.step()) throw trouble(path, doing, 'EIO')
    calls++
    if (!faults || !isHit(path) || !('from' in faults) || calls < faults.from) return
    // A full disk still takes names away.
    if (faults.only ? calls > faults.from : doing === 'remove') return
    faults.onFailure?.(path, doing)
    throw trouble(path, doing, doing === 'sync' || doing === 'remove' ? 'EIO' : 'ENOSPC')
  }

  const isHit = (path: string) => !faults?.within || path.startsWith(faults.within)

  /** Writes what there is room for, and fails when that is not all. */
  function fill(path: string, file: File, bytes: Uint8Array): void {
    const isFree = size === Number.POSITIVE_INFINITY || !isHit(path)
    const free = isFree ? size : Math.max(0, size - usedIn(store))
    append(file, bytes.subarray(0, free))
    if (bytes.length <= free) return
    faults?.onFailure?.(path, 'write')
    throw trouble(path, 'write', 'ENOSPC')
  }

  function found(path: string, doing: Doing): Node {
    const node = store.names.get(path)
    if (!node) throw trouble(path, doing, 'ENOENT')
    return node
  }

  function fileAt(path: string): File {
    const node = found(path, 'read')
    if (node.is !== 'file') throw trouble(path, 'read', 'EISDIR')
    return node
  }

  function opened(handle: Handle): File {
    const file = open.get(handle.fd)
    if (!file) throw new Error(`${handle.path} is closed`)
    return file
  }

  function mustBeFree(path: string, doing: Doing): void {
    if (store.names.has(path)) throw trouble(path, doing, 'EEXIST')
    if (store.names.get(parentOf(path))?.is !== 'folder') throw trouble(path, doing, 'ENOENT')
  }

  function create(path: string): void {
    mustBeFree(path, 'open')
    change(store, [[path, newFile(store.ids++, new Uint8Array())]])
  }

  function syncFile(handle: Handle, upTo: number): void {
    const file = opened(handle)
    file.durable = Math.max(file.durable, Math.min(upTo, file.length))
    file.former = undefined
  }

  function failedSync(handle: Handle, error: unknown): never {
    if (life.isAlive()) tearHole(opened(handle))
    throw error
  }

  return {
    open(path, how) {
      if (how === 'create') {
        call('open', path)
        create(path)
      } else if (how === 'append' && !store.names.has(path)) {
        call('open', path)
        create(path)
      }
      const fd = store.ids++
      open.set(fd, fileAt(path))
      return { path, fd }
    },
    close: handle => {
      open.delete(handle.fd)
    },
    write(handle, bytes) {
      const file = opened(handle)
      const wasAlive = life.isAlive()
      try {
        call('write', handle.path)
      } catch (error) {
        // A disk that fills up, and a process that is killed, leave a part of it.
        if (wasAlive) append(file, bytes.subarray(0, bytes.length >> 1))
        throw error
      }
      fill(handle.path, file, bytes)
      return bytes.length
    },
    async sync(handle) {
      // What was written before the call is what is synced; it is on the medium when it resolves, not before.
      const upTo = opened(handle).length
      try {
        call('sync', handle.path)
      } catch (error) {
        failedSync(handle, error)
      }
      await life.moment()
      syncFile(handle, upTo)
    },
    async syncFolder(folder) {
      call('sync', folder)
      await life.moment()
      syncNames(store, folder)
    },
    truncate(handle, length) {
      call('write', handle.path)
      const file = opened(handle)
      if (length < file.durable) {
        file.former ??= Buffer.from(file.bytes.subarray(0, file.durable))
        file.durable = length
      }
      file.length = length
      file.seen = undefined
    },
    readAll: path => contents(fileAt(path)),
    async *readPieces(path) {
      const file = fileAt(path)
      if (file.length > 0) yield contents(file)
    },
    *readPiecesNow(path) {
      const file = fileAt(path)
      if (file.length > 0) yield contents(file)
    },
    rename(from, to) {
      call('rename', to)
      const node = found(from, 'rename')
      change(store, [
        [from, undefined],
        [to, node],
      ])
    },
    link(from, to) {
      call('link', to)
      const node = found(from, 'link')
      mustBeFree(to, 'link')
      change(store, [[to, node]])
    },
    remove(path) {
      call('remove', path)
      found(path, 'remove')
      change(store, [[path, undefined]])
    },
    removeFolder(path) {
      call('remove', path)
      const node = found(path, 'remove')
      if (node.is !== 'folder' || node.names.size > 0) throw trouble(path, 'remove', 'EEXIST')
      change(store, [[path, undefined]])
    },
    makeFolder(path) {
      call('make the folder', path)
      mustBeFree(path, 'make the folder')
      change(store, [[path, newFolder(store, store.ids++)]])
    },
    list(folder) {
      if (!life.isAlive()) throw trouble(folder, 'list', 'EIO')
      const node = found(folder, 'list')
      if (node.is !== 'folder') throw trouble(folder, 'list', 'ENOTDIR')
      return [...node.names]
    },
    look(path): Look | undefined {
      const node = store.names.get(path)
      if (!node) return undefined
      const { is, id } = node
      // Of files it keeps no dates, as some disks do not: they are read each time.
      const dates = node.is === 'folder' && { changed: node.dated, touched: node.dated }
      return { is, bytes: node.is === 'file' ? node.length : 0, identity: String(id), ...dates }
    },
    realPath(path) {
      found(path, 'look at')
      return path
    },
    datesNames: () => true,
  }
}

const troubles = {
  EIO: 'the disk reports an error',
  ENOSPC: 'no space left on the disk',
  ENOENT: 'it is not there',
  EEXIST: 'something is there already',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is no folder',
} as const

function newFolder({ wall }: Store, id: number): Folder {
  return { is: 'folder', id, names: new Set(), dated: wall() }
}

function newFile(id: number, bytes: Uint8Array): File {
  return {
    is: 'file',
    id,
    bytes: Buffer.from(bytes),
    length: bytes.length,
    seen: undefined,
    durable: bytes.length,
    former: undefined,
    hole: undefined,
  }
}

/** Of all files that have a name. */
function usedIn({ names }: Store): number {
  const files = new Set([...names.values()].filter(node => node.is === 'file'))
  return [...files].reduce((sum, file) => sum + file.length, 0)
}

function contents(file: File): Buffer {
  file.seen ??= Buffer.from(file.bytes.subarray(0, file.length))
  return file.seen
}

function append(file: File, bytes: Uint8Array): void {
  const needed = file.length + bytes.length
  if (needed > file.bytes.length) {
    const larger = Buffer.alloc(Math.max(needed, 2 * file.bytes.length, 256))
    file.bytes.copy(larger, 0, 0, file.length)
    file.bytes = larger
  }
  file.bytes.set(bytes, file.length)
  file.length = needed
  file.seen = undefined
}

function change(store: Store, changes: Change): void {
  for (const [path, node] of changes) setName(store, path, node)
  store.pending.push(changes)
}

function setName({ names, wall }: Store, path: string, node: Node | undefined): void {
  const folder = names.get(parentOf(path))
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (node) names.set(path, node)
  else names.delete(path)
  if (folder?.is !== 'folder' || name === '') return
  if (node) folder.names.add(name)
  else folder.names.delete(name)
  folder.dated = wall()
}

/** The names of one folder are durable from now on. */
function syncNames(store: Store, folder: string): void {
  const isHere = (each: Change) => each.some(([path]) => parentOf(path) === folder)
  if (!store.pending.some(isHere)) return
  for (const each of store.pending) {
    if (!isHere(each)) continue
    for (const [path, node] of each) {
      if (node) store.durable.set(path, node)
      else store.durable.delete(path)
    }
  }
  store.pending = store.pending.filter(each => !isHere(each))
}

function cutPower(store: Store, chance: Chance): void {
  const share = chance.pick([0, 0.5, 0.5, 1])
  const survivors = new Map(store.durable)
  for (const each of store.pending) {
    if (!chance.hits(share)) continue
    for (const [path, node] of each) {
      if (node) survivors.set(path, node)
      else survivors.delete(path)
    }
  }
  store.pending = []
  store.names = new Map()
  for (const path of [...survivors.keys()].toSorted((a, b) => a.length - b.length)) {
    const node = survivors.get(path)
    // A name in a folder that is gone is gone with it.
    if (path !== '/' && store.names.get(parentOf(path))?.is !== 'folder') continue
    setName(store, path, node?.is === 'folder' ? { ...node, names: new Set() } : node)
  }
  store.durable = new Map(store.names)
  for (const node of new Set(store.names.values())) if (node.is === 'file') cutFile(node, chance)
}

function tearHole(file: File): void {
  if (file.length > file.durable)
    file.hole = [Math.min(file.hole?.[0] ?? file.durable, file.durable), file.length]
}

function cutFile(file: File, chance: Chance): void {
  if (file.hole && chance.hits(0.5)) file.bytes.fill(0, ...file.hole)
  if (file.former && chance.hits(0.5)) {
    file.bytes = file.former
    file.length = file.former.length
  } else if (file.length > file.durable) {
    const kept = file.durable + Math.floor((file.length - file.durable) * chance.pick([0, chance.next(), 1]))
    // Some disks give a file its new length before its contents.
    if (chance.hits(0.1)) file.bytes.fill(0, kept, file.length)
    else file.length = kept
  }
  file.seen = undefined
  file.durable = file.length
  file.former = undefined
  file.hole = undefined
}

function exchange(store: Store, roots: readonly string[], other: Taken): Taken {
  const isBelow = (path: string) => roots.some(root => path === root || path.startsWith(`${root}/`))
  const taken = new Map([...store.names].filter(([path]) => isBelow(path)))
  for (const [path, node] of taken) {
    setName(store, path, undefined)
    if (node.is === 'file') Object.assign(node, { durable: node.length, former: undefined, hole: undefined })
  }
  for (const path of [...other.keys()].toSorted((a, b) => a.length - b.length))
    setName(store, path, other.get(path))
  store.pending = []
  store.durable = new Map(store.names)
  return taken
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}
