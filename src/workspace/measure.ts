import type { Failure } from '../base/failure.ts'
import type { SavedFile } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import { expectOf } from '../forms/expect.ts'
import { mismatchOf } from '../forms/mismatch.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { examine } from '../media/examine.ts'

/** What a delivered file is, by its bytes. */
export interface Measured extends Pick<SavedFile, 'type' | 'width' | 'height' | 'seconds'> {
  readonly extension: string
  /** How it differs from what was asked; told and kept, it does not undo the delivery. */
  readonly unlike?: string
}

export type Measure = (part: string, job: Job) => Promise<Measured | Failure>

/** A whole file of the kind that the model makes, measured; or what is wrong with it. */
export const measure: Measure = async (part, job) => {
  // Its structure first: whoever looks for tracks in a file without its end may look for ever.
  const probed = await examine(part)
  if (probed.got === 'broken') return { why: 'bad-media', detail: probed.why }
  const { media } = probed
  const kind = outputKind(job.model)
  if (media.kind !== kind)
    return { why: 'bad-media', detail: `it is ${media.type}, and ${job.model.id} makes ${kind}` }
  const { type, extension, width, height, seconds } = media
  const isExact = /^\d+x\d+$/.test(String(job.params.resolution ?? ''))
  const unlike = mismatchOf(expectOf(job.model, job.params), media, isExact)
  return {
    type,
    extension,
    ...(unlike !== undefined && { unlike }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(seconds !== undefined && { seconds: Math.round(seconds * 1000) / 1000 }),
  }
}
