import { defined } from '../base/defined.ts'
import type { SavedFile } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import { expectOf } from '../forms/expect.ts'
import { mismatchOf } from '../forms/mismatch.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { examine } from '../media/examine.ts'
import { unknownKind } from '../media/other-kinds.ts'
import { storageErrorOf } from '../store/files/storage-error.ts'

/** What a delivered file is, by its bytes. */
interface Measured extends Pick<SavedFile, 'type' | 'width' | 'height' | 'seconds'> {
  readonly extension: string
  /** How it differs from what was asked; told and kept, it does not undo the delivery. */
  readonly mismatch?: string
}

/** It came and is no result: it is kept as what it is. */
export interface Unusual extends Pick<SavedFile, 'type'> {
  /** What is wrong with it. */
  readonly unusual: string
  readonly extension: string
  /** Whether it may have gone wrong on the way: `twice` where another download that brings the same shows that it did not. */
  readonly proof: 'this' | 'twice' | 'none'
}

/** Rejects with StorageError when the part cannot be read: it may have been taken away meanwhile. */
export type Measure = (part: string, job: Job) => Promise<Measured | Unusual>

/** A whole file of the kind that the model makes, measured; or what it is instead. */
export const measure: Measure = async (part, job) => {
  // Its structure first: whoever looks for tracks in a file without its end may look for ever.
  const probed = await examine(part).catch((error: unknown) => {
    throw isOfSystem(error) ? storageErrorOf(part, 'read', error) : error
  })
  const kind = outputKind(job.model)
  const makes = `and ${job.model.id} makes ${kind === 'file' ? 'a file' : kind}`
  if (probed.got === 'broken') {
    const { type, extension, name } = probed.as
    if (name !== undefined && kind === 'file') return { type, extension }
    if (name === undefined) {
      // Where a file of any kind is made, a text may be one: it is kept for a person to accept, if it is no page of a proxy.
      const mayBeIt = kind === 'file' && (extension === 'txt' || extension === 'json')
      return { unusual: probed.why, type, extension, proof: mayBeIt ? 'twice' : 'none' }
    }
    const proof = type === unknownKind.type ? 'twice' : 'this'
    return { unusual: `it is ${name}, ${makes}`, type, extension, proof }
  }
  const { media } = probed
  if (media.kind !== kind && kind !== 'file') {
    const { type, extension } = media
    return { unusual: `it is ${type}, ${makes}`, type, extension, proof: 'this' }
  }
  const { type, extension, width, height, seconds } = media
  const isExact = /^\d+x\d+$/.test(String(job.params.resolution ?? ''))
  const mismatch = mismatchOf(expectOf(job.model, job.params), media, isExact)
  return {
    type,
    extension,
    ...defined({ mismatch, width, height }),
    ...(seconds !== undefined && { seconds: Math.round(seconds * 1000) / 1000 }),
  }
}

/** Anything else that is thrown is a bug. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
