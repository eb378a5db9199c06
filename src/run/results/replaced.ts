import type { Failure } from '../../base/failure.ts'
import type { Digest } from '../../base/names.ts'
import { outputKind } from '../../catalog/index.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { typesOf } from '../../media/other-kinds.ts'
import { nameOfFile } from '../../plan/shapes/share.ts'
import { digestFile } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Where results lie, and whose they are. */
interface ResultPlaces {
  readonly layout: Pick<Layout, 'output'>
  readonly ledger: Pick<Ledger, 'ownerOfPath' | 'isOurs'>
  readonly disk: Disk
}

/**
 * Why a job may not be ordered because of what lies under the names of its files: results that somebody altered, which nothing of ours
 * replaces, so that what was paid for would find no place. They are read, as a plan looks at sizes only; one job's right before its order.
 */
export async function alteredInPlace(
  job: Job,
  { layout, ledger, disk }: ResultPlaces,
): Promise<Failure | undefined> {
  const types = typesOf(outputKind(job.model))
  for (let nth = 0; nth < job.count; nth++) {
    const name = nameOfFile(job, nth, job.count)
    for (const { extension } of types) {
      const path = `${name}.${extension}`
      if (!ledger.ownerOfPath(path)) continue
      const digest = await digestThere(path, layout.output, disk)
      if (digest instanceof StorageError)
        return {
          why: 'on-hold',
          detail: `${path} cannot be read, and may have been altered: ${digest.detail}`,
        }
      if (digest && !ledger.isOurs(digest))
        return { why: 'on-hold', detail: `${path} was altered since genrun made it`, altered: true }
    }
  }
  return undefined
}

/** Undefined where no file is. */
async function digestThere(
  path: string,
  output: string,
  disk: Disk,
): Promise<Digest | StorageError | undefined> {
  try {
    const place = findPlace(disk, output, path)
    return place !== undefined && disk.look(place)?.is === 'file' ? await digestFile(disk, place) : undefined
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return trouble
  }
}
