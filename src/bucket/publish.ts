import { extname, join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { bucketText, folderAddress, type SharedBucket } from '../base/shared-place.ts'
import type { SavedFile } from '../base/state.ts'
import { removeQuietly, temporaryName, writeAtomically } from '../store/files/atomic-write.ts'
import { digestFile } from '../store/files/digest.ts'
import { type Disk, makeFolders } from '../store/files/disk.ts'
import { copyToPart } from '../store/files/outputs.ts'
import { publish } from '../store/files/publish.ts'
import { refuseForeign } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Way } from '../wire/http/dial.ts'
import type { BucketAccess, BucketTrouble } from './access.ts'
import { ObjectStoreError } from './trouble.ts'

/** Where results are published: a bucket or a folder, in which a file is named by its digest and never changes. */
export interface PublishTo {
  /** For people, and the beginning of every link: `s3://bucket/prefix`, `file:///folder`. */
  readonly place: string
  /** Copies that say that a trained algorithm made them are published, where a file has a place for that. */
  readonly marks?: boolean
  readonly open: (tools: PublishTools) => Promise<Publisher>
}

interface PublishTools {
  readonly disk: Disk
  /** The folder of the manifest's state, for notes on uploads that have begun. */
  readonly state: string
  /** Aborted: nothing more is sent. */
  readonly stop: AbortSignal
}

/** Everything rejects with ObjectStoreError or StorageError. */
interface Publisher {
  /** Puts a file there unless it is there; whole or not at all. */
  put(file: SavedFile, path: string): Promise<void>
  /** Puts a text there, or in the place of the one that is there. */
  putText(name: string, text: string): Promise<void>
  close(): Promise<void>
}

/** `files/9f86….png`, below the place. */
export function publishedName({ digest, path }: SavedFile): string {
  return `files/${digest.slice('sha256:'.length)}${extname(path)}`
}

interface BucketWay {
  readonly access: BucketAccess | BucketTrouble
  readonly way: Way
  readonly waitMs?: number
}

export function publishToBucket(place: SharedBucket, { access, way, waitMs }: BucketWay): PublishTo {
  return {
    place: bucketText(place),
    async open({ disk, state, stop }) {
      if ('message' in access) throw new ObjectStoreError(access.message, access.hint)
      const { openObjectStore } = await import('./s3.ts')
      const { newSeries, sendFile } = await import('./send-file.ts')
      const store = await openObjectStore(place, access, { clock: systemClock, signal: stop, way, waitMs })
      const notes = join(state, 'uploads')
      const series = newSeries()
      return {
        put: (file, path) => sendFile({ store, name: publishedName(file), file, path, disk, notes, series }),
        async putText(name, text) {
          const bytes = Buffer.from(text)
          const contents = { type: 'application/json', bytes: bytes.length, body: () => bytes }
          await store.write(name, contents, { isNew: false })
        },
        close: () => store.close(),
      }
    },
  }
}

/** `folder` is absolute. */
export function publishToFolder(folder: string): PublishTo {
  return {
    place: folderAddress(folder),
    async open({ disk }) {
      const files = join(folder, 'files')
      refuseForeign(disk, files)
      await makeFolders(disk, files)
      return {
        put: (file, path) => putInFolder(disk, file, { from: path, to: join(folder, publishedName(file)) }),
        async putText(name, text) {
          await writeAtomically(disk, join(folder, name), text)
        },
        close: async () => undefined,
      }
    },
  }
}

async function putInFolder(
  disk: Disk,
  { digest, bytes }: SavedFile,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  if (disk.look(to)?.bytes === bytes && (await digestFile(disk, to)) === digest) return
  const part = temporaryName(to, systemRandom)
  try {
    if ((await copyToPart(from, part, disk)).digest !== digest)
      throw new StorageError(from, 'read', 'it was altered since it was made')
    if ((await publish(disk, part, to)) === 'taken' && (await digestFile(disk, to)) !== digest)
      throw new StorageError(to, 'write', 'another file is there: remove it')
  } finally {
    removeQuietly(disk, part)
  }
}
