import { formerAsked } from '../../src/planning/former.ts'
import { goOnWith } from '../../src/planning/go-on.ts'
import { openWorkspace } from '../../src/planning/open-workspace.ts'
import { type Disk, systemDisk } from '../../src/store/files/disk.ts'
import { StorageError } from '../../src/store/files/storage-error.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { type Bench } from '../verbs/bench.ts'

/** A disk that is gone from the `last` change on, as after a power cut. */
export function dying(last: number): { readonly disk: Disk; readonly changes: () => number } {
  let changes = 0
  const change = <Args extends unknown[], T>(call: (...args: Args) => T) => {
    return (...args: Args): T => {
      changes++
      if (changes > last) throw new StorageError('the disk', 'write', 'it is gone', 'EIO')
      return call(...args)
    }
  }
  const { open, rename, remove, link, makeFolder } = systemDisk
  const disk: Disk = {
    ...systemDisk,
    open: (path, how, mode) => (how === 'read' ? open(path, how, mode) : change(open)(path, how, mode)),
    write: change(systemDisk.write),
    rename: change(rename),
    remove: change(remove),
    link: change(link),
    makeFolder: change(makeFolder),
  }
  return { disk, changes: () => changes }
}

/** Goes on with the lock of m.yaml as n.yaml, by a process that is gone by then, and that nobody can take for one that lives. */
export async function goOn(bench: Bench, disk: Disk): Promise<unknown> {
  const workspace = openWorkspace({ manifest: 'n.yaml', cwd: bench.folder }) as Workspace
  const self = () => ({ ...workspace.machine.self(), start: 'long ago', pid: 2 ** 22 + 1 })
  const dead: Workspace = { ...workspace, machine: { ...workspace.machine, disk, self } }
  const former = formerAsked(dead, { cwd: bench.folder, continues: 'm.lock.json' })
  return former.got === 'former' ? goOnWith(former.former, dead) : former
}
