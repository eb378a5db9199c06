import { extname, resolve } from 'node:path'
import { type Diagnostic, error } from '../../base/diagnostic.ts'
import type { Digest, JobAddress } from '../../base/names.ts'
import type { LockEntry } from '../../base/state.ts'
import type { Job, Manifest } from '../../manifest/job.ts'
import type { Facts, Memory, Standing } from '../../plan/facts.ts'
import type { Disk } from '../../store/disk.ts'
import { type Found, finalPath, findSaved } from '../../store/outputs.ts'
import type { Profile } from '../../wire/profile.ts'
import type { Layout } from '../ground/layout.ts'
import type { ProjectPlace } from '../ground/place.ts'
import { readInput } from './prepare.ts'

/** The local inputs of a manifest, digested, and what is wrong with them. */
export interface Inputs {
  readonly digests: ReadonlyMap<string, Digest>
  readonly problems: readonly Diagnostic[]
}

export function digestInputs(
  manifest: Manifest,
  place: ProjectPlace,
  disk: Disk,
  { request: { files }, upload }: Profile,
): Inputs {
  const digests = new Map<string, Digest>()
  const problems: Diagnostic[] = []
  for (const job of manifest.jobs) {
    for (const [at, refs] of Object.entries(job.files)) {
      for (const ref of refs) {
        if (ref.from !== 'path' || digests.has(ref.path)) continue
        const read = readInput(disk, resolve(place.folder, ref.path), ref.path)
        if ('why' in read) {
          const detail = 'detail' in read ? read.detail : ''
          problems.push(
            error(
              'unreadable-input',
              job.locate(at.split('/').slice(1)),
              `${ref.path} cannot be read: ${detail}`,
            ),
          )
          continue
        }
        digests.set(ref.path, read.digest)
        const isTooLarge = !upload && read.bytes.length > files.upTo
        if (isTooLarge) problems.push(tooLarge(job, at, ref.path, read.bytes.length, files.upTo))
      }
    }
  }
  return { digests, problems }
}

function tooLarge(job: Job, at: string, path: string, bytes: number, upTo: number): Diagnostic {
  const fits =
    upTo === 0
      ? 'the profile sends no file inside a request'
      : `at most ${mebibytes(upTo)} fit into a request`
  return error(
    'input-too-large',
    job.locate(at.split('/').slice(1)),
    `${path} has ${mebibytes(bytes)}, and ${fits}`,
    'make it smaller, give a link to it, or name a place for uploads in a profile: `upload: { url: … }`',
  )
}

/** `12.5 MiB`, `10 MiB`. */
function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB`
}

export function factsOf(
  memories: ReadonlyMap<JobAddress, Memory>,
  inputs: Inputs,
  layout: Layout,
  disk: Disk,
): Facts {
  return { memories, inputs: inputs.digests, standing: (entry, job) => standingOf(entry, job, layout, disk) }
}

function standingOf(entry: LockEntry, job: Job, layout: Layout, disk: Disk): Standing {
  const found = entry.files.map(file => ({ path: file.path, is: findSaved(file, layout.output, disk) }))
  const pathsThat = (is: Found) => found.filter(each => each.is === is).map(each => each.path)
  if (pathsThat('missing').length > 0) return { is: 'missing', paths: pathsThat('missing') }
  if (pathsThat('altered').length > 0) return { is: 'altered', paths: pathsThat('altered') }
  const isInPlace = entry.files.every((file, nth) => file.path === wantedPath(job, entry, nth))
  return isInPlace ? { is: 'whole' } : { is: 'elsewhere' }
}

/** Where a locked file of a job belongs by the manifest as it is now. */
export function wantedPath(job: Job, entry: LockEntry, nth: number): string {
  const extension = extname(entry.files[nth]?.path ?? '').slice(1)
  return finalPath(job.output, nth, Math.max(job.count, entry.files.length), { extension })
}
