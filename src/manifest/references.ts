import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { JobAddress } from '../base/names.ts'
import { nearest } from '../base/nearest.ts'
import type { Span } from '../base/source.ts'
import type { MediaKind } from '../catalog/index.ts'
import { jobPath } from './evaluate.ts'
import type { Reference } from './filled.ts'
import type { Intake } from './intake.ts'
import type { FileRef } from './job.ts'
import { mediaMismatch } from './rules/media.ts'
import type { Tell } from './tell.ts'

/** A job as others see it: what its files are, and how many. */
export interface Producer {
  readonly id: string
  /** Its first take, whose files references mean. */
  readonly address: JobAddress
  /** Undefined while its model is not known; then no more is said about its files. */
  readonly makes?: { readonly kind: MediaKind; readonly count: number }
}

export type Producers = ReadonlyMap<string, Producer>

/**
 * The files that a reference means, where one is wanted or several. Undefined when it means none, which is told: the job
 * or the file is not there, is of another kind, or cannot be one file.
 */
export function resolveReference(
  ref: Reference,
  intake: Intake,
  producers: Producers,
  tell: Tell,
): FileRef[] | undefined {
  const producer = producers.get(ref.job)
  if (!producer) {
    tell(unknownJob(ref.job, ref.jobAt, producers))
    return undefined
  }
  const { makes, address } = producer
  if (!makes) return undefined
  const mismatch = mediaMismatch(ref, intake, producer.id, makes.kind)
  if (mismatch) {
    tell(mismatch)
    return undefined
  }
  const file = (nth: number): FileRef => ({ from: 'job', address, nth })
  const { files } = ref
  switch (files.which) {
    case 'output':
      if (makes.count === 1) return [file(0)]
      tell(notOneFile(ref, producer.id, makes.count, intake.isList))
      return undefined
    case 'all':
      if (intake.isList || makes.count === 1)
        return Array.from({ length: makes.count }, (_, nth) => file(nth))
      tell(notOneFile(ref, producer.id, makes.count, false, intake))
      return undefined
    case 'nth':
      if (files.nth < makes.count) return [file(files.nth)]
      tell(beyondCount(files.at, producer.id, files.nth, makes.count))
      return undefined
  }
}

export function unknownJob(id: string, at: Span, producers: Producers): Diagnostic {
  const near = nearestJob(id, producers)
  return error('unknown-job', at, `there is no job ${id}`, near && `did you mean ${near}`)
}

const guesses = new WeakMap<Producers, Map<string, string | undefined>>()

/** A job renamed is missed by thousands: each name is looked for once, and only so many names at all. */
function nearestJob(id: string, producers: Producers): string | undefined {
  const known = guesses.get(producers) ?? new Map<string, string | undefined>()
  guesses.set(producers, known)
  if (!known.has(id) && known.size < mostGuesses) known.set(id, nearest(id, producers.keys()))
  return known.get(id)
}

const mostGuesses = 50

function notOneFile(
  ref: Reference,
  id: string,
  count: number,
  takesAll: boolean,
  intake?: Intake,
): Diagnostic {
  const message = intake
    ? `${intake.name} takes one file, and ${id} makes ${count}`
    : `\`output\` means one file, and ${id} makes ${count}`
  const all = takesAll ? `, ${jobPath(id)}.outputs for all` : ''
  return error('not-one-file', ref, message, `write ${jobPath(id)}.outputs[0] for the first${all}`)
}

function beyondCount(at: Span, id: string, nth: number, count: number): Diagnostic {
  const files = count === 1 ? 'one file' : `${count} files`
  const hint =
    count === 1 ? `its file is ${jobPath(id)}.output` : `the last is ${jobPath(id)}.outputs[${count - 1}]`
  return error('beyond-count', at, `${id} makes ${files}; counted from 0, there is no ${nth}`, hint)
}
