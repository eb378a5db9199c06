import { join } from 'node:path'
import type { Digest } from '../../base/names.ts'
import type { SavedFile } from '../../base/state.ts'
import type { PublishTo } from '../../bucket/publish.ts'
import { withMark } from '../../media/origin/mark.ts'
import { readTextOn, removeQuietly, writeAtomically } from '../../store/files/atomic-write.ts'
import { digestBytes } from '../../store/files/digest.ts'
import { makeFolders } from '../../store/files/disk.ts'
import { refuseForeign } from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Setting } from '../../workspace/workspace.ts'

/** What became of the mark in one copy: it was put there, or why the copy is the file itself. */
type Mark = 'marked' | Extract<ReturnType<typeof withMark>, { got: 'as-it-is' }>['why']

interface Known {
  readonly mark: Mark
  /** Of the copy, where that is another file. */
  readonly digest?: Digest
  readonly bytes?: number
}

/** What is published of each file: its own bytes, or with `marks` a copy that says that a trained algorithm made it. */
export interface Copies {
  /** The file as it is published; undefined where that is not known before it is read. */
  of(file: SavedFile): SavedFile | undefined
  /** Undefined without `marks`. */
  markOf(file: SavedFile): Mark | undefined
  /** Hands over the file at a path, or its copy. Rejects with StorageError where it is not what was saved. */
  give(file: SavedFile, path: string, put: (file: SavedFile, path: string) => Promise<void>): Promise<void>
  /** Writes down what is known by now: the next run need not read any file to see that all is published. */
  keep(): Promise<void>
}

export function openCopies(setting: Setting, { marks }: PublishTo): Copies {
  if (marks) return markedCopies(setting)
  return {
    of: file => file,
    markOf: () => undefined,
    give: (file, path, put) => put(file, path),
    keep: async () => undefined,
  }
}

function markedCopies({ layout, machine: { disk } }: Setting): Copies {
  const folder = join(layout.state, 'published')
  const note = join(folder, 'marks.json')
  const before = readTextOn(disk, note)
  const known = readKnown(before)
  async function ready(): Promise<void> {
    refuseForeign(disk, folder)
    await makeFolders(disk, folder, 0o700)
  }
  return {
    of(file) {
      const copy = known.get(file.digest)
      return copy && { ...file, digest: copy.digest ?? file.digest, bytes: copy.bytes ?? file.bytes }
    },
    markOf: file => known.get(file.digest)?.mark,
    async give(file, path, put) {
      const bytes = disk.readAll(path)
      if (digestBytes(bytes) !== file.digest)
        throw new StorageError(path, 'read', 'it was altered since it was made')
      const marked = withMark(bytes, file.type)
      if (marked.got === 'as-it-is') {
        await put(file, path)
        known.set(file.digest, { mark: marked.why })
        return
      }
      const copy = { digest: digestBytes(marked.bytes), bytes: marked.bytes.length }
      // By the name of the file, so that what a crash leaves there makes way.
      const part = join(folder, `${digestBytes(file.path).slice('sha256:'.length)}.part`)
      await ready()
      try {
        await writeAtomically(disk, part, marked.bytes, { mode: 0o600 })
        await put({ ...file, ...copy }, part)
      } finally {
        removeQuietly(disk, part)
      }
      known.set(file.digest, { mark: 'marked', ...copy })
    },
    async keep() {
      const text = JSON.stringify(Object.fromEntries(known))
      if (text === (before ?? '{}')) return
      await ready()
      await writeAtomically(disk, note, text, { mode: 0o600 })
    },
  }
}

/** Ours, and in a checkout all the same: what is not as we write it is not known. */
function readKnown(text: string | undefined): Map<string, Known> {
  try {
    const all: { readonly [digest: string]: unknown } = JSON.parse(text ?? '{}')
    return new Map(Object.entries(all).flatMap(([of, each]) => (isKnown(each) ? [[of, each] as const] : [])))
  } catch {
    return new Map()
  }
}

function isKnown(value: unknown): value is Known {
  const { mark, digest, bytes } = (value ?? {}) as { readonly [key in keyof Known]?: unknown }
  if (mark !== 'marked')
    return typeof mark === 'string' && marks.includes(mark) && digest === undefined && bytes === undefined
  return typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest) && typeof bytes === 'number'
}

const marks: readonly string[] = ['marked-before', 'signed', 'says-otherwise', 'no-place'] satisfies Mark[]
